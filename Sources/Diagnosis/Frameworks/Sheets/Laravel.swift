// SPDX-License-Identifier: Apache-2.0
// Laravel. Other programs have a table of this name. By its documentation.

import SQLiteFormat

extension FrameworkSheet {
  static let laravel = FrameworkSheet(
    title: "Laravel",
    signatures: [
      FrameworkSignature(
        .likely, [TableShape("migrations", ["id", "migration", "batch"], complete: true)])
    ],
    book: MigrationBook("migrations", ["migration"], order: "id"))
}
