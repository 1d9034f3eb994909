// SPDX-License-Identifier: Apache-2.0
// Two states of a database compared row by row: what a restore would lose, change and bring back.

package import SQLiteFormat

/// How the rows of one table differ between two states of a database.
///
/// Rows are the same row by their key: the rowid, where a column shows it, or the PRIMARY KEY of a
/// table without rowids. In other tables it is their values that count, for a rowid that nobody
/// sees may be given anew. Values are compared in the columns that both states have.
package struct RowComparison: Hashable, Sendable {
  /// The table.
  package let table: Name
  /// Rows that both states have, with the same values.
  package let same: Int
  /// Rows that both states have, with other values.
  package let changed: Int
  /// Rows that only the current state has: a restore loses them.
  package let onlyCurrent: Int
  /// Rows that only the other state has: a restore brings them back.
  package let onlyOther: Int
  /// Columns that only the current state has: a restore loses what they hold.
  package let columnsOnlyCurrent: [Name]

  /// What becomes of the current rows where the other state takes the place of this one.
  package var outcome: RecoveryOption.Outcome {
    RecoveryOption.Outcome(
      table: table, kept: same, changed: changed,
      lost: onlyCurrent == 0 ? .none : .exactly(onlyCurrent), regained: onlyOther)
  }
}

extension Reconstruction {
  /// Compares the rows that can be read here with those of another state, table by table.
  ///
  /// - Throws: `CutShort` when the reading of either was stopped.
  package func compare(with other: Reconstruction) throws(CutShort) -> [RowComparison] {
    let names = Set(
      (survey.trees + other.survey.trees).filter { $0.entry.kind == .table }.map { $0.entry.name })
    let hidden = survey.shadowTables.union(other.survey.shadowTables)
    let compared = names.filter { !$0.isReserved && !hidden.contains($0) }.sorted().map {
      compare(table: $0, with: other)
    }
    for survey in [survey, other.survey] { try survey.failures.requireUncut() }
    return compared
  }

  private func compare(table name: Name, with other: Reconstruction) -> RowComparison {
    let (mine, theirs) = (
      RowIdentity(of: name, in: survey), RowIdentity(of: name, in: other.survey)
    )
    let shared = mine.flatMap { mine in theirs.flatMap { mine.columns(sharedWith: $0) } }
    let rows = RowPairing(
      rowCount: rowCount(ofTable: name) + other.rowCount(ofTable: name),
      haveKeys: mine.map { $0.key != nil && $0.key == theirs?.key } ?? false,
      current: { forEachRow(ofTable: name, shared, $0) },
      other: { other.forEachRow(ofTable: name, shared, $0) })
    let isInBoth = survey.tree(named: name) != nil && other.survey.tree(named: name) != nil
    return RowComparison(
      table: survey.tree(named: name)?.entry.name ?? other.survey.tree(named: name)?.entry.name
        ?? name,
      same: rows.same, changed: rows.changed, onlyCurrent: rows.onlyCurrent,
      onlyOther: rows.onlyOther,
      columnsOnlyCurrent: isInBoth && shared != nil
        ? (mine?.columns ?? []).filter { theirs?.columns.contains($0) == false } : [])
  }

  private func rowCount(ofTable name: Name) -> Int {
    survey.tree(named: name).map(rowsFound(in:)) ?? 0
  }

  /// Hands out every row of a table that can be read, by the columns named; by all where none is.
  private func forEachRow(
    ofTable name: Name, _ columns: Set<Name>?, _ body: (ComparedRow) -> Void
  ) {
    guard let tree = survey.tree(named: name), let reader = SalvageReader(self) else { return }
    let shape = survey.schema?.shape(ofTable: name)
    let keyCount = survey.schema?.parsed.table(named: name)?.storedKeyCount ?? 0
    // Columns may have changed places.
    let names = shape?.stored.map(\.name) ?? []
    let places = columns.map { columns in
      names.indices.filter { columns.contains(names[$0]) }.sorted { names[$0] < names[$1] }
    }
    var claims = reader.startingClaims
    reader.read(tree, &claims) { item in
      guard case .row(_, let stored) = item else { return }
      body(ComparedRow(stored, shape, at: places, keyCount: keyCount))
    }
  }
}

/// What rows of a table are known by, and what they are compared in.
private struct RowIdentity {
  /// The columns of the key that people see; nil where there is none.
  let key: [Name]?
  /// All stored columns, in the order of the record.
  let columns: [Name]

  init?(of name: Name, in survey: Survey) {
    guard let table = survey.schema?.parsed.table(named: name),
      let shape = survey.schema?.shape(ofTable: name)
    else { return nil }
    columns = shape.stored.map(\.name)
    key =
      shape.withoutRowID
      ? shape.stored.prefix(table.storedKeyCount).map(\.name)
      : shape.stored.first(where: \.isRowID).map { [$0.name] }
  }

  /// The columns that two states share; nil where they share none, so that nothing but whole rows
  /// can be compared.
  func columns(sharedWith other: RowIdentity) -> Set<Name>? {
    let shared = Set(columns).intersection(other.columns)
    return shared.isEmpty ? nil : shared
  }
}

extension ComparedRow {
  fileprivate init(_ stored: StoredRecord, _ shape: RowShape?, at places: [Int]?, keyCount: Int) {
    let fields = Array(stored.record.fields)
    if let rowID = stored.rowID {
      identity = UInt64(bitPattern: rowID)
    } else {
      var key = KeyHash()
      for field in fields.prefix(keyCount) { key.add(stored.record, field) }
      identity = key.digest
    }
    var content = KeyHash()
    if let shape, let places {
      for place in places {
        switch shape.content(at: place, of: fields, rowID: stored.rowID) {
        case .value(let value): content.add(value)
        case .field(let field, _): content.add(stored.record, field)
        }
      }
    } else {
      for field in fields { content.add(stored.record, field) }
    }
    self.content = content.digest
  }
}
