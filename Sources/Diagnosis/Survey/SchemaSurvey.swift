// SPDX-License-Identifier: Apache-2.0
// The schema that a file states: its entries, and what SQLite makes of their SQL.

package import SQLiteFormat

/// A statement of a schema that was not accepted.
package struct RefusedStatement: Hashable, Sendable {
  /// What a refusal says of the file.
  package enum Weight: Hashable, Sendable {
    /// The statement is not the declaration of one object: nobody who uses SQLite writes such a row.
    case noDeclaration
    /// SQLite cannot make anything of the statement.
    case unreadable
    /// SQLite accepts the statement, and the rows of its table are not such as it declares.
    case refuted
    /// The statement goes beyond what is looked at here; SQLite may read it.
    case unchecked
  }

  /// The table, index, view or trigger that it should have declared.
  package let name: Name
  /// Why, in SQLite's words; no part of the statement.
  package let reason: String
  /// What that says of the file.
  package let weight: Weight

  /// Makes a refusal.
  package init(name: Name, reason: String, weight: Weight) {
    self.name = name
    self.reason = reason
    self.weight = weight
  }
}

/// What SQLite makes of the SQL of a schema.
package struct ParsedSchema: Sendable {
  /// The objects that were accepted.
  package let description: SchemaDescription
  /// The statements that were not.
  package var refused: [RefusedStatement]
  /// The value of every column's DEFAULT, by table; text in UTF-8.
  package var defaults: [Name: [Value]]
  /// The virtual tables, with what is known of where their rows are.
  package let virtualTables: [VirtualTable]
  private let tablePlaces: NamePlaces
  private let indexPlaces: [Name: (table: Int, index: Int)]

  /// Makes a parsed schema.
  package init(
    description: SchemaDescription, refused: [RefusedStatement], defaults: [Name: [Value]],
    virtualTables: [VirtualTable] = []
  ) {
    self.description = description
    self.refused = refused
    self.defaults = defaults
    self.virtualTables = virtualTables
    tablePlaces = NamePlaces(description.tables.map(\.name))
    var indexPlaces: [Name: (table: Int, index: Int)] = [:]
    for (place, table) in description.tables.enumerated() {
      for (number, index) in table.indexes.enumerated() where indexPlaces[index.name] == nil {
        indexPlaces[index.name] = (place, number)
      }
    }
    self.indexPlaces = indexPlaces
  }

  /// The description of a table, by name.
  package func table(named name: Name) -> TableDescription? {
    tablePlaces[name].map { description.tables[$0] }
  }

  /// The description of an index of a table, by name.
  package func index(named name: Name, of table: Name) -> IndexDescription? {
    guard let place = indexPlaces[name], description.tables[place.table].name == table else {
      return nil
    }
    return description.tables[place.table].indexes[place.index]
  }
}

/// Whoever can parse the SQL of a schema without executing anything else of it.
package protocol SchemaParsing: Sendable {
  /// Parses the statements of a schema; what cannot be parsed is listed, never thrown.
  func parse(_ entries: [SchemaEntry]) -> ParsedSchema

  /// Makes ready to compute what follows from the rows of a table by expressions of its schema.
  func computation(for table: ComputedTable) -> any RowComputation
}

/// Where an entry of a schema comes from, the most trustworthy first.
package enum SchemaSource: String, Hashable, Sendable, CaseIterable {
  /// The schema table.
  case schemaTable
  /// A page of the schema table that its tree no longer leads to.
  case orphanPage
  /// A row on a page of the schema table that does not prove it to be in use, and whose tree does.
  case doubtfulCell
  /// A copy of the schema table in a journal, or under one, of another time.
  case otherTime
  /// Statements of the schema table in which some characters were others, put right as the rows of
  /// their tables bear out.
  case mended
  /// The schema that was given from outside: a contract, a script, a backup.
  case expected
}

/// The schema that a file states, and where that is damaged, what else tells of it.
package struct SchemaSurvey: Sendable {
  /// The rows of the schema table that can be read, and what other sources add to them.
  package let entries: [SchemaEntry]
  /// How many entries each source gave.
  package let sources: [SchemaSource: Int]
  /// The tree of the schema table itself.
  package let tree: TreeSurvey
  /// Rows of the schema table that are none.
  package let misfits: FaultList
  /// Rows of the schema table that SQLite refuses, whatever their statements say.
  let rowFaults: [SchemaRowFault]
  /// What SQLite makes of the entries' SQL.
  package let parsed: ParsedSchema
  /// The encoding of names and SQL.
  package let encoding: TextEncoding
  /// The page on which the schema table declares each object.
  let rowPages: [Name: PageNumber]
  /// The places of the tables among those of the schema that was given: the order in which they were
  /// made, it may be.
  let order: [Name: Int]
  /// How many objects have the root that they have where the given schema was made at once.
  package let rootsInOrder: Int

  /// The description of a table, by name.
  package func table(named name: Name) -> TableDescription? {
    parsed.table(named: name)
  }

  /// The place of the row that declares an object.
  func place(of name: Name) -> Finding.Place {
    .init(page: rowPages[name], object: name.text)
  }

  /// Whether the schema table can be read whole, so that no table can have gone unseen.
  package var isWhole: Bool { tree.isReadable && misfits.isEmpty }

  /// Whether every table is known, be it from outside.
  var namesEveryTable: Bool { isWhole || sources[.expected] != nil }

  /// The entries whose name or statement holds bytes that are no text.
  package var entriesWithoutText: [SchemaEntry] { entries.filter(\.hasStandIn) }

  /// What becomes of an entry whose name or statement holds bytes that are no text.
  package func remark(onTextOf entry: SchemaEntry) -> String {
    "the schema row of '\(entry.name)' is not valid \(encoding.name): a salvage writes other "
      + "characters in the place of what is no text"
  }

  /// How records of a table become rows; nil when its SQL cannot be parsed.
  package func shape(ofTable name: Name) -> RowShape? {
    table(named: name).map {
      RowShape($0, defaults: parsed.defaults[name] ?? [], encoding: encoding)
    }
  }
}

extension SchemaSurvey {
  /// The order of an index's entries, or of a WITHOUT ROWID table's rows, as far as it is known;
  /// nil where the schema says nothing of it.
  ///
  /// Before schema format 4, DESC had no meaning.
  func keyOrder(of entry: SchemaEntry, schemaFormat: UInt32) -> KeyOrder? {
    guard let table = table(named: entry.table),
      let index = entry.kind == .index
        ? parsed.index(named: entry.name, of: table.name)
        : table.indexes.first(where: { $0.origin == .primaryKey })
    else { return nil }
    // What a constraint's index adds of the table's key ascends, whatever the key does; an index of
    // CREATE INDEX has it in the key's own order.
    let added = entry.kind == .index ? table.keyColumns(addedTo: index) : []
    let directions =
      index.columns.map(\.descending) + added.map { index.origin == .created && $0.descending }
    var columns: [KeyOrder.Column] = []
    for (column, isDescending) in zip(index.columns + added, directions) {
      guard let collation = KeyOrder.Collation(column.collation) else {
        return KeyOrder(columns)
      }
      columns.append(
        KeyOrder.Column(
          collation, encoding, isDescending: isDescending && schemaFormat >= 4))
    }
    let uniqueCount = entry.kind == .table || index.unique ? index.columns.count : nil
    // An entry for a table with rowids ends with the rowid.
    return KeyOrder(
      table.withoutRowID ? columns : columns + [KeyOrder.Column()], uniqueCount: uniqueCount)
  }

  /// What of a table only SQLite can compute; nil where that is nothing.
  func computedTable(
    _ table: TableDescription, _ shape: RowShape, besides computableIndexes: [IndexShape]
  ) -> ComputedTable? {
    guard table.isStored else { return nil }
    let computable = Set(computableIndexes.map(\.name))
    let indexes = table.indexes.filter { index in
      !computable.contains(index.name) && !(table.withoutRowID && index.origin == .primaryKey)
    }
    let columns = table.columns.compactMap { column in
      ComputedTable.RuledColumn(column, isStrict: table.strict)
    }
    guard !indexes.isEmpty || !columns.isEmpty || !table.checks.isEmpty else { return nil }
    return ComputedTable(
      description: table, shape: shape, encoding: encoding,
      keys: indexes.map { index in
        ComputedTable.Key(index: index, columns: index.columns + table.keyColumns(addedTo: index))
      }, ruledColumns: columns)
  }

  /// The indexes over a table whose entries can be computed from its records.
  ///
  /// Left out: partial indexes and indexes on expressions or virtual columns, whose
  /// entries only SQLite can compute.
  func computableIndexes(of table: TableDescription, _ shape: RowShape) -> [IndexShape] {
    indexShapes(of: table, shape) { $0.predicate == nil }
  }

  /// The partial indexes over a table whose entries can be computed from those records that SQLite
  /// finds to be in them.
  func partialIndexes(of table: TableDescription, _ shape: RowShape) -> [IndexShape] {
    indexShapes(of: table, shape) { $0.predicate != nil }
  }

  private func indexShapes(
    of table: TableDescription, _ shape: RowShape, where isWanted: (IndexDescription) -> Bool
  ) -> [IndexShape] {
    let places = NamePlaces(table.indexes.isEmpty ? [] : shape.stored.map(\.name))
    return table.indexes.compactMap { index in
      guard isWanted(index) else { return nil }
      // The primary key of a WITHOUT ROWID table is the table itself.
      guard !table.withoutRowID || index.origin != .primaryKey else { return nil }
      let fields = fields(of: index, over: table, shape, places)
      let known = fields.compactMap(\.self)
      guard known.count == fields.count else { return nil }
      return IndexShape(name: index.name, fields: table.withoutRowID ? known : known + [.rowID])
    }
  }

  /// Where the fields of an index's entries come from, but for the rowid at their end; nil for
  /// expressions and virtual columns.
  func fields(
    of index: IndexDescription, over table: TableDescription, _ shape: RowShape,
    _ places: NamePlaces
  ) -> [IndexShape.Field?] {
    (index.columns + table.keyColumns(addedTo: index)).map { column in
      column.name.flatMap { places[$0] }.map(shape.indexField)
    }
  }
}

extension RowShape {
  /// The shape of a described table's records.
  package init(_ table: TableDescription, defaults: [Value], encoding: TextEncoding) {
    let columns = table.storageOrder.filter { table.columns.indices.contains($0) }.map { index in
      let column = table.columns[index]
      let defaultValue = index < defaults.count ? defaults[index] : .null
      let affinity = Affinity(declaredType: column.type, strict: table.strict)
      return Column(
        name: column.name, affinity: affinity, isRowID: table.rowIDAlias == index,
        defaultValue: encoding.reencoded(defaultValue),
        classes: StorageClasses(
          affinity, declaredType: column.type, strict: table.strict, notNull: column.notNull))
    }
    self.init(stored: columns, withoutRowID: table.withoutRowID, encoding: encoding)
  }
}

extension TextEncoding {
  /// A value whose text is in UTF-8, with its text in this encoding.
  fileprivate func reencoded(_ value: Value) -> Value {
    guard self != .utf8, let text = value.utf8String else { return value }
    return .text(bytes(text))
  }
}
