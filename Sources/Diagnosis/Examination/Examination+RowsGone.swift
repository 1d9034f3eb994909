// SPDX-License-Identifier: Apache-2.0
// Whether a sound database lacks nearly all that its newest backup holds: an app that deletes rows as
// it goes leaves most of them, or moves them to another table.

import SQLiteFormat

extension Examination {
  /// The fewest rows that a backup, or one of its tables, holds for their loss to be told.
  private static let rowsMin = 100
  /// Which share of all rows a table holds at least for it to be missed: one in so many.
  private static let tableShare = 5

  /// Whether more than half of the rows of the newest backup are gone.
  var lacksMostOfBackup: Bool {
    guard let (then, now) = rowCounts else { return false }
    return then >= Self.rowsMin && now * 2 < then
  }

  /// Whether that is so, or a table has no rows any more that had many, and they are in no other one.
  var lacksRowsOfBackup: Bool {
    guard let before = circumstances.before, let (then, now) = rowCounts else { return false }
    return lacksMostOfBackup
      || before.rows.contains { table, rows in
        rows >= Self.rowsMin && rows * Self.tableShare >= then && (then - now) * 2 >= rows
          && survey.tree(named: table)?.records == 0
      }
  }

  /// How many rows the newest backup holds, and how many there are; nil where nothing is to be missed,
  /// or this program has put the database there.
  private var rowCounts: (then: Int, now: Int)? {
    guard verdict.isStructureSound, let before = circumstances.before,
      !circumstances.isReplacedByUs, findings.contains(where: { $0.code == .rowsFewer })
    else { return nil }
    return (
      before.rows.values.reduce(0, +), survey.userTables.values.reduce(0) { $0 + $1.records }
    )
  }
}
