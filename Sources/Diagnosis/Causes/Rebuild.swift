// SPDX-License-Identifier: Apache-2.0
// Tables that were being rebuilt by hand: the rows lie in a table with a name of passage, and the one
// that should have them is empty or not there.

import SQLiteFormat

/// A table that was being rebuilt, half-way.
struct Rebuild {
  /// The table that should have the rows.
  let table: Name
  /// The one that has them.
  let left: Name
  /// How many they are.
  let rows: Int
  /// What names one of the two, where the first is not there.
  var user: Name?
  /// Whether that is the one that has the rows.
  var isLeftNamed = false
  /// How sure it is.
  let confidence: Confidence

  /// Looks for one in a sound database; nil for none.
  init?(in survey: Survey) {
    let tables = survey.userTables
    let names =
      RebuildName.usual.map { ($0, Confidence.likely) }
      + RebuildName.copies.map { ($0, Confidence.possible) }
    for left in tables.keys.sorted() {
      for (name, confidence) in names {
        if let table = name.table(of: left), let found = Self(table, left, confidence, in: survey) {
          self = found
          return
        }
      }
    }
    return nil
  }

  private init?(_ table: Name, _ left: Name, _ confidence: Confidence, in survey: Survey) {
    let tables = survey.userTables
    guard table != left, let rows = tables[left]?.records, rows > 0, let schema = survey.schema
    else { return nil }
    (self.table, self.left, self.rows, self.confidence) = (table, left, rows, confidence)
    let description = schema.parsed.description
    if let empty = tables[table] {
      guard empty.records == 0, let own = schema.table(named: left)?.columns,
        let others = schema.table(named: table)?.columns
      else { return nil }
      let shared = Set(own.map(\.name)).intersection(others.map(\.name))
      guard shared.count >= 2, shared.count == min(own.count, others.count) else { return nil }
      return
    }
    guard confidence > .possible, !description.views.contains(where: { $0.name == table }) else {
      return nil
    }
    // SQLite writes the new name of a table that is renamed into what refers to it.
    if let user = description.users(of: table).first {
      self.user = user
    } else if let user = description.tables.first(where: { $0.name != left && $0.refers(to: left) })
    {
      (self.user, isLeftNamed) = (user.name, true)
    } else {
      return nil
    }
  }
}

extension TableDescription {
  /// Whether a foreign key of the table leads to another one.
  fileprivate func refers(to table: Name) -> Bool { foreignKeys.contains { $0.table == table } }
}

extension NamedSQL {
  /// The words before the name of a table: elsewhere, it may be that of a column.
  private static let before = ["from", "join", "into", "update"]
  /// The words that can stand there as well.
  private static let others: Set<Name> = ["of", "or", "on", "set", "select", "values"]

  /// The tables that a view or trigger names, as far as they are in this database for sure.
  fileprivate var tablesNamed: [Name] {
    let tokens = SQLTokens(parsing: sql).tokens
    let own = tokens.indices.filter { index in
      tokens[index...].dropFirst().first?.isWord("as") == true
        || tokens[index...].dropFirst().first == .symbol("(")
    }.compactMap { tokens[$0].asName }
    return tokens.indices.dropFirst().compactMap { index in
      guard Self.before.contains(where: { tokens[index - 1].isWord($0) }),
        index < 2 || !tokens[index - 2].isWord("distinct"), let name = tokens[index].asName,
        tokens[index...].dropFirst().first != .symbol("."), !Self.others.contains(name)
      else { return nil }
      return own.contains(name) ? nil : name
    }
  }
}

extension SchemaDescription {
  /// The tables that refer to another one, and the views and triggers that name it.
  func users(of table: Name) -> [Name] {
    tables.filter { $0.name != table && $0.refers(to: table) }.map(\.name)
      + (views + triggers).filter { $0.tablesNamed.contains(table) }.map(\.name)
  }

  /// All that tables refer to, and that views and triggers name.
  var tablesUsed: Set<Name> {
    Set(tables.flatMap { $0.foreignKeys.map(\.table) } + (views + triggers).flatMap(\.tablesNamed))
  }

  /// A view or trigger with a table that it names and that is not among those that are there; nil
  /// for none.
  func namesWithoutTable(besides present: Set<Name>) -> (user: Name, table: Name)? {
    for user in views + triggers {
      // Modules have tables that no schema shows.
      let missing = user.tablesNamed.first { name in
        !present.contains(name) && !name.isReserved && name != "dbstat"
          && !name.text.lowercased().hasPrefix("pragma_") && name != "new" && name != "old"
      }
      if let missing { return (user.name, missing) }
    }
    return nil
  }
}
