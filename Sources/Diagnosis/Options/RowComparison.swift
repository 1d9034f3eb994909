// SPDX-License-Identifier: Apache-2.0
// Two states of a database compared row by row: what a restore would lose and bring back.

public import SQLiteFormat

/// How the rows of one table differ between two states of a database.
public struct RowComparison: Hashable, Sendable {
  /// The table.
  public let table: Name
  /// Rows that both states have.
  public let shared: Int
  /// Rows that only the current state has: a restore loses them.
  public let onlyCurrent: Int
  /// Rows that only the other state has: a restore brings them back.
  public let onlyOther: Int
}

extension Survey {
  /// Compares the rows that can be read here with those of another state, table by table.
  ///
  /// Rows are equal when their rowid and all their columns are; a changed row counts on both
  /// sides. Needs 16 bytes of memory for each row of the largest table.
  ///
  /// - Throws: `CutShort` when the reading of either was stopped.
  public func compare(with other: Survey) throws(CutShort) -> [RowComparison] {
    let names = Set(
      (trees + other.trees).filter { $0.entry.kind == .table }.map { $0.entry.name })
    let hidden = Set(
      [self, other].flatMap { $0.schema?.parsed.description.tables ?? [] }
        .filter { $0.kind == .shadow }.map(\.name))
    let compared = names.filter { !$0.isReserved && !hidden.contains($0) }.sorted().map { name in
      var counts: [KeyHash: Int] = [:]
      var shared = 0
      var onlyOther = 0
      forEachRow(ofTable: name) { counts[$0, default: 0] += 1 }
      other.forEachRow(ofTable: name) { row in
        if let count = counts[row], count > 0 {
          counts[row] = count - 1
          shared += 1
        } else {
          onlyOther += 1
        }
      }
      return RowComparison(
        table: tree(named: name)?.entry.name ?? other.tree(named: name)?.entry.name ?? name,
        shared: shared, onlyCurrent: counts.values.reduce(0, +), onlyOther: onlyOther)
    }
    for survey in [self, other] { try survey.failures.requireUncut() }
    return compared
  }

  /// Hands out the hash of every row of a table that can be read.
  private func forEachRow(ofTable name: Name, _ body: (KeyHash) -> Void) {
    guard let tree = tree(named: name), let reader = SalvageReader(self) else { return }
    let shape = schema?.shape(ofTable: name)
    var claims = reader.startingClaims
    reader.read(tree, &claims) { item in
      guard case .row(_, let stored) = item else { return }
      var key = KeyHash()
      if let rowID = stored.rowID { key.add(rowID) }
      guard let shape else {
        for field in stored.record.fields { key.add(stored.record, field) }
        body(key)
        return
      }
      let fields = Array(stored.record.fields)
      for place in shape.stored.indices {
        switch shape.content(at: place, of: fields, rowID: stored.rowID) {
        case .value(let value): key.add(value)
        case .field(let field, _): key.add(stored.record, field)
        }
      }
      body(key)
    }
  }
}
