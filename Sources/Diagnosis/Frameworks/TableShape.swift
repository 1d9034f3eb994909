// SPDX-License-Identifier: Apache-2.0
// How a table of a framework looks, and the tables of a database that look so.

import SQLiteFormat

/// Tables by their folded name, with their folded columns.
struct TableCatalogue {
  struct Table {
    let name: Name
    let columns: Set<Name>
  }

  let tables: [Table]
  private let byName: [Name: [Int]]

  init(_ descriptions: [(name: Name, columns: [Name])]) {
    tables = descriptions.map { description in
      Table(name: description.name, columns: Set(description.columns))
    }
    byName = Dictionary(grouping: tables.indices) { [tables] in tables[$0].name }
  }

  /// The names of the tables that fit all the shapes, and have the rows that these ask for; nil
  /// unless each shape is found.
  func tables(
    matching shapes: [TableShape], where hasRow: (Name, RowCondition) -> Bool
  ) -> [Name]? {
    var found: [Name] = []
    for shape in shapes {
      let names = tables(matching: shape).map(\.name).filter { name in
        shape.rows.allSatisfy { hasRow(name, $0) }
      }
      if names.isEmpty { return nil }
      found += names
    }
    return found
  }

  /// The tables that fit a shape, in the order of the file.
  func tables(matching shape: TableShape) -> [Table] {
    let candidates =
      switch shape.name {
      case .exactly(let name): (byName[name] ?? []).map { tables[$0] }
      case .prefix(let prefix): tables.filter { $0.name.hasPrefix(prefix) }
      case .any: tables
      }
    return candidates.filter { shape.fits($0.columns) }
  }
}

/// What a table must look like: its name, and the columns it must have.
struct TableShape: Sendable {
  enum Pattern: Sendable {
    case exactly(Name)
    case prefix(Name)
    case any
  }

  /// The name.
  let name: Pattern
  /// The columns that must be there.
  let columns: Set<Name>
  /// Whether other columns rule the table out.
  let isComplete: Bool
  /// Conditions for each of which there must be a row.
  var rows: [RowCondition] = []

  init(_ name: Name, _ columns: Set<Name>, complete: Bool = false, rows: [RowCondition] = []) {
    self.init(name: .exactly(name), columns, complete: complete)
    self.rows = rows
  }

  init(name: Pattern, _ columns: Set<Name>, complete: Bool = false) {
    self.name = name
    self.columns = columns
    isComplete = complete
  }

  func fits(_ other: Set<Name>) -> Bool {
    isComplete ? columns == other : columns.isSubset(of: other)
  }
}
