// SPDX-License-Identifier: Apache-2.0
// Which column of an old table becomes which column of the fresh one.

package import SQLiteFormat

/// How the rows of a table in the file become rows of a table in the fresh schema.
package struct ColumnMapping: Hashable, Sendable {
  /// A column of the file for which the fresh table has none.
  package struct LeftOut: Hashable, Sendable {
    /// Its name.
    package let name: Name
    /// Its position among the source's stored columns.
    package let position: Int
  }

  /// The columns to insert into, in the fresh table's order.
  package let targets: [Name]
  /// For each of them, the position among the source's stored columns.
  package let sources: [Int]
  /// The name by which the rowid can be inserted; nil where it is a column, or there is none.
  package let rowIDName: Name?
  /// What the fresh table calls the rowid of the source; nil where it does not keep it.
  package let rowIDColumn: Name?
  /// Whether the source has rowids that the fresh table should have, and SQL has no name for them.
  package let losesRowIDs: Bool
  /// Columns of the source whose values have no place in the fresh table.
  package let leftOut: [LeftOut]
  /// Columns of the source that the fresh table computes: what is computed may be another value.
  package let computed: [LeftOut]
  /// Columns of the source whose damaged names were taken for those of the fresh table.
  package let garbled: [Garbled]

  /// A column whose name in the file is damaged.
  package struct Garbled: Hashable, Sendable {
    /// What the file calls it.
    package let name: Name
    /// What the fresh table calls it.
    package let meant: Name
  }

  /// Maps columns by name, ignoring case; `renamed` gives new names for old ones.
  ///
  /// Generated columns are computed anew; `generated` names those of the source. A column that only
  /// the fresh table has gets its default, and one that only the file has is left out. A hidden rowid
  /// becomes the column that is the rowid in the fresh table.
  ///
  /// In a damaged file, a name may be another one with damaged letters; in a sound one, `temp_c` is not
  /// `temp_f`. A name with characters that no text has is damaged in any case.
  package init(
    from shape: RowShape, to table: TableDescription, renamed: [Name: Name] = [:],
    generated: Set<Name> = [], namesMayBeDamaged: Bool = false
  ) {
    var positions: [Name: Int] = [:]
    for (position, column) in shape.stored.enumerated() {
      positions[renamed[column.name] ?? column.name] = position
    }
    garbled = Self.garbled(in: shape, positions, table, namesMayBeDamaged)
    for column in garbled {
      positions[column.meant] = positions.removeValue(forKey: column.name)
    }
    var targets: [Name] = []
    var sources: [Int] = []
    for column in table.columns where column.generated == .none {
      guard let position = positions[column.name] else { continue }
      targets.append(column.name)
      sources.append(position)
    }
    self.targets = targets
    self.sources = sources

    let names = Set(table.columns.map(\.name))
    leftOut = positions.filter { !names.contains($0.key) }
      .map { LeftOut(name: shape.stored[$0.value].name, position: $0.value) }
      .filter { !generated.contains($0.name) }
      .sorted { $0.position < $1.position }
    computed = table.columns.filter { $0.generated != .none && !generated.contains($0.name) }
      .compactMap { column in
        positions[column.name].map { LeftOut(name: column.name, position: $0) }
      }
      .filter { !generated.contains(shape.stored[$0.position].name) }

    guard !shape.withoutRowID, !table.withoutRowID else {
      (rowIDName, rowIDColumn, losesRowIDs) = (nil, nil, false)
      return
    }
    guard let alias = table.rowIDColumn else {
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

extension ColumnMapping {
  /// How many letters of a name may be damaged, side by side.
  private static let lettersMax = 2

  /// The columns that stand at the same place in both tables and have the same affinity, with
  /// names that only a few letters tell apart, or a bit, or that nobody gives: not a new column, but a damaged
  /// statement.
  private static func garbled(
    in shape: RowShape, _ positions: [Name: Int], _ table: TableDescription,
    _ namesMayBeDamaged: Bool
  ) -> [Garbled] {
    let stored = table.storageOrder.compactMap { table.columns[safely: $0] }
    guard stored.count == shape.stored.count else { return [] }
    let wanted = Set(table.columns.map(\.name))
    return zip(shape.stored, stored).compactMap { column, meant in
      guard positions[meant.name] == nil, !wanted.contains(column.name)
      else { return nil }
      let isAlike =
        namesMayBeDamaged
        && column.affinity == Affinity(declaredType: meant.type, strict: table.strict)
        && (column.name.differs(from: meant.name, atMost: lettersMax)
          || column.name.differsInOneBit(from: meant.name))
      // A column that is named after its type has a type besides.
      let isRunTogether =
        column.affinity == .blob && column.name.isRunTogether(meant.name, meant.type)
      guard isAlike || isRunTogether || column.name.isNobodys else { return nil }
      return Garbled(name: column.name, meant: meant.name)
    }
  }
}

extension Name {
  /// Whether this is a name and a type with one letter where the space between them was.
  fileprivate func isRunTogether(_ name: Name, _ type: String) -> Bool {
    let (whole, name, type) = (foldedText, name.foldedText, Name(type).foldedText)
    return !type.isEmpty && whole.hasPrefix(name) && whole.hasSuffix(type)
      && whole.unicodeScalars.count == name.unicodeScalars.count + 1 + type.unicodeScalars.count
  }

  /// Whether it has characters that no text has; what stands in for bytes that were not valid is one.
  fileprivate var isNobodys: Bool {
    text.unicodeScalars.contains {
      [.control, .unassigned, .privateUse].contains($0.properties.generalCategory)
    }
  }

  /// Whether one bit that has turned makes this name of another one, which may be a single letter.
  fileprivate func differsInOneBit(from other: Name) -> Bool {
    let (left, right) = (Array(text.utf8), Array(other.text.utf8))
    return left.count == right.count
      && zip(left, right).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } == 1
  }

  /// Whether a few letters, side by side, are all that tells a name from another one.
  fileprivate func differs(from other: Name, atMost lettersMax: Int) -> Bool {
    let (left, right) = (Array(text.unicodeScalars), Array(other.text.unicodeScalars))
    let start = zip(left, right).prefix { $0 == $1 }.count
    let shorter = Swift.min(left.count, right.count)
    let end = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
    let shared = Swift.min(start + end, shorter)
    return shared > 0 && Swift.max(left.count, right.count) - shared <= lettersMax
  }
}

extension [ColumnDescription] {
  fileprivate subscript(safely index: Int) -> ColumnDescription? {
    indices.contains(index) ? self[index] : nil
  }
}
