// SPDX-License-Identifier: Apache-2.0
// Where the rows lie that people have in a table, and how they become its columns: those of a
// virtual table lie in tables that its module made, under other names.

package import SQLiteFormat

/// The rows that people have in a table, as records of a tree.
struct RowSource: Sendable {
  /// Where a column of a row is.
  private enum Place: Hashable {
    /// Among the stored columns of the tree.
    case stored(Int)
    /// Among the coordinates of an R-tree.
    case region(Int)
  }

  /// The columns, as the table has them.
  let columns: [Name]
  /// The columns of the key: the one that is the rowid, or the primary key of a table without rowids;
  /// none where rowids have no name.
  let keyNames: [Name]
  /// The columns of a primary key beside which rows have rowids without a name.
  let declaredKey: [Name]
  /// Whether rows have an id that is in no column: those of full-text tables.
  let hasHiddenID: Bool
  /// Whether the key is a part of what rows hold, and no number that they were given.
  var hasNaturalKey: Bool { shape.withoutRowID }
  private let places: [Place]
  private let shape: RowShape
  private let regions: Regions?

  /// Finds out how the records of a tree become rows of a table; nil where its statement cannot be
  /// parsed.
  init?(of name: Name, _ tree: TreeSurvey, in survey: Survey) {
    guard let shape = survey.schema?.shape(ofTable: tree.entry.name) else { return nil }
    if let table = survey.virtualTables.first(where: { $0.name == name }),
      table.rowPart?.name == tree.entry.name, let description = survey.schema?.table(named: name)
    {
      self.init(of: table, description.columns.map(\.name), shape, in: survey)
      return
    }
    let declared = survey.schema?.table(named: tree.entry.name)?.columns ?? []
    let key = declared.filter { $0.primaryKeyPosition > 0 }.map(\.name)
    let rowID = shape.stored.filter(\.isRowID).map(\.name)
    self.init(
      shape, columns: shape.stored.map(\.name), places: shape.stored.indices.map { .stored($0) },
      keyNames: shape.withoutRowID ? key : rowID,
      declaredKey: shape.withoutRowID || !rowID.isEmpty ? [] : key)
  }

  private init(
    _ shape: RowShape, columns: [Name], places: [Place], keyNames: [Name],
    declaredKey: [Name] = [], hasHiddenID: Bool = false, regions: Regions? = nil
  ) {
    self.columns = columns
    self.keyNames = keyNames
    self.declaredKey = declaredKey
    self.hasHiddenID = hasHiddenID
    self.places = places
    self.shape = shape
    self.regions = regions
  }

  /// The rows of a virtual table that keeps them itself.
  private init(
    of table: VirtualTable, _ columns: [Name], _ shape: RowShape, in survey: Survey
  ) {
    // The node of an R-tree that a row lies in is nobody's business.
    let own = shape.stored.indices.filter {
      !shape.stored[$0].isRowID && (table.isFullText || shape.stored[$0].name != "nodeno")
    }
    var named: [(name: Name, place: Place)] = []
    var regions: Regions?
    if table.isRegions, let id = columns.first,
      let place = shape.stored.firstIndex(where: \.isRowID)
    {
      named.append((id, .stored(place)))
      let coordinates = columns.dropFirst().dropLast(own.count)
      regions = Regions(of: table, count: coordinates.count, in: survey)
      named += coordinates.enumerated().map { ($1, .region($0)) }
    }
    let names = table.partNames(of: columns.dropFirst(named.count))
    named += own.map { place in
      let name = shape.stored[place].name
      return (names[name] ?? name, .stored(place))
    }
    self.init(
      shape, columns: named.map(\.name), places: named.map(\.place),
      keyNames: table.isRegions ? Array(columns.prefix(1)) : ["rowid"],
      hasHiddenID: !table.isRegions, regions: regions)
  }

  /// What a record holds for a column, by its place among them.
  func content(
    at index: Int, of fields: [Record.Field], rowID: Int64?
  ) -> RowShape.Content {
    switch places[index] {
    case .stored(let place): shape.content(at: place, of: fields, rowID: rowID)
    case .region(let index): .value(regions?.value(index, of: rowID) ?? .null)
    }
  }
}

extension VirtualTable {
  /// The part with a record for each row that people have in the table; nil where it has no rows of
  /// its own.
  package var rowPart: Part? {
    isFullText ? part("content") : part("rowid")
  }

  /// The names of columns by those that the part with the rows has for them.
  func partNames(of columns: ArraySlice<Name>) -> [Name: Name] {
    let names = columns.enumerated().map { index, column in
      switch module {
      case "fts5": (Name("c\(index)"), column)
      case "fts3", "fts4": (Name("c\(index)\(column)"), column)
      default: (Name("a\(index)"), column)
      }
    }
    return Dictionary(names, uniquingKeysWith: { first, _ in first })
  }
}

extension Survey {
  /// The tables in which virtual tables keep their rows; not one that an app made itself for their
  /// texts.
  package var shadowTables: Set<Name> {
    Set((schema?.parsed.description.tables ?? []).filter { $0.kind == .shadow }.map(\.name))
      .subtracting(virtualTables.compactMap { $0.hasOwnContent ? nil : $0.contentTable })
  }

  /// The virtual tables that keep rows themselves, by the parts with those.
  package var virtualNames: [Name: Name] {
    Dictionary(
      virtualTables.compactMap { table in table.rowPart.map { ($0.name, table.name) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The trees that hold users' rows, by the table that people know: of a virtual one that keeps its
  /// rows itself, the tree of the part with them; neither SQLite's own nor the others behind
  /// virtual tables.
  package var userTables: [Name: TreeSurvey] {
    let shadows = shadowTables
    let tables = trees.filter { tree in
      let name = tree.entry.name
      return tree.entry.kind == .table && !name.isReserved && !shadows.contains(name)
    }
    let virtual = virtualNames.compactMap { part, table in
      tree(named: part).map { (table, $0) }
    }
    return Dictionary(
      tables.map { ($0.entry.name, $0) } + virtual, uniquingKeysWith: { first, _ in first })
  }
}
