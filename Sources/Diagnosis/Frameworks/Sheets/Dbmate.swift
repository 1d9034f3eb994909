// SPDX-License-Identifier: Apache-2.0
// dbmate. Others have the same table. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let dbmate = FrameworkSheet(
    title: "dbmate",
    signatures: [
      FrameworkSignature(.likely, [TableShape("schema_migrations", ["version"], complete: true)])
    ],
    book: MigrationBook("schema_migrations", ["version"]))
}
