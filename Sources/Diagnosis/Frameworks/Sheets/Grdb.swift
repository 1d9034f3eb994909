// SPDX-License-Identifier: Apache-2.0
// GRDB, a toolkit for Swift. Its migrations are a set: the order of their names says nothing, and the
// rows come as the migrations were carried out. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let grdb = FrameworkSheet(
    title: "GRDB",
    signatures: [FrameworkSignature(.certain, [TableShape("grdb_migrations", ["identifier"])])],
    book: MigrationBook(
      "grdb_migrations", ["identifier"], .set, isInOrder: true, isInWords: true),
    distance: 50)
}
