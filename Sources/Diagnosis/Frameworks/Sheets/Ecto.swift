// SPDX-License-Identifier: Apache-2.0
// Ecto, for Elixir. By its documentation.

import SQLiteFormat

extension FrameworkSheet {
  static let ecto = FrameworkSheet(
    title: "Ecto",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("schema_migrations", ["version", "inserted_at"], complete: true)])
    ],
    book: MigrationBook("schema_migrations", ["version"]))
}
