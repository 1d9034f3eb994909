// SPDX-License-Identifier: Apache-2.0
// Pages of an index that nothing else proves to be one: its entries are parts of rows that are there.
//
//   row of the table       rowid 7 | 'ant' | 3 | 'red'
//   entry of the index     'red' · 'ant' · 7              columns of the row, and its rowid at the end

import SQLiteFormat

/// Pages whose entries are those of an index over a table that has their rows.
struct LeftIndex {
  private let image: Image
  private let root: PageNumber
  private let shape: RowShape
  /// The columns that each field of the entries may be, by their places; empty before the first entry.
  private var columns: [Set<Int>] = []

  /// The most entries that are compared.
  private static let entriesMax = 1 << 18

  /// Whether the pages of a group hold nothing but what the rows of one table hold as well.
  ///
  /// A table that misses pages has those of most entries; none that it has is another one.
  static func holds(_ group: OrphanGroup, beside doubt: Doubtful) -> Bool {
    guard !group.isTable else { return false }
    let entries = group.rowPages.lazy.flatMap { doubt.pages.rows(on: $0, isTable: false) }
    guard entries.count <= entriesMax else { return false }
    return doubt.survey.userTables.values.contains { table in
      guard table.isRowIDTable, let root = table.root,
        let shape = doubt.schema.shape(ofTable: table.entry.name)
      else { return false }
      var index = LeftIndex(image: doubt.image, root: root, shape: shape)
      return index.takesMost(of: entries, missing: table.isReadable ? 0 : missingMax)
    }
  }

  /// How many more entries than others may be those of rows that a table has lost, while they are
  /// looked for.
  private static let missingMax = 64

  /// Whether more entries are parts of rows than those of rows that are not found, and no entry is one of
  /// another row; `surplus` is how many more of the others there may be on the way, none where all have
  /// to be found.
  private mutating func takesMost(
    of entries: some Sequence<StoredRecord>, missing surplus: Int
  ) -> Bool {
    var (found, missing) = (0, 0)
    for entry in entries {
      switch takes(entry) {
      case true?: found += 1
      case false?: return false
      case nil: missing += 1
      }
      guard missing == 0 || surplus > 0 && missing <= found + surplus else { return false }
    }
    return found > missing
  }

  private init(image: Image, root: PageNumber, shape: RowShape) {
    (self.image, self.root, self.shape) = (image, root, shape)
  }

  /// Whether an entry is a part of the row that its last field names, and of the same columns as those
  /// before; nil where that row is not found.
  ///
  /// File format, section 2.4.
  private mutating func takes(_ entry: StoredRecord) -> Bool? {
    let count = entry.record.fieldCount
    guard count > 1, columns.isEmpty || columns.count == count - 1,
      case .integer(let rowID)? = entry.record.value(count - 1)
    else { return false }
    guard let (cell, page) = try? image.cell(ofRow: rowID, inTableAt: root),
      let row = try? image.record(of: cell, on: page).record,
      let values = try? shape.values(of: row, rowID: rowID)
    else { return nil }
    if columns.isEmpty { columns = Array(repeating: Set(values.indices), count: count - 1) }
    for field in columns.indices {
      guard let value = entry.record.value(field) else { return false }
      columns[field] = columns[field].filter { value.isIndexed(values[$0]) }
      guard !columns[field].isEmpty else { return false }
    }
    return true
  }
}

extension Value {
  /// Whether an index holds this for a value of a row: for a real without a fraction, the integer.
  fileprivate func isIndexed(_ value: Value) -> Bool {
    switch (self, value) {
    case (.integer(let integer), .real(let real)): Double(integer) == real
    default: self == value
    }
  }
}
