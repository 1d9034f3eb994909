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
  /// A table that misses pages has the rows of some entries, and none that is another one.
  static func holds(_ group: OrphanGroup, beside doubt: Doubtful) -> Bool {
    guard !group.isTable else { return false }
    let entries = group.rowPages.lazy.flatMap { doubt.pages.rows(on: $0, isTable: false) }
    guard entries.prefix(1).count == 1, entries.count <= entriesMax else { return false }
    return doubt.survey.userTables.values.contains { table in
      guard table.isRowIDTable, let root = table.root,
        let shape = doubt.schema.shape(ofTable: table.entry.name)
      else { return false }
      var index = LeftIndex(image: doubt.image, root: root, shape: shape)
      return entries.allSatisfy { index.takes($0) ?? !table.isReadable } && !index.columns.isEmpty
    }
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
