// SPDX-License-Identifier: Apache-2.0
// What is noted of new keys, and of what could not follow them.

import Diagnosis
import SQLiteFormat

extension Renumbering {
  /// The keys that rows of a table had in the input, and those that they have in the end: one may have
  /// moved more than once.
  private func moves(of root: MergeTable) -> String {
    """
    WITH RECURSIVE chain (old, new, lost, twin, round) AS (
      SELECT old, new, lost, twin, round FROM work.moved AS x
      WHERE tbl = \(root.number) AND NOT EXISTS (
        SELECT 1 FROM work.moved AS y WHERE y.tbl = x.tbl AND y.new = x.old AND y.round < x.round)
      UNION ALL
      SELECT c.old, m.new, c.lost, m.twin, m.round FROM chain AS c CROSS JOIN work.moved AS m
      ON m.tbl = \(root.number) AND m.old = c.new AND m.round > c.round)
    SELECT old, new, lost, twin FROM chain AS c WHERE NOT EXISTS (
      SELECT 1 FROM work.moved AS m
      WHERE m.tbl = \(root.number) AND m.old = c.new AND m.round > c.round)
    """
  }

  /// Notes the new keys of rows whose key refers to another row.
  private func noteReferringKeys(_ merger: inout Merger) throws {
    for follower in followers where follower.table.integerKey == follower.column {
      let statement = try merger.connection.prepare(
        """
        SELECT x.old, x.new FROM (\(moves(of: follower.root))) AS x
        CROSS JOIN older.\(follower.table.quoted) AS o ON o.\(follower.column.quotedIdentifier) = x.new
        ORDER BY x.old
        """)
      while try statement.step() {
        try merger.aside.addRenumbered(
          follower.table.name, from: older.label, old: statement[0], new: statement[1])
      }
    }
  }

  /// Notes every new key, and what could not follow.
  func note(_ merger: inout Merger) throws {
    var moved: [Name] = []
    for root in roots {
      var (count, lostCount, twinCount) = (0, 0, 0)
      let statement = try merger.connection.prepare(
        "SELECT old, new, lost, twin FROM (\(moves(of: root))) ORDER BY old")
      while try statement.step() {
        try merger.aside.addRenumbered(
          root.name, from: older.label, old: statement[0], new: statement[1])
        switch (statement[2], statement[3]) {
        case (.integer(0), .integer(0)): count += 1
        case (.integer(0), _): twinCount += 1
        default: lostCount += 1
        }
      }
      merger.ledger[root.name, older.number].renumbered += count
      guard count + lostCount + twinCount > 0 else { continue }
      moved.append(root.name)
      if lostCount > 0 { try noteLostKeys(of: root, &merger) }
      guard count > 0 else { continue }
      guard !followers.contains(where: { $0.root.name == root.name }) else { continue }
      merger.ledger.notes.append(
        "no declared foreign key refers to '\(root.name)': whatever else holds its keys has those of "
          + older.label)
    }
    merger.ledger.notes += refusals
    guard !moved.isEmpty else { return }
    try noteReferringKeys(&merger)
    merger.ledger.renumbered += moved.count
    merger.ledger.notes += remarks
    if tables.contains(where: { $0.description.kind != .ordinary }) {
      merger.ledger.notes.append(
        "rows of full-text tables and R-trees that go by the keys of other tables do not follow new "
          + "ones of \(older.label)")
    }
  }
}
