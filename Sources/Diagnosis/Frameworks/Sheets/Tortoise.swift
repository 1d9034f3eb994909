// SPDX-License-Identifier: Apache-2.0
// Tortoise ORM with migrations of its own, which each of its apps has, as version 1.1.9 makes them;
// aerich keeps another book for it. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let tortoise = FrameworkSheet(
    title: "Tortoise ORM",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("tortoise_migrations", ["id", "app", "name", "applied_at"])])
    ],
    book: MigrationBook("tortoise_migrations", ["app", "name"], order: "id", group: "app"))
}
