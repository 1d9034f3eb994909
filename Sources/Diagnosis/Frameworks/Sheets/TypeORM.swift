// SPDX-License-Identifier: Apache-2.0
// TypeORM. Other programs have a table of this name. By its documentation.

import SQLiteFormat

extension FrameworkSheet {
  static let typeORM = FrameworkSheet(
    title: "TypeORM",
    signatures: [
      FrameworkSignature(
        .likely, [TableShape("migrations", ["id", "timestamp", "name"], complete: true)])
    ],
    book: MigrationBook("migrations", ["name"], order: "timestamp"),
    rebuilds: [RebuildName(prefix: "temporary_")])
}
