// SPDX-License-Identifier: Apache-2.0
// caribou, for Python, as version 0.6.0 makes it: it notes the last migration only.

import SQLiteFormat

extension FrameworkSheet {
  static let caribou = FrameworkSheet(
    title: "caribou",
    signatures: [
      FrameworkSignature(.likely, [TableShape("migration_version", ["version"], complete: true)])
    ],
    book: MigrationBook("migration_version", ["version"], .last))
}
