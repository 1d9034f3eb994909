// SPDX-License-Identifier: Apache-2.0
// Lost rows from backups. What the damaged file still says wins: a row comes from a backup only where
// the file has lost what lay there, for a row that is missing from sound pages was deleted.

import Diagnosis
import SQLiteFormat

extension SalvageWork {
  /// The phase of the backups: lost rows are taken from them, the first of which wins.
  mutating func takeFromBackups() throws {
    guard !salvage.backups.isEmpty else { return }
    noteUnseenTables()
    for backup in salvage.backups {
      for table in ledger.lossy {
        guard let rows = try take(table, from: backup) else { continue }
        guard rows > 0 else { continue }
        ledger.origins.append(
          RestoredRows(
            table: survey.virtualNames[table.wanted.name] ?? table.wanted.name, backup: backup.name,
            created: backup.created, rows: rows))
        ledger.balances[table.balance].restored += rows
        ledger.balances[table.balance].lost = ledger.balances[table.balance].lost.reduced(by: rows)
        try refreshMissingRows(of: table)
      }
    }
  }

  /// Takes the rows of one table of one backup.
  ///
  /// - Returns: How many were taken; nil where the backup has no such table, or it is at odds with
  ///   the fresh schema.
  private mutating func take(_ table: LossyTable, from backup: SalvageBackup) throws -> Int? {
    var merging = Merging(salvage, table, backup)
    do {
      let rows = try attempt { work in try merging.run(in: work.target, &work.aside) }
      ledger.notes += merging.remarks
      ledger.balances[table.balance].changed += merging.changed
      ledger.balances[table.balance].leftOut += merging.leftOut
      return rows
    } catch {
      guard let reason = target.reasonToLeaveOut(error) else { throw error }
      ledger.notes.append(
        "no row of '\(table.wanted.name)' was taken from \(backup.name): \(reason)")
      return nil
    }
  }

  /// Notes the tables of the fresh schema that a damaged schema table may have named.
  private mutating func noteUnseenTables() {
    guard survey.schema?.isWhole != true else { return }
    let seen = Set(ledger.loaded.map { $0.plan.wanted.name })
    for table in salvage.schema.description.tables
    where table.kind == .ordinary && !seen.contains(table.name) && target.hasTable(table.name) {
      var balance = Balance(table: table.name)
      balance.lost = .unknown
      ledger.balances.append(balance)
      ledger.lossy.append(LossyTable(unseen: table, balance: ledger.balances.count - 1))
    }
  }

  /// Says anew which rows are missing: those that indexes name, or what is left of the gaps.
  private mutating func refreshMissingRows(of table: LossyTable) throws {
    guard let plan = table.plan else { return }
    ledger.balances[table.balance].partial = try aside.partialRowCount(of: plan.name)
    guard let lookup = try lookup(for: plan), lookup.usesRowIDs else { return }
    guard !table.evidence.isExact else {
      ledger.balances[table.balance].missing = try missingRows(of: plan, lookup)
      return
    }
    var balance = ledger.balances[table.balance]
    let before = balance.missing
    balance.missing = try before.without { rowID throws(SQLiteError) in
      try lookup.finds(rowID: rowID, key: [])
    }
    // Where each rowid is taken that a row of a lost page can have had, none of those is lost. What
    // else is damaged in the table may have held rows that no gap tells of.
    if before.count > 0, balance.missing.count == 0, reconstruction.hasLostPagesOnly(plan.tree),
      balance.quarantined == 0, balance.partial == 0
    {
      balance.lost = .none
    }
    ledger.balances[table.balance] = balance
  }
}

/// The rows of one table of one backup, on their way into the fresh database.
private struct Merging {
  private let salvage: Salvage
  private let table: LossyTable
  private let backup: SalvageBackup
  private let order: KeyOrder?
  /// Rows that contradict what is known of the lost ones.
  private var outdated = 0
  /// Rows whose key or values the fresh table does not take beside those that it has.
  private var refused = 0
  private var restored = 0
  /// Rows with values that the types of the fresh schema change.
  private(set) var changed = 0
  /// Rows with values in the place of which it computes others.
  private(set) var leftOut = 0
  /// The stretch of rows that come from the backup one after the other.
  private var stretch: (first: Int64?, last: Int64?, rows: Int)?

  init(_ salvage: Salvage, _ table: LossyTable, _ backup: SalvageBackup) {
    self.salvage = salvage
    self.table = table
    self.backup = backup
    order = (table.plan?.tree).flatMap { salvage.survey.keyOrder(of: $0) }
  }

  /// What should be known of rows that were not taken.
  var remarks: [String] {
    var remarks: [String] = []
    if outdated > 0 {
      remarks.append(
        "\(outdated.of("row")) of '\(table.wanted.name)' in \(backup.name) differ from what indexes "
          + "of the damaged file know of them: they are set aside")
    }
    if refused > 0 {
      remarks.append(
        "\(refused.of("row")) of '\(table.wanted.name)' in \(backup.name) were not taken: the fresh "
          + "table has a row with a key of theirs, or a constraint refuses them")
    }
    return remarks
  }

  /// Takes the rows; nil when the backup has no such table.
  mutating func run(
    in target: borrowing FreshDatabase, _ aside: inout QuarantineDatabase
  ) throws -> Int? {
    let tables = backup.survey.trees.filter { $0.entry.kind == .table }
    let renames = salvage.renames.from(backup.survey.tableNames)
    let tree =
      tables.first { renames.newName(of: $0.entry.name) == table.wanted.name }
      ?? tables.first { $0.entry.name == table.name }
    guard let tree, let reader = SalvageReader(backup.reconstruction), let plan = plan(of: tree),
      let lookup = try target.lookup(
        in: table.wanted.name, plan.mapping, keyCount: plan.keyCount,
        encoding: backup.survey.encoding)
    else { return nil }
    let loader = try target.loader(
      for: table.wanted, plan.mapping, plan.shape, encoding: backup.survey.encoding)
    var claims = reader.startingClaims
    try reader.read(tree, &claims) { item in
      guard case .row(_, let stored) = item, plan.shape.fits(stored.record) else { return }
      let key = plan.key(of: stored)
      guard try !lookup.finds(rowID: stored.rowID, key: key),
        try wasLost(stored, key, plan, &aside), try write(stored, plan, loader, &aside)
      else { return try endStretch(&aside) }
      restored += 1
      stretch = (stretch?.first ?? stored.rowID, stored.rowID, (stretch?.rows ?? 0) + 1)
      try aside.dropPartialRow(of: table.name, rowID: stored.rowID, key: key)
    }
    try endStretch(&aside)
    try salvage.world.requireGoingOn()
    return restored
  }

  /// How the rows of a table of the backup go into the fresh one; nil where they do not.
  private func plan(of tree: TreeSurvey) -> TablePlan? {
    guard let source = backup.survey.table(of: tree) else { return nil }
    var columns: [Name: Name] = [:]
    if table.plan?.isShadow == true {
      let mappings = salvage.schema.virtualMappings(from: backup.survey, salvage.renames)
      let mapping = backup.survey.virtualNames[tree.entry.name].flatMap { mappings[$0] }
      guard let mapping, mapping.way != .none else { return nil }
      columns = mapping.columns
    }
    return salvage.plan(source, of: tree, into: table.wanted, renamed: columns)
  }

  /// Writes a row, and sets aside what of it the fresh table has no column for, or changes; false
  /// where it does not take the row.
  private mutating func write(
    _ stored: StoredRecord, _ plan: TablePlan, _ loader: borrowing RowLoader,
    _ aside: inout QuarantineDatabase
  ) throws -> Bool {
    guard case .written(let changed, let computed) = try loader.insert(stored) else {
      refused += 1
      return false
    }
    if !changed.isEmpty { self.changed += 1 }
    if !computed.isEmpty { leftOut += 1 }
    if !changed.isEmpty || !computed.isEmpty {
      try aside.addLeftOut(
        (computed + changed).map { ($0, plan.shape.stored[$0].name) }, of: stored,
        table: table.wanted.name, key: 0..<plan.keyCount, source: "\(backup.name)",
        encoding: backup.survey.encoding)
    }
    return true
  }

  /// Whether the damaged file has lost this row; else it was deleted, set aside or changed.
  private mutating func wasLost(
    _ stored: StoredRecord, _ key: [Value], _ plan: TablePlan, _ aside: inout QuarantineDatabase
  ) throws -> Bool {
    if try aside.holdsRow(of: table.name, rowID: stored.rowID, key: key) { return false }
    guard
      let known = try aside.knownValues(of: table.name, rowID: stored.rowID, key: key)
    else {
      return !table.evidence.isExact
        && table.evidence.gaps.contain(stored, order: order)
    }
    let isSame = known.allSatisfy { field, value in
      guard let name = table.plan?.shape.stored.at(field)?.name,
        let position = plan.shape.stored.firstIndex(where: { $0.name == name })
      else { return true }
      let other = stored.record.value(position) ?? plan.shape.stored[position].defaultValue
      return value.isAlike(other, encoding: backup.survey.encoding)
    }
    guard !isSame else { return true }
    outdated += 1
    try aside.addOutdated(
      stored, table: table.name, backup: "\(backup.name)",
      encoding: backup.survey.encoding)
    return false
  }

  private mutating func endStretch(_ aside: inout QuarantineDatabase) throws {
    guard let stretch else { return }
    try aside.addOrigin(
      table: table.wanted.name, first: stretch.first, last: stretch.last, rows: stretch.rows,
      backup: "\(backup.name)")
    self.stretch = nil
  }
}

extension Value {
  /// Whether a value with text in UTF-8 is the same as one with text in an encoding.
  fileprivate func isAlike(_ other: Value, encoding: TextEncoding) -> Bool {
    switch (self, other) {
    case (.text(let left), .text(let right)):
      encoding == .utf8 ? left == right : left == Bytes(encoding.string(right).utf8)
    case (.integer(let left), .real(let right)): Double(left) == right
    case (.real(let left), .integer(let right)): left == Double(right)
    default: self == other
    }
  }
}

extension [RowShape.Column] {
  fileprivate func at(_ index: Int) -> RowShape.Column? {
    indices.contains(index) ? self[index] : nil
  }
}
