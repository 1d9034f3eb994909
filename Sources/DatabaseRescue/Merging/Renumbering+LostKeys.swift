// SPDX-License-Identifier: Apache-2.0
// References to rows that are not there, in a renumbering: they come to belong to no other row.

import Diagnosis
import SQLiteFormat

extension Renumbering {
  /// The keys to which rows of the older input refer that none of its rows has, and one of the merged
  /// database: what refers to them would come to belong to that one.
  func lostKeys(of root: MergeTable) -> String {
    let key = root.address[0]
    return followers.filter { $0.root.name == root.name }.map { follower in
      let column = follower.column.quotedIdentifier
      return """
        UNION SELECT m.\(key), 1 FROM older.\(follower.table.quoted) AS o
        CROSS JOIN main.\(root.quoted) AS m ON m.\(key) = o.\(column)
        WHERE NOT EXISTS (SELECT 1 FROM older.\(root.quoted) AS p WHERE p.\(key) = o.\(column))
        """
    }.joined(separator: "\n")
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
