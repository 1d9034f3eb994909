// SPDX-License-Identifier: Apache-2.0
// What the account of a salvage says of one table, or of all together.

import Diagnosis
import SQLiteFormat

extension SalvageAccount {
  /// What became of the rows of one table, or of all.
  package struct Rows: Hashable, Sendable, Encodable {
    /// The table; nil for rows whose table is unknown, and for the sum of all.
    package let table: String?
    /// Rows that could be read.
    package let seen: Int
    /// Rows written to the fresh database.
    package let written: Int
    /// Rows that were there already, value for value.
    package let duplicates: Int
    /// Rows set aside with a reason.
    package let quarantined: Int
    /// Of these, rows of a transaction that was never committed.
    package let uncommitted: Int
    /// Rows that could not be read.
    package let lost: RowLoss
    /// Lost rows of which a part was kept.
    package let partial: Int
    /// Written rows with values that have no column.
    package let leftOut: Int
    /// Written rows with values that the type of their column changes.
    package let changed: Int
    /// Lost rows that come from a backup.
    package let restored: Int
    /// Whether everything that was seen is accounted for.
    package let isBalanced: Bool
    /// The stretches of rowids in which rows are missing; nil for the sum of all.
    package let missing: [Stretch]?
    /// How many stretches are not listed, because there are too many; nil for the sum of all.
    package let missingOmitted: Int?

    private enum CodingKeys: String, CodingKey {
      case table, seen, written, duplicates, quarantined, uncommitted, lost, partial, leftOut
      case changed, restored, missing, missingOmitted
      case isBalanced = "balanced"
    }

    init(_ balance: Balance) {
      table = balance.shownTable?.text
      seen = balance.seen
      written = balance.written
      duplicates = balance.duplicates
      quarantined = balance.quarantined
      uncommitted = balance.uncommitted
      lost = RowLoss(balance.lost)
      partial = balance.partial
      leftOut = balance.leftOut
      changed = balance.changed
      restored = balance.restored
      isBalanced = balance.holds
      let known = balance.lost == .none ? MissingRows() : balance.missing
      let listed = known.intervals.prefix(DiagnosisReport.listLimit).map { Stretch($0) }
      missing = listed
      missingOmitted = known.count - listed.count
    }

    init(sum balances: [Balance]) {
      func sum(_ count: (Balance) -> Int) -> Int { balances.reduce(0) { $0 + count($1) } }
      table = nil
      seen = sum(\.seen)
      written = sum(\.written)
      duplicates = sum(\.duplicates)
      quarantined = sum(\.quarantined)
      uncommitted = sum(\.uncommitted)
      lost = RowLoss(sum: balances.map(\.lost))
      partial = sum(\.partial)
      leftOut = sum(\.leftOut)
      changed = sum(\.changed)
      restored = sum(\.restored)
      isBalanced = balances.allSatisfy(\.holds)
      missing = nil
      missingOmitted = nil
    }

    /// The table, or what stands for it.
    var name: String { table?.shownName ?? "of no known table" }
    /// Whether every row of the table is in the fresh database.
    var isComplete: Bool {
      isBalanced && quarantined == uncommitted && leftOut == 0 && changed == 0 && restored == 0
        && !lost.isLoss
    }
  }

  /// A stretch of rowids in which rows are missing.
  package struct Stretch: Hashable, Sendable, Encodable {
    /// The first rowid; nil where the stretch begins with the table.
    package let first: Int64?
    /// The last rowid; nil where the stretch ends with the table.
    package let last: Int64?
    /// How many rows are missing in it; nil where that is not known.
    package let rows: Int?
    /// The stretch in words, such as `120-340`.
    let words: String

    private enum CodingKeys: String, CodingKey {
      case first, last, rows
    }

    init(_ interval: MissingRows.Interval) {
      first = interval.first
      last = interval.last
      rows = interval.rows
      words = interval.description
    }
  }
}
