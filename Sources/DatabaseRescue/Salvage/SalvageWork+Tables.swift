// SPDX-License-Identifier: Apache-2.0
// The rows of one table of the file on their way into one table of the fresh database.

import Diagnosis
import SQLiteFormat

extension SalvageWork {
  /// Reads one table into the fresh database, where it has a place that is not taken.
  mutating func load(_ table: TreeSurvey, isShadow: Bool) throws {
    let name = table.entry.name
    let plan =
      families.haveAPlace(name)
      ? salvage.plan(table, in: target, isShadow: isShadow, renamed: families.columns(of: name))
      : nil
    ledger.balances.append(try load(table, plan))
    guard let plan, target.hasTable(plan.wanted.name) else { return }
    target.close(plan.wanted.name)
    ledger.loaded.append(LoadedTable(plan: plan, balance: ledger.balances.count - 1))
  }

  /// Reads the statistics that ANALYZE has gathered of the tables and indexes.
  mutating func loadStatistics(_ table: TreeSurvey) throws {
    let columns = ["tbl", "idx", "stat"].map { ColumnDescription(name: $0, type: "") }
    let wanted = TableDescription(
      name: table.entry.name, columns: columns, storageOrder: [0, 1, 2], sql: "")
    let shape = RowShape(wanted, defaults: [], encoding: survey.encoding)
    try target.makeStatistics()
    let plan = TablePlan(
      tree: table, table: nil, wanted: wanted, shape: shape,
      mapping: ColumnMapping(from: shape, to: wanted), isShadow: false)
    ledger.balances.append(try load(table, plan))
  }

  /// Reads one table and writes its rows, or sets them aside.
  private mutating func load(_ tree: TreeSurvey, _ plan: TablePlan?) throws -> Balance {
    guard let plan else { return try setAside(tree) }
    if !salvage.isOwnSchema || !tree.isSound || reconstruction.loss(of: tree) != .none {
      target.makeUniqueIndexes(of: plan.wanted.name)
    }
    do {
      return try attempt { work in try work.fill(tree, plan) }
    } catch {
      // What is wrong with the declaration of one table costs no row of it, and nothing else.
      guard let reason = target.reasonToLeaveOut(error) else { throw error }
      target.dropTable(plan.wanted.name, because: reason)
      return try setAside(tree)
    }
  }

  private mutating func fill(_ tree: TreeSurvey, _ plan: TablePlan) throws -> Balance {
    guard plan.isShadow else { return try copy(tree, plan) }
    let mark = try target.mark()
    try target.clear(plan.wanted.name)
    let balance = try copy(tree, plan)
    if balance.written == 0, !tree.isReadable {
      // A virtual table of which nothing is left stays as its module made it.
      try target.takeBack(to: mark)
    } else {
      try target.keep(since: mark)
    }
    return balance
  }

  private mutating func copy(_ tree: TreeSurvey, _ plan: TablePlan) throws -> Balance {
    let loader = try target.loader(
      for: plan.wanted, plan.mapping, plan.shape, encoding: survey.encoding)
    return try read(tree, plan) { stored, balance, aside in
      try plan.write(stored, loader, &balance, &aside)
    }
  }

  /// Reads a table that has no place in the fresh database.
  private mutating func setAside(_ tree: TreeSurvey) throws -> Balance {
    let newName = salvage.renames.newName(of: tree.entry.name)
    let isWanted =
      salvage.isOwnSchema
      || salvage.schema.table(named: newName)?.isStored == true
        && families.haveAPlace(tree.entry.name)
    return try read(tree, nil) { _, _, _ in isWanted ? .shapeUnknown : .tableNotWanted }
  }

  /// Reads a table; `write` gives why a row was not written.
  private mutating func read(
    _ tree: TreeSurvey, _ plan: TablePlan?,
    write: (StoredRecord, inout Balance, inout QuarantineDatabase) throws -> Doubt?
  ) throws -> Balance {
    let name = tree.entry.name
    var balance = Balance(table: name)
    balance.lost = reconstruction.loss(of: tree)
    // Where the reading fails, nothing is claimed.
    var claims = claims
    var regained = 0
    try reader.read(tree, &claims) { item in
      switch item {
      case .row(_, let stored):
        balance.seen += 1
        guard let doubt = try write(stored, &balance, &aside) else { return }
        try aside.add(stored, table: name, doubt: doubt)
        balance.quarantined += 1
        if !salvage.isOwnSchema, doubt.isOfSchema { balance.refused += 1 }
      case .doubtful(_, let stored, let doubt):
        balance.seen += 1
        try aside.add(stored, table: name, doubt: doubt)
        balance.quarantined += 1
        if doubt.isOfLostCell { regained += 1 }
      case .partial(_, let partial):
        try aside.add(
          partial, table: name, keyCount: plan?.keyCount ?? 0, fieldCount: plan?.shape.stored.count)
        balance.partial += 1
      }
    }
    self.claims = claims
    balance.lost = balance.lost.adding(
      reconstruction.rowsFound(in: tree) - balance.seen - balance.partial
    ).reduced(by: regained)
    return balance
  }
}
