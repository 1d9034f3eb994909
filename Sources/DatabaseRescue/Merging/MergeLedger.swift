// SPDX-License-Identifier: Apache-2.0
// The account of a merge while it goes on: what has become of every row of every input.

import Diagnosis
import SQLiteFormat

/// The account of a merge.
struct MergeLedger {
  /// What became of the rows of one table of one input.
  struct Cell: Hashable, Sendable {
    /// Rows that could be read.
    var seen = 0
    /// Rows that are in the result.
    var taken = 0
    /// Rows that are there already, value for value.
    var identical = 0
    /// Rows set aside because another one with the same key stays.
    var conflicts = 0
    /// Rows set aside because a constraint of the result refuses them, perhaps beside the others.
    var refused = 0
    /// Rows set aside because what they refer to was.
    var parted = 0
    /// Rows set aside because they could not follow a new key.
    var stuck = 0
    /// Rows set aside because the name of their table is another object's.
    var displaced = 0
    /// Rows set aside when the input was read.
    var doubtful = 0
    /// Of these, rows that were never committed.
    var uncommitted = 0
    /// Of the rows that are in the result, those in whose favour a conflict was decided.
    var won = 0
    /// Conflicts that the column which tells the newer row has decided.
    var byColumn = 0
    /// Rows that have a new key.
    var renumbered = 0
    /// Rows whose references follow new keys.
    var followed = 0
    /// Rows in the result with values that have no column there.
    var leftOut = 0
    /// Rows with a value that the type of its column changes.
    var changed = 0
    /// Lost rows of which a part was kept.
    var partial = 0
    /// Rows that could not be read.
    var lost = Loss.none
    /// Where those can have been.
    var missing = MissingRows()
    /// Whether the result has a row, of another input, wherever one of those can have been.
    var isMadeUpFor = false

    /// Rows set aside, for whatever reason.
    var quarantined: Int { conflicts + refused + parted + stuck + displaced + doubtful }
    /// Whether every row is accounted for once.
    var holds: Bool { seen == taken + identical + quarantined }
    /// Whether every row is in the result with all its values, itself or one that is the same.
    var isComplete: Bool {
      holds && quarantined == uncommitted && leftOut == 0 && changed == 0
        && (lost == .none || isMadeUpFor)
    }
  }

  /// What became of the rows of each table, by input, the oldest first.
  private(set) var cells: [Name: [Cell]] = [:]
  /// The tables, in the order in which they were met.
  private(set) var tables: [Name] = []
  /// The rows whose table is not known, by input.
  private(set) var orphans: [Cell]
  /// Objects that are not in the result.
  var unrestored: [(name: Name, reason: String)] = []
  /// Why there may be more than what is counted.
  var reservations: [String] = []
  /// What else should be known.
  var notes: [String] = []
  /// How many rows refer to a row of an older input that was not there before it came in.
  var adopted = 0
  /// How many rows are noted under the keys that they had.
  var renumbered = 0

  init(inputCount: Int) {
    orphans = Array(repeating: Cell(), count: inputCount)
  }

  /// What became of the rows of a table of an input.
  subscript(table: Name, input: Int) -> Cell {
    get { cells[table]?[input] ?? Cell() }
    set {
      if cells[table] == nil {
        cells[table] = Array(repeating: Cell(), count: orphans.count)
        tables.append(table)
      }
      cells[table]?[input] = newValue
    }
  }

  /// Takes over the account of the salvage of an input.
  mutating func take(_ input: StagedInput, into schema: FreshSchema) {
    let missed = input.addition.missed(of: input.report.balances.compactMap(\.table), in: schema)
    let (virtual, merged) = (input.survey.virtualNames, Set(schema.mergedTables.map(\.name)))
    for balance in input.report.balances {
      guard let table = balance.table else {
        orphans[input.number].add(balance)
        continue
      }
      // Of what is computed anew, nothing is missed; the rows of R-trees are counted by themselves.
      guard missed.contains(table) else {
        if let table = virtual[table], merged.contains(table), balance.leftOut > 0 {
          self[table, input.number].leftOut += balance.leftOut
        }
        continue
      }
      self[table, input.number].add(balance)
      if input.addition.displacedTables.contains(table) {
        self[table, input.number].doubtful -= balance.refused
        self[table, input.number].displaced += balance.refused
      } else if schema.table(named: table) != nil {
        self[table, input.number].doubtful -= balance.refused
        self[table, input.number].refused += balance.refused
      }
    }
    unrestored += input.report.unrestored.filter { new in !unrestored.contains { $0 == new } }
    reservations += input.report.reservations.map { "\(input.label): \($0)" }
    notes += input.report.notes.map { "\(input.label): \($0)" }
  }
}

extension MergeLedger.Cell {
  /// Takes over the account of a salvage: what it wrote is taken until something else is said.
  fileprivate mutating func add(_ balance: Balance) {
    seen += balance.seen
    taken += balance.written
    identical += balance.duplicates
    doubtful += balance.quarantined
    uncommitted += balance.uncommitted
    leftOut += balance.leftOut
    changed += balance.changed
    partial += balance.partial
    lost = balance.lost
    missing = balance.missing
  }
}

extension MergeLedger {
  /// Takes in how many rows refer to others than before, and what is said of them, where there are any.
  mutating func noteAdopted(
    _ count: Value?, of table: MergeTable, by columns: [Name], in label: String, _ words: String
  ) {
    guard let count = count?.integerValue.map({ Int($0) }), count > 0 else { return }
    adopted += count
    let columns = columns.map { "'\($0)'" }.joined(separator: ", ")
    notes.append("\(count.of("row")) of '\(table.name)' of \(label), by \(columns), \(words)")
  }
}
