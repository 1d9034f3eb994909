// SPDX-License-Identifier: Apache-2.0
// References to rows that are not there, in a renumbering: they come to belong to no other row.

import Diagnosis
import SQLiteFormat

extension Renumbering {
  /// Finds the keys that only the older input has, and to which rows of the merged database refer that
  /// have no such row: these would come to belong to a row of the older input.
  ///
  /// They are in `work.alone`. Where the older input has one of those rows too, it is the row that they
  /// refer to.
  func findLoneKeys(_ merger: inout Merger) throws {
    try merger.connection.execute(
      """
      DROP TABLE IF EXISTS work.alone;
      CREATE TABLE work.alone (tbl INTEGER, number INTEGER, PRIMARY KEY (tbl, number)) WITHOUT ROWID
      """)
    for follower in followers {
      try merger.connection.execute(
        "INSERT OR IGNORE INTO work.alone SELECT \(follower.root.number), p.\(follower.root.address[0]) "
          + "FROM \(lone(follower))")
    }
    for follower in followers {
      let (table, column) = (follower.table, follower.column.quotedIdentifier)
      try merger.connection.execute(
        """
        DELETE FROM work.alone WHERE tbl = \(follower.root.number) AND number IN (
          SELECT p.\(follower.root.address[0]) FROM \(lone(follower)) AND EXISTS (
            SELECT 1 FROM older.\(table.quoted) AS o WHERE o.\(column) = m.\(column)
            AND \(isOfBoth(table))))
        """)
    }
    for follower in followers { try noteLone(follower, &merger) }
  }

  /// The rows of the merged database, as `m`, that refer by a column to a row which only the older
  /// input has, as `p`.
  private func lone(_ follower: Follower) -> String {
    let (root, key) = (follower.root, follower.root.address[0])
    let column = follower.column.quotedIdentifier
    return """
      main.\(follower.table.quoted) AS m CROSS JOIN older.\(root.quoted) AS p ON p.\(key) = m.\(column)
      WHERE NOT EXISTS (SELECT 1 FROM main.\(root.quoted) AS q WHERE q.\(key) = m.\(column))
      """
  }

  private func noteLone(_ follower: Follower, _ merger: inout Merger) throws {
    let value = try merger.connection.value(
      """
      SELECT count(*) FROM \(lone(follower)) AND p.\(follower.root.address[0]) IN (
        SELECT a.number FROM work.alone AS a WHERE a.tbl = \(follower.root.number))
      """)
    guard let count = value?.integerValue.map({ Int($0) }), count > 0 else { return }
    merger.ledger.notes.append(
      "\(count.of("row")) of '\(follower.table.name)' of newer inputs, by '\(follower.column)', "
        + "\(count == 1 ? "refers" : "refer") to rows of '\(follower.root.name)' that are not there: "
        + "the rows of \(older.label) that have their numbers get new keys")
  }

  /// The keys to which rows of the older input refer that none of its rows has, and one of the merged
  /// database: a query for each column.
  ///
  /// What refers to them would come to belong to that row. Where the merged database has one of those that
  /// refer to it too, it is the row that they referred to.
  func lostKeys(of root: MergeTable) -> [String] {
    let key = root.address[0]
    return followers.filter { $0.root.name == root.name }.map { follower in
      let (table, column) = (follower.table, follower.column.quotedIdentifier)
      return """
        SELECT r.\(key) AS k FROM older.\(table.quoted) AS d
        CROSS JOIN main.\(root.quoted) AS r ON r.\(key) = d.\(column)
        WHERE NOT EXISTS (SELECT 1 FROM older.\(root.quoted) AS p WHERE p.\(key) = d.\(column))
        AND NOT EXISTS (SELECT 1 FROM older.\(table.quoted) AS o
          CROSS JOIN main.\(table.quoted) AS m ON \(isOfBoth(table)) WHERE o.\(column) = d.\(column))
        """
    }
  }

  /// Whether a row of the older input, as `o`, is the same as one of the merged database, as `m`.
  private func isOfBoth(_ table: MergeTable) -> String {
    let shared = older.columns(sharedWith: table.description)
    return
      "(\(table.key.isEmpty ? "1" : table.hasSameKey)) AND (\(table.isSame("m", "o", in: shared)))"
  }

  /// Says how many references have a number that no row has, as what they referred to is not there.
  func noteLostKeys(of root: MergeTable, _ merger: inout Merger) throws {
    let lost = "SELECT x.new FROM work.moved AS x WHERE x.tbl = \(root.number) AND x.lost"
    try merger.connection.execute(
      "INSERT OR IGNORE INTO work.vacant SELECT \(root.number), new FROM (\(lost))")
    for follower in followers where follower.root.name == root.name {
      let (name, column) = (follower.table.name, follower.column)
      let value = try merger.connection.value(
        """
        SELECT count(*) FROM older.\(follower.table.quoted) AS o
        WHERE o.\(column.quotedIdentifier) IN (\(lost))
        """)
      guard let count = value?.integerValue.map({ Int($0) }), count > 0 else { continue }
      merger.ledger[name, older.number].followed -= count
      merger.ledger.notes.append(
        "\(count.of("row")) of '\(name)' of \(older.label), by '\(column)', "
          + "\(count == 1 ? "refers" : "refer") to rows of '\(root.name)' that are not there, and "
          + "whose numbers other rows have: they have numbers that no row has, and refer to none")
    }
  }
}
