// SPDX-License-Identifier: Apache-2.0
// Setting aside the rows that lie only in unproven or older copies of pages.

import Diagnosis
import SQLiteFormat

extension SalvageWork {
  /// The phase of the copies: every row of a copy of a page that the fresh database does not hold
  /// value for value is set aside, once.
  mutating func setAsideReplicas() throws {
    let positions = Dictionary(
      ledger.balances.enumerated().compactMap { position, balance in
        balance.table.map { ($0, position) }
      }, uniquingKeysWith: { first, _ in first })
    var tables: [Name: FilledTable] = [:]
    var seen: Set<Int> = []
    var count = 0
    try reader.readReplicas { row in
      var table: FilledTable?
      if let name = row.table?.entry.name {
        // What is not copied to the fresh database is not missed there either.
        guard let position = positions[name] else { return }
        table = try tables[name] ?? filledTable(name, position: position)
        tables[name] = table
      }
      if table?.fits(row.stored) == false { table = nil }
      var hasher = Hasher()
      hasher.combine(table?.position)
      hasher.combine(row.stored.rowID)
      hasher.combine(KeyHash(row.stored.record))
      guard seen.insert(hasher.finalize()).inserted, try table?.holds(row.stored) != true else {
        return
      }
      try aside.add(row.stored, table: table?.name, doubt: .replica(row.source))
      count += 1
      if let table {
        ledger.balances[table.position].addReplica(row.source)
      } else {
        ledger.orphans.addReplica(row.source)
      }
    }
    guard count > 0 else { return }
    ledger.notes.append(
      "\(count.of("row", "lies", "lie")) only in older or unproven copies of pages, in the journals or "
        + "under them, and \(count == 1 ? "is" : "are") set aside")
  }

  private func filledTable(_ name: Name, position: Int) throws -> FilledTable {
    try FilledTable(
      name, position: position, ledger.loaded.first { $0.balance == position }?.plan, target,
      encoding: survey.encoding)
  }
}

/// A table of the fresh database that can be asked for its rows.
private final class FilledTable {
  let name: Name
  let position: Int
  private let shape: RowShape?
  private let loader: RowLoader?

  init(
    _ name: Name, position: Int, _ plan: TablePlan?, _ target: borrowing FreshDatabase,
    encoding: TextEncoding
  ) throws {
    self.name = name
    self.position = position
    shape = plan?.shape
    guard let plan else {
      loader = nil
      return
    }
    loader = try target.loader(for: plan.wanted, plan.mapping, plan.shape, encoding: encoding)
  }

  func fits(_ stored: StoredRecord) -> Bool {
    shape?.fits(stored.record) ?? true
  }

  func holds(_ stored: StoredRecord) throws -> Bool {
    switch loader {
    case .none: return false
    case .some(let loader): return try loader.holds(stored)
    }
  }
}

extension Balance {
  fileprivate mutating func addReplica(_ source: PageReplica.Source) {
    seen += 1
    quarantined += 1
    if case .uncommittedFrame = source { uncommitted += 1 }
  }
}
