// SPDX-License-Identifier: Apache-2.0
// Piccolo, for Python, as version 1.38.0 makes it.

import SQLiteFormat

extension FrameworkSheet {
  static let piccolo = FrameworkSheet(
    title: "Piccolo",
    signatures: [
      FrameworkSignature(
        .likely, [TableShape("migration", ["id", "name", "app_name", "ran_on"], complete: true)])
    ],
    book: MigrationBook("migration", ["app_name", "name"], order: "id", group: "app_name"))
}
