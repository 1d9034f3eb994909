// SPDX-License-Identifier: Apache-2.0
// Which column of an old table becomes which column of the fresh one.

public import SQLiteFormat

/// How the rows of a table in the file become rows of a table in the fresh schema.
public struct ColumnMapping: Hashable, Sendable {
  /// A column of the file for which the fresh table has none.
  public struct LeftOut: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// Its position among the source's stored columns.
    public let position: Int
  }

  /// The columns to insert into, in the fresh table's order.
  public let targets: [String]
  /// For each of them, the position among the source's stored columns.
  public let sources: [Int]
  /// The name by which the rowid can be inserted; nil where it is a column, or there is none.
  public let rowIDName: String?
  /// What the fresh table calls the rowid of the source; nil where it does not keep it.
  public let rowIDColumn: String?
  /// Whether the source has rowids that the fresh table should have, and SQL has no name for them.
  public let losesRowIDs: Bool
  /// Columns of the source whose values have no place in the fresh table.
  public let leftOut: [LeftOut]

  /// Maps columns by name, ignoring case; `renamed` gives new names for old ones.
  ///
  /// Generated columns are computed anew, and `generated` names those of the source. A column
  /// that only the fresh table has gets its default; one that only the file has is left out. A
  /// rowid that was hidden becomes the column that is the rowid in the fresh table.
  public init(
    from shape: RowShape, to table: TableDescription, renamed: [String: String] = [:],
    generated: Set<String> = []
  ) {
    let newNames = Dictionary(
      renamed.map { ($0.key.lowercased(), $0.value.lowercased()) }, uniquingKeysWith: { $1 })
    var positions: [String: Int] = [:]
    for (position, column) in shape.stored.enumerated() {
      let name = column.name.lowercased()
      positions[newNames[name] ?? name] = position
    }
    var targets: [String] = []
    var sources: [Int] = []
    for column in table.columns where column.generated == .none {
      guard let position = positions[column.name.lowercased()] else { continue }
      targets.append(column.name)
      sources.append(position)
    }
    self.targets = targets
    self.sources = sources

    let names = Set(table.columns.map { $0.name.lowercased() })
    leftOut = positions.filter { !names.contains($0.key) }
      .map { LeftOut(name: shape.stored[$0.value].name, position: $0.value) }
      .filter { !generated.contains($0.name.lowercased()) }
      .sorted { $0.position < $1.position }

    guard !shape.withoutRowID, !table.withoutRowID else {
      (rowIDName, rowIDColumn, losesRowIDs) = (nil, nil, false)
      return
    }
    guard let alias = table.rowIDAlias.flatMap({ table.columns[safely: $0]?.name }) else {
      rowIDName = ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
      rowIDColumn = rowIDName
      losesRowIDs = rowIDName == nil
      return
    }
    losesRowIDs = false
    guard let position = zip(targets, sources).first(where: { $0.0 == alias })?.1 else {
      rowIDName = alias
      rowIDColumn = alias
      return
    }
    rowIDName = nil
    rowIDColumn = shape.stored[position].isRowID ? alias : nil
  }
}

extension [ColumnDescription] {
  fileprivate subscript(safely index: Int) -> ColumnDescription? {
    indices.contains(index) ? self[index] : nil
  }
}
