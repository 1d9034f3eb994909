// SPDX-License-Identifier: Apache-2.0
// Which of two rows with one key stays when databases are merged, and which keys give way.

import Diagnosis
import SQLiteFormat

/// Which of two rows with one key stays when databases are merged, and which keys give way.
public struct MergePolicy: Hashable, Sendable {
  /// Whose row stays where nothing else decides.
  public enum Preference: String, Hashable, Sendable, CaseIterable {
    /// That of the newer input, which is the later one.
    case new
    /// That of the older input.
    case old
  }

  /// Whose row stays where nothing else decides.
  public var preference = Preference.new
  /// Columns whose larger value tells the newer row: `COLUMN` for every table that has it, or
  /// `TABLE.COLUMN`.
  public var newerBy: [String] = []
  /// Tables whose rows of older inputs get new keys where another row has theirs.
  public var renumbered: [String] = []
  /// Whether that is every table with an integer key of its own.
  public var renumbersAll = false

  /// Makes the policy that holds where nothing is said: the row of the newer input stays.
  public init() {}
}

/// A policy as it applies to the tables that there are.
struct MergeRules {
  let prefersOld: Bool
  /// The tables whose rows get new keys.
  let renumbered: Set<Name>
  private var clocks: [Name: Name] = [:]

  /// Applies a policy.
  ///
  /// - Throws: ``RescueError`` of the kind `.usage` for a table or column that is not there.
  init(_ policy: MergePolicy, _ tables: [TableDescription]) throws(RescueError) {
    prefersOld = policy.preference == .old
    let own = Set(tables.filter(\.hasKeyOfItsOwn).map(\.name))
    var renumbered = policy.renumbersAll ? own : []
    for text in policy.renumbered {
      guard let table = tables.first(where: { $0.name == Name(text) }) else {
        throw Self.unknown("there is no table '\(text)' to renumber")
      }
      guard own.contains(table.name) else {
        throw Self.unknown(
          "'\(table.name)' has no integer key of its own that could be renumbered")
      }
      renumbered.insert(table.name)
    }
    self.renumbered = renumbered
    for text in policy.newerBy { try addClock(text, tables) }
  }

  /// The column that tells the newer row of a table; nil where there is none.
  func clock(of table: Name) -> Name? { clocks[table] }

  /// What names one table counts more than what names a column of all.
  private mutating func addClock(
    _ text: String, _ tables: [TableDescription]
  ) throws(RescueError) {
    for dot in text.indices where text[dot] == "." {
      let (table, column) = (Name(text[..<dot]), Name(text[text.index(after: dot)...]))
      if tables.contains(where: { $0.name == table && $0.holds(column) }) {
        clocks[table] = column
        return
      }
    }
    let having = tables.filter { $0.holds(Name(text)) }
    guard !having.isEmpty else {
      throw Self.unknown("no table has a column '\(text)' that could tell the newer row")
    }
    for table in having where clocks[table.name] == nil { clocks[table.name] = Name(text) }
  }

  private static func unknown(_ message: String) -> RescueError {
    RescueError(
      .usage, message, meaning: "nothing was written",
      advice: "look at the tables of the newest input: dbrescue contract capture FILE")
  }
}

extension TableDescription {
  /// Whether rows are known by an integer that refers to no other table.
  var hasKeyOfItsOwn: Bool {
    guard kind == .ordinary, let key = rowIDColumn else { return false }
    return !foreignKeys.contains { $0.columns.contains(key) }
  }

  fileprivate func holds(_ column: Name) -> Bool {
    columns.contains { $0.name == column && $0.generated != .virtual }
  }
}
