// SPDX-License-Identifier: Apache-2.0
// Fluent, for Vapor. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let fluent = FrameworkSheet(
    title: "Fluent",
    signatures: [
      FrameworkSignature(
        .certain,
        [TableShape("_fluent_migrations", ["id", "name", "batch", "created_at", "updated_at"])])
    ],
    book: MigrationBook("_fluent_migrations", ["name"], .set))
}
