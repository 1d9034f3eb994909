// SPDX-License-Identifier: Apache-2.0
// The account of a salvage while it goes on: what has become of every row so far.

import Diagnosis
import SQLiteFormat

/// A table that was loaded, and the place of its account.
struct LoadedTable {
  let plan: TablePlan
  let balance: Int
}

/// A table that lost rows, and what is known of where they were.
struct LossyTable {
  /// How its own rows were read; nil for a table that the damaged file does not name any more.
  let plan: TablePlan?
  /// The table in the fresh schema.
  let wanted: TableDescription
  /// The place of its account.
  let balance: Int
  let evidence: LossEvidence

  init(_ table: LoadedTable, _ evidence: LossEvidence) {
    plan = table.plan
    wanted = table.plan.wanted
    balance = table.balance
    self.evidence = evidence
  }

  /// A table of which nothing was found.
  init(unseen wanted: TableDescription, balance: Int) {
    plan = nil
    self.wanted = wanted
    self.balance = balance
    let gap: Gap = wanted.withoutRowID ? .keys(nil, nil) : .rowIDs(nil, nil)
    evidence = LossEvidence(gaps: [gap], isExact: false)
  }

  /// The table's name in the damaged file.
  var name: Name { plan?.name ?? wanted.name }
}

/// What is known of where the lost rows of a table were.
struct LossEvidence {
  /// The stretches of the table that are gone.
  let gaps: [Gap]
  /// Whether a sound index names every lost row.
  let isExact: Bool
}

/// What a salvage knows of its tables, from the first that it reads to its report.
struct SalvageLedger {
  /// What became of the rows of each table; what else is said of a table names its place here.
  var balances: [Balance] = []
  /// What became of the rows without a table.
  var orphans = Balance(table: nil)
  /// The tables that have their rows.
  var loaded: [LoadedTable] = []
  /// Those of them that have lost rows, and those that should be there and were not found.
  var lossy: [LossyTable] = []
  /// The rows that came from backups.
  var origins: [RestoredRows] = []
  /// What else should be known.
  var notes: [String]

  /// Whether every row that a table had is in the fresh one.
  func isWhole(_ table: Name) -> Bool {
    loaded.contains { loaded in
      let balance = balances[loaded.balance]
      return loaded.plan.wanted.name == table && balance.isComplete
        && balance.written == balance.seen
    }
  }

  /// The tables whose rows SQLite counts in the end, and the places of their accounts.
  var counted: [(table: Name, balance: Int)] {
    loaded.filter { !$0.plan.isShadow }.map { ($0.plan.wanted.name, $0.balance) }
      + lossy.filter { $0.plan == nil }.map { ($0.wanted.name, $0.balance) }
  }

  /// What should be known of how the tables were mapped.
  var remarks: [String] { loaded.flatMap { $0.plan.remarks(on: balances[$0.balance]) } }
}
