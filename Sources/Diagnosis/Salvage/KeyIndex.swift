// SPDX-License-Identifier: Apache-2.0
// The indexes of a table as keepers of its keys: an entry whose row is gone still holds its key.

package import SQLiteFormat

/// An index whose entries name the rows of its table.
package struct KeyIndex: Sendable {
  /// The index.
  package let name: Name
  /// Whether the index is sound and covers every row, so that it also tells which rows there are.
  package let isComplete: Bool
  /// How many entries can be read.
  package let entryCount: Int

  private let tree: TreeSurvey
  /// For each field of an entry its position in the table's record; nil where it has none.
  private let fields: [Int?]
  /// The position of the column that is the rowid under another name.
  private let rowIDField: Int?
  private let hasRowIDs: Bool
  private let order: KeyOrder?

  fileprivate init?(
    _ tree: TreeSurvey, _ index: IndexDescription, over table: TableSurvey, schema: SchemaSurvey,
    order: KeyOrder?
  ) {
    guard tree.pages > 0 else { return nil }
    let fields = schema.fields(
      of: index, over: table.description, table.shape,
      NamePlaces(table.shape.stored.map(\.name)))
    name = tree.entry.name
    isComplete = index.predicate == nil && tree.isSound
    entryCount = tree.records
    self.tree = tree
    rowIDField = table.shape.stored.firstIndex(where: \.isRowID)
    self.fields = fields.map { field in
      switch field {
      case .stored(let position, _): position
      case .rowID, nil: nil
      }
    }
    hasRowIDs = !table.description.withoutRowID
    self.order = order
  }

  /// Reads the entries that can be read and are in their place, until `body` throws.
  package func scan(_ image: Image, _ body: (Entry) throws -> Void) rethrows {
    guard let root = tree.root else { return }
    var claims = PageClaims(pageCount: image.pageCount)
    var scan = TreeScan(image, root: root, isTable: false, owner: .tree(0))
    var watch = order.map { OrderWatch($0) }
    try scan.run(&claims) { event in
      switch event {
      case .page(let visit):
        watch?.turn(to: visit.page, isSound: visit.content.layoutFault == nil)
      case .record(let stored):
        guard watch?.accepts(stored.record) ?? true, let entry = entry(stored) else { break }
        try body(entry)
      case .doubtful, .cellFault, .misplaced, .pageFault: break
      }
      return true
    }
  }

  /// An entry of an index: what it says of a row.
  package struct Entry: Sendable {
    /// The row's rowid; nil where the table has none.
    package let rowID: Int64?
    private let index: KeyIndex
    private let stored: StoredRecord

    fileprivate init(rowID: Int64?, _ stored: StoredRecord, _ index: KeyIndex) {
      self.rowID = rowID
      self.stored = stored
      self.index = index
    }

    /// What the entry holds of the row.
    package var partialRow: PartialRow {
      var values: [(field: Int, value: Value)] = []
      for (place, field) in index.fields.enumerated() {
        guard let field, !values.contains(where: { $0.field == field }) else { continue }
        values.append((field, stored.record.value(place) ?? .null))
      }
      // The record of a row has NULL where the rowid stands.
      if let field = index.rowIDField { values.append((field, .null)) }
      return PartialRow(
        source: .index(index.name), rowID: rowID,
        values: values.sorted { $0.field < $1.field }, cut: nil, fieldCount: nil,
        page: stored.page, offset: stored.offset)
    }
  }

  /// What a record of the tree says; nil when it cannot be an entry of this index.
  private func entry(_ stored: StoredRecord) -> Entry? {
    guard stored.record.fieldCount == fields.count + (hasRowIDs ? 1 : 0) else { return nil }
    guard hasRowIDs else { return Entry(rowID: nil, stored, self) }
    guard let rowID = stored.record.value(fields.count)?.integerValue else { return nil }
    return Entry(rowID: rowID, stored, self)
  }
}

/// A table of a survey with what its schema says of it.
package struct TableSurvey: Sendable {
  /// Its tree.
  package let tree: TreeSurvey
  /// What its statement says.
  package let description: TableDescription
  /// How its records become rows.
  package let shape: RowShape
}

extension Survey {
  /// A table with what its statement says; nil when that cannot be parsed.
  package func table(of tree: TreeSurvey) -> TableSurvey? {
    guard let schema, let description = schema.table(named: tree.entry.name),
      let shape = schema.shape(ofTable: tree.entry.name)
    else { return nil }
    return TableSurvey(tree: tree, description: description, shape: shape)
  }

  /// The indexes over a table that can be read at least in part: their entries may outlast the rows.
  package func keyIndexes(for table: TableSurvey) -> [KeyIndex] {
    guard let schema else { return [] }
    return treePlaces.indexes(of: table.description.name).compactMap { place -> KeyIndex? in
      let tree = trees[place]
      let name = tree.entry.name
      return schema.parsed.index(named: name, of: table.description.name).flatMap { index in
        KeyIndex(tree, index, over: table, schema: schema, order: keyOrder(of: tree))
      }
    }
  }
}

extension TableDescription {
  /// How many of the first stored columns are the primary key of a WITHOUT ROWID table.
  package var storedKeyCount: Int {
    guard withoutRowID else { return 0 }
    return storageOrder.prefix {
      columns.indices.contains($0) && columns[$0].primaryKeyPosition > 0
    }
    .count
  }
}
