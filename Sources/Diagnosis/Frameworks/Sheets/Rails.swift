// SPDX-License-Identifier: Apache-2.0
// Rails, which shares the name of its table with dbmate, golang-migrate and Ecto: a second table
// tells it apart. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let rails = FrameworkSheet(
    title: "Rails",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape("schema_migrations", ["version"], complete: true),
          TableShape("ar_internal_metadata", ["key", "value", "created_at", "updated_at"]),
        ])
    ],
    book: MigrationBook("schema_migrations", ["version"]))
}
