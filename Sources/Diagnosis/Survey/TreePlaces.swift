// SPDX-License-Identifier: Apache-2.0
// Where among many trees or tables those of a name are: a schema can have a hundred thousand.

import SQLiteFormat

/// Where in a list the things of each name are; of several with one name, the first.
struct NamePlaces: Sendable {
  private var places: [Name: Int] = [:]

  /// Takes in a list of names.
  init(_ names: some Sequence<Name>) {
    for (place, name) in names.enumerated() where places[name] == nil { places[name] = place }
  }

  /// The place of the first with a name.
  subscript(name: Name) -> Int? { places[name] }
}

/// Where among the trees of a survey those of a name are.
struct TreePlaces: Sendable {
  /// The trees of tables, or where there is none of a name, of indexes.
  private let all: NamePlaces
  /// The trees of indexes.
  private var indexes: [Name: Int] = [:]
  /// The trees of the indexes over a table.
  private var byTable: [Name: [Int]] = [:]
  /// The first tree of each entry of the schema table, where another tree of its name comes first.
  private var others: [SchemaEntry: Int] = [:]

  init(_ trees: [TreeSurvey]) {
    all = NamePlaces(trees.map(\.entry.name))
    for (place, tree) in trees.enumerated() where tree.entry.kind == .index {
      if indexes[tree.entry.name] == nil { indexes[tree.entry.name] = place }
      byTable[tree.entry.table, default: []].append(place)
    }
    for (place, tree) in trees.enumerated() where all[tree.entry.name] != place {
      if others[tree.entry] == nil { others[tree.entry] = place }
    }
  }

  /// The first tree of a name, tables first.
  subscript(name: Name) -> Int? { all[name] }

  /// The first tree of an entry that is not the first of its name.
  func other(_ entry: SchemaEntry) -> Int? { others[entry] }

  /// The tree of an index.
  func index(named name: Name) -> Int? { indexes[name] }

  /// The trees of the indexes over a table.
  func indexes(of table: Name) -> [Int] { byTable[table] ?? [] }
}
