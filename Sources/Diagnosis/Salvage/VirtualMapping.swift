// SPDX-License-Identifier: Apache-2.0
// Which column of a virtual table becomes which of another one, and what that means for the tables
// that store both.

package import SQLiteFormat

/// How a virtual table of the file becomes the one of the same name in the fresh schema.
package struct VirtualMapping: Hashable, Sendable {
  /// What becomes of the tables that store it.
  package enum Way: Hashable, Sendable {
    /// Each is copied.
    case copied
    /// The one with its texts is copied, and words are found in them anew.
    case rebuilt
    /// Each is copied, and the coordinates in its nodes are put into another order: which comes at
    /// each place.
    case reordered([Int])
    /// None has a place.
    case none
  }

  /// What becomes of the tables that store it.
  package let way: Way
  /// The new names of columns of the one with its rows, by their old ones.
  package let columns: [Name: Name]

  /// Maps columns by name; `old` and `new` describe the tables, `renamed` gives new names for old ones.
  package init(
    from table: VirtualTable, _ old: TableDescription, to other: VirtualTable,
    _ new: TableDescription, renamed: [Name: Name] = [:]
  ) {
    let (was, wanted) = (VirtualMeaning(old), VirtualMeaning(new))
    guard was != wanted || !renamed.isEmpty else {
      (way, columns) = (.copied, [:])
      return
    }
    // What a module keeps that is not here is known by its statement alone.
    guard !table.parts.isEmpty, !other.parts.isEmpty else {
      (way, columns) = (was.hasColumns(of: wanted) ? .copied : .none, [:])
      return
    }
    let names = old.columns.map { renamed[$0.name] ?? $0.name }
    way = Self.way(from: table, names, to: other, new.columns.map(\.name))
    let places = Dictionary(
      other.partNames(of: other.rowColumns(new.columns.map(\.name))).map { ($1, $0) },
      uniquingKeysWith: { first, _ in first })
    // What has no column is called as nothing is there.
    var columns = table.partNames(of: table.rowColumns(old.columns.map(\.name))).mapValues {
      places[renamed[$0] ?? $0] ?? Name("\(table.name).\($0)")
    }
    columns[table.idName] = other.idName
    self.columns = columns
  }

  private static func way(
    from table: VirtualTable, _ old: [Name], to other: VirtualTable, _ new: [Name]
  ) -> Way {
    if table.isFullText, other.isFullText {
      if other.contentTable != nil || table.hasOwnContent && other.hasOwnContent { return .rebuilt }
      return table.module == other.module && old == new && !other.hasTexts ? .copied : .none
    }
    guard table.module == other.module else { return .none }
    guard table.isRegions else { return .copied }
    guard let order = order(of: other.coordinates(new), in: table.coordinates(old)) else {
      return .none
    }
    return order == Array(order.indices) ? .copied : .reordered(order)
  }

  /// The places that coordinates have among others; nil where those are not the same, or no pairs of
  /// least and greatest any more.
  private static func order(of new: ArraySlice<Name>, in old: ArraySlice<Name>) -> [Int]? {
    let old = Array(old)
    let order = new.compactMap { old.firstIndex(of: $0) }
    let arePairs = order.indices.allSatisfy {
      $0.isMultiple(of: 2) ? order[$0].isMultiple(of: 2) : order[$0] == order[$0 - 1] + 1
    }
    return order.count == new.count && Set(order).count == old.count && arePairs ? order : nil
  }
}

extension VirtualTable {
  /// Whether a table may be one of those that store it: where its module is not here, by the names
  /// that such tables have.
  package func mayKeepRows(in part: Name) -> Bool {
    guard parts.isEmpty, isFullText else { return false }
    return [
      "content", "config", "data", "docsize", "idx", "segdir", "segments", "stat",
    ].contains { part == Name("\(name)_\($0)") }
  }

  /// The name of the id of a row in the part with the rows.
  fileprivate var idName: Name {
    switch module {
    case "fts5": "id"
    case "fts3", "fts4": "docid"
    default: "rowid"
    }
  }

  /// Those of the columns that the part with the rows has.
  fileprivate func rowColumns(_ names: [Name]) -> ArraySlice<Name> {
    isRegions ? names.suffix(auxiliaryCount) : names[...]
  }

  /// Those of the columns of an R-tree that its nodes have.
  fileprivate func coordinates(_ names: [Name]) -> ArraySlice<Name> {
    names.dropFirst().dropLast(auxiliaryCount)
  }
}
