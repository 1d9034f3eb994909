// SPDX-License-Identifier: Apache-2.0
// New names of tables and columns by their old ones, as a contract gives them.

/// New names of tables and columns by their old ones; case does not matter.
public struct Renames: Hashable, Sendable {
  private let tables: [String: String]
  private let columns: [String: [String: String]]

  /// The renames of a contract; none without one.
  public init(_ contract: Contract? = nil) {
    self.init(tables: contract?.renamedTables ?? [:], columns: contract?.renamedColumns ?? [:])
  }

  /// Makes a list of renames; those of columns are by table, under its old or its new name.
  public init(tables: [String: String], columns: [String: [String: String]]) {
    func folded<Name>(_ names: [String: Name]) -> [String: Name] {
      Dictionary(
        names.map { ($0.key.foldedIdentifier, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
    self.tables = folded(tables)
    self.columns = folded(columns)
  }

  /// The new name of a table.
  public func newName(of table: String) -> String { tables[table.foldedIdentifier] ?? table }

  /// The new names of a table's columns by their old ones.
  public func columns(of table: String) -> [String: String] {
    (columns[newName(of: table).foldedIdentifier] ?? [:])
      .merging(columns[table.foldedIdentifier] ?? [:]) { $1 }
  }
}
