// SPDX-License-Identifier: Apache-2.0
// aerich, for Tortoise ORM in Python, as version 0.10.1 makes it.

import SQLiteFormat

extension FrameworkSheet {
  static let aerich = FrameworkSheet(
    title: "aerich",
    signatures: [
      FrameworkSignature(.certain, [TableShape("aerich", ["id", "version", "app", "content"])])
    ],
    book: MigrationBook("aerich", ["app", "version"], order: "id", group: "app"))
}
