// SPDX-License-Identifier: Apache-2.0
// By what the state of a database that a manifest describes is told from others.

import Diagnosis
import SQLiteFormat

extension BackupContent {
  /// By what this state of the database is told from others.
  var mark: StateMark {
    let own = tables.filter { !$0.name.isReserved && $0.isShadow != true }
    var mark = StateMark(
      changeCounter: changeCounter, sequences: sequences ?? [:],
      tables: own.map {
        StateMark.Table(name: $0.name, rows: $0.rows, contentHash: $0.contentHash)
      } + virtualTables)
    mark.countsCommits = journalMode == "rollback"
    return mark
  }

  /// The virtual tables that keep rows of their own, by the tables that their modules made.
  private var virtualTables: [StateMark.Table] {
    let shadows = Dictionary(
      tables.filter { $0.isShadow == true }.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    guard !shadows.isEmpty else { return [] }
    return schemaSQL.compactMap { VirtualTableTokens($0) }.compactMap { table in
      // Of an R-tree, the nodes tell where the rows lie.
      let parts = ["content", "rowid", "node"].compactMap { shadows["\(table.name)_\($0)"] }
      guard let rows = parts.first, rows.name != "\(table.name)_node" else { return nil }
      let hashes = parts.compactMap(\.contentHash)
      return StateMark.Table(
        name: table.name, rows: rows.rows,
        contentHash: hashes.count == parts.count ? hashes.joined(separator: " ") : nil)
    }
  }
}
