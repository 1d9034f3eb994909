// SPDX-License-Identifier: Apache-2.0
// The account of a salvage: nothing that was seen may disappear.

package import SQLiteFormat

/// What became of the rows of one table.
package struct Balance: Hashable, Sendable {
  /// The table; nil for rows whose table is unknown.
  package let table: Name?
  /// The table under whose name people know these rows: the virtual table, if this is the part in
  /// which its module keeps the rows.
  package var shownTable: Name?
  /// Whether nobody but a module or SQLite looks for these rows.
  package var isInternal = false
  /// Rows that could be read.
  package var seen = 0
  /// Rows written to the fresh database.
  package var written = 0
  /// Rows that were there already, value for value.
  package var duplicates = 0
  /// Rows set aside with a reason.
  package var quarantined = 0
  /// Those set aside that are of a transaction which was never committed: nobody misses them.
  package var uncommitted = 0
  /// Those set aside that are certainly rows, but have no place in the schema that was asked for.
  package var refused = 0
  /// Rows that could not be read.
  package var lost: Loss = .none
  /// The rowids at which they are missing, as far as that is known.
  package var missing = MissingRows()
  /// Lost rows of which a part was kept.
  package var partial = 0
  /// Rows written whose table has no column for some of their values; these were kept beside it.
  package var leftOut = 0
  /// Rows written with a value that the type of its column changes; what it was is kept beside it.
  package var changed = 0
  /// Rows that were lost and come from a backup.
  package var restored = 0
  /// Rows that the fresh table has when all is done; nil when they were not counted.
  package var counted: Int?

  /// An account with nothing in it.
  package init(table: Name?) {
    self.table = table
    shownTable = table
  }

  /// Whether everything that was seen is accounted for, and is there.
  package var holds: Bool {
    seen == written + duplicates + quarantined && counted ?? stored == stored
  }

  /// Rows that the fresh table should have.
  package var stored: Int { written + restored }

  /// Whether every row of the table is in the fresh database, with all its values: read from the
  /// file, or, where that has lost it, from a backup.
  package var isComplete: Bool {
    holds && quarantined == uncommitted && leftOut == 0 && changed == 0 && lost == .none
  }
}

extension Sequence<Balance> {
  /// The accounts of what people have: without those of tables that modules and SQLite keep for
  /// themselves, where nothing is wrong with these.
  package var shown: [Balance] { filter { !$0.isInternal || !$0.isComplete } }
}

extension Survey {
  /// Accounts with the names under which people know the tables.
  package func naming(_ balances: [Balance]) -> [Balance] {
    let (shadows, virtual) = (shadowTables, virtualNames)
    return balances.map { balance in
      guard let table = balance.table else { return balance }
      var balance = balance
      balance.shownTable = virtual[table] ?? table
      balance.isInternal = virtual[table] == nil && (table.isReserved || shadows.contains(table))
      return balance
    }
  }
}

extension Balance {
  /// How many rows are lost at most: as many as there are rowids where rows are missing; nil where
  /// the table has no rowids, or nothing tells where it ended.
  package var lostAtMost: Int? {
    switch lost {
    case .none: 0
    case .exactly(let count): count
    case .atLeast(let count): missing.rowIDCount.map { max(count, $0) }
    case .unknown: missing.rowIDCount
    }
  }

  /// What is lost, in words, with the most that it can be.
  package var lossWords: String { lost.words(atMost: lostAtMost) }
}

extension Loss {
  /// The loss in words, with the most that it can be, where that is known.
  package func words(atMost most: Int?) -> String {
    switch (self, most) {
    case (.atLeast(let count), let most?) where most == count: Loss.exactly(count).description
    case (.atLeast, let most?): "\(self), at most \(most),"
    case (.unknown, let most?): "at most \(counted(most, "row"))"
    default: description
    }
  }

  /// The loss when so many rows are known to be gone, by what indexes still hold of them.
  ///
  /// `entries` is how many rows the table had by a sound index over all of them, and `seen` how
  /// many of them could be read. Where the two and the rows known to be gone add up, nothing else
  /// is. Where more are gone than an index counted, that is of another time. Of a table that
  /// `isReadable` as a whole, nothing tells whether it lost rows or the index has entries too many.
  package func refined(gone: Int, seen: Int, entries: [Int], isReadable: Bool = false) -> Loss {
    if entries.contains(seen + gone) {
      return gone == 0 ? .none : isReadable ? .unknown : .exactly(gone)
    }
    switch self {
    case .exactly(let count): return gone > count ? .atLeast(gone) : self
    case .atLeast(let count): return .atLeast(max(count, gone))
    case .none, .unknown: return gone == 0 ? self : isReadable ? .unknown : .atLeast(gone)
    }
  }

  /// How many rows are lost at least; nil where nothing tells.
  package var least: Int? {
    switch self {
    case .exactly(let count), .atLeast(let count): count
    case .none, .unknown: nil
    }
  }

  /// The loss when so many rows more could not be read again.
  package func adding(_ unread: Int) -> Loss {
    guard unread > 0 else { return self }
    return switch self {
    case .none: .atLeast(unread)
    case .exactly(let count), .atLeast(let count): .atLeast(count + unread)
    case .unknown: self
    }
  }

  /// The loss when so many rows of it have come back.
  package func reduced(by restored: Int) -> Loss {
    switch self {
    case .none, .unknown: self
    case .exactly(let count): count > restored ? .exactly(count - restored) : .none
    case .atLeast(let count):
      restored == 0 ? self : count > restored ? .atLeast(count - restored) : .unknown
    }
  }
}
