// SPDX-License-Identifier: Apache-2.0
// How the rows of one table of the file become rows of one table of the fresh database.

import Diagnosis
import SQLiteFormat

/// How the rows of one table of the file go into the fresh database.
struct TablePlan {
  /// The table in the file.
  let tree: TreeSurvey
  /// What the file's schema says of it; nil where that cannot be parsed.
  let table: TableSurvey?
  /// The table in the fresh schema.
  let wanted: TableDescription
  /// How records become rows.
  let shape: RowShape
  /// Which column becomes which.
  let mapping: ColumnMapping
  /// Whether the table stores a virtual table.
  let isShadow: Bool

  /// The table's name in the file.
  var name: Name { tree.entry.name }
  /// How many of the first fields of a record are its key, in a table without rowids.
  var keyCount: Int { (table?.description ?? wanted).storedKeyCount }

  /// The columns without a place in the fresh table for which a record has a value.
  func leftOut(of stored: StoredRecord) -> [ColumnMapping.LeftOut] {
    let fields = Array(stored.record.fields)
    return mapping.leftOut.filter { column in
      guard shape.stored.indices.contains(column.position) else { return false }
      return switch shape.content(at: column.position, of: fields, rowID: stored.rowID) {
      case .value(let value): value != .null
      case .field(let field, _): field.serialType != 0
      }
    }
  }

  /// The key of a record; empty in a table with rowids.
  func key(of stored: StoredRecord) -> [Value] {
    stored.rowID == nil ? (0..<keyCount).map { stored.record.value($0) ?? .null } : []
  }

  /// Writes a row; gives why not, where it cannot be written.
  func write(
    _ stored: StoredRecord, _ loader: borrowing RowLoader, _ balance: inout Balance,
    _ aside: inout QuarantineDatabase
  ) throws -> Doubt? {
    guard shape.fits(stored.record),
      !(tree.hasFewMistyped && shape.violations(of: stored.record).types)
    else { return .unfit }
    switch try loader.insert(stored) {
    case .duplicate: balance.duplicates += 1
    case .refused(let doubt): return doubt
    case .written(let changed, let computed):
      balance.written += 1
      guard !mapping.leftOut.isEmpty || !changed.isEmpty || !computed.isEmpty else { break }
      let leftOut = leftOut(of: stored).map(\.position) + computed
      guard !leftOut.isEmpty || !changed.isEmpty else { break }
      try aside.addLeftOut(
        (leftOut + changed).map { ($0, shape.stored[$0].name) }, of: stored, table: name,
        key: 0..<keyCount)
      if !leftOut.isEmpty { balance.leftOut += 1 }
      if !changed.isEmpty { balance.changed += 1 }
    }
    return nil
  }

  /// What should be known of how a table was mapped.
  func remarks(on balance: Balance) -> [String] {
    var remarks: [String] = []
    if balance.leftOut > 0 {
      let reasons = [("has no column for", mapping.leftOut), ("computes", mapping.computed)]
        .filter { !$1.isEmpty }
        .map { "\($0) \($1.map { "'\($0.name)'" }.joined(separator: ", "))" }
      remarks.append(
        "'\(name)': the fresh schema \(reasons.joined(separator: " and ")): "
          + "the values of \(balance.leftOut.of("row")) are in the table left_out of the "
          + "quarantine file")
    }
    if balance.changed > 0 {
      remarks.append(
        "'\(name)': the types of the fresh schema change values of \(balance.changed.of("row")), as "
          + "they make numbers of text or the reverse: what they were is in the table left_out of "
          + "the quarantine file")
    }
    for column in mapping.garbled {
      remarks.append(
        "'\(name)': the column '\(column.name)' of the file was taken for "
          + "'\(column.meant)': same place, same type, a damaged name")
    }
    if mapping.losesRowIDs, balance.written > 0 {
      remarks.append(
        "'\(name)' has columns called rowid, _rowid_ and oid: its rows have new rowids, "
          + "which nothing in SQL can tell from the old ones")
    }
    return remarks
  }
}

extension Salvage {
  /// How the rows of a table go into the fresh database, with new names for columns by their old ones;
  /// nil when it has no place for them, or nothing tells what their fields are.
  func plan(
    _ tree: TreeSurvey, in target: borrowing FreshDatabase, isShadow: Bool, renamed: [Name: Name]
  ) -> TablePlan? {
    let name = tree.entry.name
    let table = survey.table(of: tree)
    guard let wanted = schema.table(named: renames.newName(of: name)), wanted.isStored,
      target.isOpen(wanted.name),
      let shape = table?.shape ?? RowShape(wanted, encoding: survey.encoding)
    else { return nil }
    return TablePlan(
      tree: tree, table: table, wanted: wanted, shape: shape,
      mapping: mapping(
        of: table, shape, name: name, to: wanted, renamed, namesMayBeDamaged: namesMayBeDamaged),
      isShadow: isShadow || wanted.kind == .shadow)
  }

  /// How the rows of a table of a backup go into a table of the fresh database; `renamed` gives new
  /// names for those of columns.
  func plan(
    _ table: TableSurvey, of tree: TreeSurvey, into wanted: TableDescription,
    renamed: [Name: Name] = [:]
  ) -> TablePlan {
    TablePlan(
      tree: tree, table: table, wanted: wanted, shape: table.shape,
      mapping: mapping(
        of: table, table.shape, name: tree.entry.name, to: wanted, renamed,
        namesMayBeDamaged: false),
      isShadow: false)
  }

  private func mapping(
    of table: TableSurvey?, _ shape: RowShape, name: Name, to wanted: TableDescription,
    _ renamed: [Name: Name], namesMayBeDamaged: Bool
  ) -> ColumnMapping {
    let generated = (table?.description.columns ?? []).filter { $0.generated != .none }
    let given = renames.columns(
      of: name, from: Set(shape.stored.map(\.name)), to: Set(wanted.columns.map(\.name)))
    return ColumnMapping(
      from: shape, to: wanted, renamed: given.merging(renamed) { $1 },
      generated: Set(generated.map(\.name)), namesMayBeDamaged: namesMayBeDamaged)
  }
}

extension RowShape {
  /// The shape that a table of the fresh schema suggests for a table whose own is unknown.
  fileprivate init?(_ table: TableDescription, encoding: TextEncoding) {
    self.init(table, defaults: [], encoding: encoding)
  }
}
