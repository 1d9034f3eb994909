// SPDX-License-Identifier: Apache-2.0
// The rows of one table of the file on their way into one table of the fresh database.

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
}

/// A table that was loaded, and the place of its account.
struct LoadedTable {
  let plan: TablePlan
  let balance: Int

  init(_ plan: TablePlan, balance: Int) {
    self.plan = plan
    self.balance = balance
  }
}

extension Salvage {
  /// How the rows of a table go into the fresh database; nil when it has no place for them, or
  /// nothing tells what their fields are.
  func plan(
    _ tree: TreeSurvey, in target: borrowing FreshDatabase, isShadow: Bool
  ) -> TablePlan? {
    let name = tree.entry.name
    let table = survey.table(of: tree)
    guard let wanted = schema.table(named: renames.newName(of: name)), wanted.isStored,
      target.isOpen(wanted.name),
      let shape = table?.shape ?? RowShape(wanted, encoding: survey.encoding)
    else { return nil }
    return TablePlan(
      tree: tree, table: table, wanted: wanted, shape: shape,
      mapping: mapping(of: table, shape, name: name, to: wanted), isShadow: isShadow)
  }

  /// How the rows of a table of a backup go into a table of the fresh database.
  func plan(
    _ table: TableSurvey, of tree: TreeSurvey, into wanted: TableDescription
  ) -> TablePlan {
    TablePlan(
      tree: tree, table: table, wanted: wanted, shape: table.shape,
      mapping: mapping(of: table, table.shape, name: tree.entry.name, to: wanted), isShadow: false)
  }

  private func mapping(
    of table: TableSurvey?, _ shape: RowShape, name: Name, to wanted: TableDescription
  ) -> ColumnMapping {
    let generated = (table?.description.columns ?? []).filter { $0.generated != .none }
    return ColumnMapping(
      from: shape, to: wanted, renamed: renames.columns(of: name),
      generated: Set(generated.map(\.name)))
  }

  /// Reads one table and writes its rows, or sets them aside.
  func load(
    _ tree: TreeSurvey, _ plan: TablePlan?, _ reader: SalvageReader, _ claims: inout PageClaims,
    into target: inout FreshDatabase, _ aside: inout QuarantineDatabase
  ) throws -> Balance {
    guard let plan else { return try setAside(tree, reader, &claims, &aside) }
    let before = claims
    if !isOwnSchema || !tree.isSound || survey.loss(of: tree) != .none {
      target.makeUniqueIndexes(of: plan.wanted.name)
    }
    do {
      return try aside.attempt { aside in
        try target.attempt { try fill(tree, plan, reader, &claims, into: target, &aside) }
      }
    } catch {
      // What is wrong with the declaration of one table costs no row of it, and nothing else.
      guard let reason = target.reasonToLeaveOut(error) else { throw error }
      target.dropTable(plan.wanted.name, because: reason)
      claims = before
      return try setAside(tree, reader, &claims, &aside)
    }
  }

  private func fill(
    _ tree: TreeSurvey, _ plan: TablePlan, _ reader: SalvageReader, _ claims: inout PageClaims,
    into target: borrowing FreshDatabase, _ aside: inout QuarantineDatabase
  ) throws -> Balance {
    if plan.isShadow { try target.clear(plan.wanted.name) }
    let loader = try target.loader(
      for: plan.wanted, plan.mapping, plan.shape, encoding: survey.encoding)
    return try read(tree, plan, reader, &claims, &aside) { stored, balance, aside in
      try write(stored, plan, loader, &balance, &aside)
    }
  }

  /// Reads a table that has no place in the fresh database.
  private func setAside(
    _ tree: TreeSurvey, _ reader: SalvageReader, _ claims: inout PageClaims,
    _ aside: inout QuarantineDatabase
  ) throws -> Balance {
    let isWanted = isOwnSchema || schema.table(named: renames.newName(of: tree.entry.name)) != nil
    return try read(tree, nil, reader, &claims, &aside) { _, _, _ in
      isWanted ? .shapeUnknown : .tableNotWanted
    }
  }

  /// Reads a table; `write` gives why a row was not written.
  private func read(
    _ tree: TreeSurvey, _ plan: TablePlan?, _ reader: SalvageReader, _ claims: inout PageClaims,
    _ aside: inout QuarantineDatabase,
    write: (StoredRecord, inout Balance, inout QuarantineDatabase) throws -> Doubt?
  ) throws -> Balance {
    let name = tree.entry.name
    var balance = Balance(table: name)
    balance.lost = survey.loss(of: tree)
    try reader.read(tree, &claims) { item in
      switch item {
      case .row(_, let stored):
        balance.seen += 1
        guard let doubt = try write(stored, &balance, &aside) else { return }
        try aside.add(stored, table: name, doubt: doubt)
        balance.quarantined += 1
        if !isOwnSchema, doubt.isOfSchema { balance.refused += 1 }
      case .doubtful(_, let stored, let doubt):
        balance.seen += 1
        try aside.add(stored, table: name, doubt: doubt)
        balance.quarantined += 1
      case .partial(_, let partial):
        try aside.add(
          partial, table: name, keyCount: plan?.keyCount ?? 0, fieldCount: plan?.shape.stored.count)
        balance.partial += 1
      // The survey has counted what is lost, and what it has not is counted below.
      case .lostCell, .lostPage: break
      }
    }
    balance.lost = balance.lost.adding(
      survey.rowsFound(in: tree) - balance.seen - balance.partial)
    return balance
  }

  /// Writes a row; gives why not, where it cannot be written.
  private func write(
    _ stored: StoredRecord, _ plan: TablePlan, _ loader: borrowing RowLoader,
    _ balance: inout Balance, _ aside: inout QuarantineDatabase
  ) throws -> Doubt? {
    guard plan.shape.fits(stored.record) else { return .unfit }
    switch try loader.insert(stored) {
    case .duplicate: balance.duplicates += 1
    case .refused(let doubt): return doubt
    case .written:
      balance.written += 1
      guard !plan.mapping.leftOut.isEmpty else { break }
      let leftOut = plan.leftOut(of: stored)
      guard !leftOut.isEmpty else { break }
      try aside.addLeftOut(
        leftOut.map { ($0.position, $0.name) }, of: stored, table: plan.name,
        key: 0..<plan.keyCount)
      balance.leftOut += 1
    }
    return nil
  }

  /// What should be known of how a table was mapped.
  func remarks(on plan: TablePlan, _ balance: Balance) -> [String] {
    var remarks: [String] = []
    if balance.leftOut > 0 {
      let columns = plan.mapping.leftOut.map { "'\($0.name)'" }.joined(separator: ", ")
      remarks.append(
        "'\(plan.name)': the fresh schema has no column for \(columns): "
          + "the values of \(balance.leftOut.of("row")) are in the table left_out of the "
          + "quarantine file")
    }
    for column in plan.mapping.garbled {
      remarks.append(
        "'\(plan.name)': the column '\(column.name)' of the file was taken for "
          + "'\(column.meant)': same place, same type, a damaged name")
    }
    if plan.mapping.losesRowIDs, balance.written > 0 {
      remarks.append(
        "'\(plan.name)' has columns called rowid, _rowid_ and oid: its rows have new rowids, "
          + "which nothing in SQL can tell from the old ones")
    }
    return remarks
  }

  /// The AUTOINCREMENT counters, by the names that the tables have now.
  var sequences: [Name: Int64] {
    Dictionary(
      survey.sequences.map { (renames.newName(of: $0.key), $0.value) }, uniquingKeysWith: max)
  }
}

extension RowShape {
  /// The shape that a table of the fresh schema suggests for a table whose own is unknown.
  fileprivate init?(_ table: TableDescription, encoding: TextEncoding) {
    self.init(table, defaults: [], encoding: encoding)
  }
}
