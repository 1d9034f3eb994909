// SPDX-License-Identifier: Apache-2.0
// Rows that two older inputs have alike, of which the first got a new key: the second gets the same
// one, and is there once.

import Diagnosis
import SQLiteFormat

extension Renumbering {
  /// How often rows are compared by what they refer to; a longer chain of references is given up.
  private static let passesMax = 100

  /// Finds the rows of the older input that another one has brought, under a new key: those with the
  /// key that the row had there, and the same values, where references lead to such rows too.
  ///
  /// They are in `work.twins`, each with that key. So are rows that another one has brought under their
  /// own key, and that differ only as what they refer to has a new key there.
  mutating func findTwins(_ merger: borrowing Merger) throws {
    try merger.connection.execute(
      """
      CREATE TABLE IF NOT EXISTS work.brought (tbl INTEGER, old INTEGER, new INTEGER, lost INTEGER,
        PRIMARY KEY (tbl, old, lost, new)) WITHOUT ROWID;
      DROP TABLE IF EXISTS work.twins;
      CREATE TABLE work.twins (tbl INTEGER, old INTEGER, new INTEGER, lost INTEGER, clashes INTEGER,
        PRIMARY KEY (tbl, old)) WITHOUT ROWID
      """)
    guard try merger.connection.value("SELECT 1 FROM work.brought LIMIT 1") != nil else { return }
    for root in roots { try findCandidates(root, merger) }
    var passes = 0
    while try dropUnlike(merger) > 0 {
      try merger.world.requireGoingOn()
      passes += 1
      guard passes > Self.passesMax else { continue }
      try merger.connection.execute("DELETE FROM work.twins WHERE NOT lost")
      remarks.append(
        "rows of \(older.label) that refer to each other in long chains were not compared with those "
          + "that have new keys: the same row may be there twice")
    }
  }

  /// Notes which rows have new keys, for the inputs that follow.
  func noteBrought(_ merger: borrowing Merger) throws {
    try merger.connection.execute(
      "INSERT OR IGNORE INTO work.brought SELECT tbl, old, new, lost FROM work.moved WHERE NOT twin"
    )
  }

  /// The rows that are alike but for their references, and the lost keys that others had too.
  private func findCandidates(_ root: MergeTable, _ merger: borrowing Merger) throws {
    let key = root.address[0]
    let shared = older.columns(sharedWith: root.description)
    let references = Set(followers.filter { $0.table.name == root.name }.map(\.column))
    let own = shared.subtracting(references).subtracting(root.integerKey.map { [$0] } ?? [])
    try merger.connection.execute(
      """
      INSERT OR IGNORE INTO work.twins
      SELECT b.tbl, b.old, b.new, 0, m.\(key) IS NULL OR NOT (\(root.isSame("m", "o", in: shared)))
      FROM work.brought AS b CROSS JOIN older.\(root.quoted) AS o ON o.\(key) = b.old
      CROSS JOIN main.\(root.quoted) AS n ON n.\(key) = b.new
      LEFT JOIN main.\(root.quoted) AS m ON m.\(key) = b.old
      WHERE b.tbl = \(root.number) AND NOT b.lost AND (\(root.isSame("n", "o", in: own)))
      AND CASE WHEN m.\(key) IS NULL
        THEN EXISTS (SELECT 1 FROM work.alone AS a WHERE a.tbl = b.tbl AND a.number = b.old)
        ELSE NOT (\(root.isTold("m", "o"))) END
      AND NOT EXISTS (SELECT 1 FROM older.\(root.quoted) AS p WHERE p.\(key) = b.new)
      ORDER BY b.new
      """)
    if !references.isEmpty {
      try merger.connection.execute(
        """
        INSERT OR IGNORE INTO work.twins
        SELECT \(root.number), o.\(key), o.\(key), 0, 1
        FROM older.\(root.quoted) AS o JOIN main.\(root.quoted) AS n ON n.\(key) = o.\(key)
        WHERE (\(root.isSame("n", "o", in: own))) AND NOT (\(root.isSame("n", "o", in: shared)))
        """)
    }
    for lost in lostKeys(of: root) {
      try merger.connection.execute(
        """
        INSERT OR IGNORE INTO work.twins SELECT b.tbl, b.old, b.new, 1, 1
        FROM (\(lost)) AS l CROSS JOIN work.brought AS b
        ON b.tbl = \(root.number) AND b.old = l.k AND b.lost
        """)
    }
  }

  /// Drops the candidates that refer to other rows than those they are like, and those that are the
  /// same as the row which has their key.
  ///
  /// - Returns: How many there were.
  private func dropUnlike(_ merger: borrowing Merger) throws -> Int {
    var count = 0
    for root in roots {
      let key = root.address[0]
      let references = followers.filter { $0.table.name == root.name }
      let candidates = "work.twins AS t WHERE t.tbl = \(root.number) AND NOT t.lost"
      for follower in references {
        let column = follower.column.quotedIdentifier
        let twin =
          "SELECT u.new FROM work.twins AS u WHERE u.tbl = \(follower.root.number) AND u.old = o.\(column)"
        count += try merger.connection.count(
          changedBy: """
            DELETE FROM \(candidates) AND EXISTS (
              SELECT 1 FROM older.\(root.quoted) AS o CROSS JOIN main.\(root.quoted) AS n
              ON n.\(key) = t.new WHERE o.\(key) = t.old
              AND n.\(column) IS NOT ifnull((\(twin)), o.\(column)) COLLATE BINARY)
            """)
      }
      let moves = references.map { follower in
        """
        EXISTS (SELECT 1 FROM older.\(root.quoted) AS o CROSS JOIN work.twins AS u
          ON u.tbl = \(follower.root.number) AND u.old = o.\(follower.column.quotedIdentifier)
          WHERE o.\(key) = t.old)
        """
      }
      let follows = moves.isEmpty ? "0" : moves.joined(separator: " OR ")
      count += try merger.connection.count(
        changedBy: "DELETE FROM \(candidates) AND NOT t.clashes AND NOT (\(follows))")
    }
    return count
  }
}
