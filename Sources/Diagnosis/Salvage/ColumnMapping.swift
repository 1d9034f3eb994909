// SPDX-License-Identifier: Apache-2.0
// Which column of an old table becomes which column of the fresh one.

public import SQLiteFormat

/// How the rows of a table in the file become rows of a table in the fresh schema.
public struct ColumnMapping: Hashable, Sendable {
  /// The columns to insert into, in the fresh table's order.
  public let targets: [String]
  /// For each of them, the position among the source's stored columns.
  public let sources: [Int]
  /// The name by which the rowid can be inserted; nil where it is a column, or there is none.
  public let rowIDName: String?

  /// Maps columns by name, ignoring case; `renamed` gives new names for old ones.
  ///
  /// Generated columns are computed anew. A column that only the fresh table has gets its
  /// default; one that only the file has is left out.
  public init(
    from shape: RowShape, to table: TableDescription, renamed: [String: String] = [:]
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
    let keepsRowID = !shape.withoutRowID && !table.withoutRowID && table.rowIDAlias == nil
    rowIDName = keepsRowID ? ["rowid", "_rowid_", "oid"].first { !names.contains($0) } : nil
  }
}
