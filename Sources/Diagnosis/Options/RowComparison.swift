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
  /// Whether rows of the current state are lost, or may be, which nobody can compare.
  package let isCurrentInDoubt: Bool
  /// Columns that only the current state has: a restore loses what they hold.
  package let columnsOnlyCurrent: [Name]

  /// What becomes of the current rows where the other state takes the place of this one.
  package var outcome: RecoveryOption.Outcome {
    RecoveryOption.Outcome(
      table: table, kept: same, changed: changed,
      lost: onlyCurrent == 0 ? .none : .exactly(onlyCurrent), regained: onlyOther,
      isReadInPart: isCurrentInDoubt)
  }

  /// The same where the current state began empty: a row under an old number is a new one.
  package var outcomeAfterAnEmptyBeginning: RecoveryOption.Outcome {
    let lost = onlyCurrent + changed
    return RecoveryOption.Outcome(
      table: table, kept: same, lost: lost == 0 ? .none : .exactly(lost),
      regained: onlyOther + changed, isReadInPart: isCurrentInDoubt)
  }
}

extension Reconstruction {
  /// Compares the rows that can be read here with those of another state, table by table.
  ///
  /// - Throws: `CutShort` when the reading of either was stopped.
  package func compare(with other: Reconstruction) throws(CutShort) -> [RowComparison] {
    let (mine, theirs) = (survey.userTables, other.survey.userTables)
    let hidden = survey.shadowTables.union(other.survey.shadowTables)
    let names = Set(mine.keys).union(theirs.keys).subtracting(hidden)
    let compared = names.sorted().map { name in
      // What is left of a virtual table may be no more than the part with its rows.
      let (ours, others) = (
        mine[name] ?? theirs[name].flatMap { survey.tree(named: $0.entry.name) },
        theirs[name] ?? mine[name].flatMap { other.survey.tree(named: $0.entry.name) }
      )
      let isInDoubt = ours.map { loss(of: $0) != .none } ?? false
      return RowComparison(
        of: name, isInDoubt, ours.map { ComparedTable(name, $0, self) },
        others.map { ComparedTable(name, $0, other) })
    }
    for survey in [survey, other.survey] { try survey.failures.requireUncut() }
    return compared
  }
}

extension RowComparison {
  fileprivate init(
    of name: Name, _ isInDoubt: Bool, _ mine: ComparedTable?, _ theirs: ComparedTable?
  ) {
    let shared = mine.flatMap { mine in theirs.flatMap { mine.columns(sharedWith: $0) } }
    let rows = RowPairing(
      rowCount: (mine?.rowCount ?? 0) + (theirs?.rowCount ?? 0),
      haveKeys: mine.map { $0.key != nil && $0.key == theirs?.key } ?? false,
      current: { mine?.forEachRow(shared, $0) },
      other: { theirs?.forEachRow(shared, $0) })
    (table, isCurrentInDoubt) = (name, isInDoubt)
    (same, changed) = (rows.same, rows.changed)
    (onlyCurrent, onlyOther) = (rows.onlyCurrent, rows.onlyOther)
    columnsOnlyCurrent =
      shared == nil
      ? [] : (mine?.columns ?? []).filter { theirs?.columns.contains($0) == false }
  }
}

/// A table of one of two states that are compared.
struct ComparedTable {
  private let tree: TreeSurvey
  private let reconstruction: Reconstruction
  private let source: RowSource?
  /// How many fields of a record are its key, where there is no rowid.
  private let keyCount: Int

  init(_ name: Name, _ tree: TreeSurvey, _ reconstruction: Reconstruction) {
    self.tree = tree
    self.reconstruction = reconstruction
    let survey = reconstruction.survey
    source = RowSource(of: name, tree, in: survey)
    keyCount = survey.schema?.parsed.table(named: tree.entry.name)?.storedKeyCount ?? 0
  }

  /// How many rows can be read.
  var rowCount: Int { reconstruction.rowsFound(in: tree) }

  /// The columns of the key that people see; nil where there is none.
  var key: [Name]? {
    guard let source, !source.hasHiddenID else { return nil }
    let key = source.hasNaturalKey ? Array(source.columns.prefix(keyCount)) : source.keyNames
    return key.isEmpty ? nil : key
  }

  /// All columns, in the order of the record.
  var columns: [Name] { source?.columns ?? [] }

  /// The columns that two states share; nil where they share none, so that nothing but whole rows
  /// can be compared.
  func columns(sharedWith other: ComparedTable) -> Set<Name>? {
    let shared = Set(columns).intersection(other.columns)
    return shared.isEmpty ? nil : shared
  }

  /// Hands out every row that can be read, by the columns named; by all where none is.
  func forEachRow(_ columns: Set<Name>?, _ body: (ComparedRow) -> Void) {
    guard let reader = SalvageReader(reconstruction) else { return }
    let places = places(of: columns)
    var claims = reader.startingClaims
    reader.read(tree, &claims) { item in
      guard case .row(_, let stored) = item else { return }
      body(row(stored, at: places))
    }
  }

  /// Where columns are, in an order that does not depend on that: they may have changed places.
  func places(of columns: Set<Name>?) -> [Int]? {
    let names = self.columns
    return columns.map { columns in
      names.indices.filter { columns.contains(names[$0]) }.sorted { names[$0] < names[$1] }
    }
  }

  /// A row as it is compared, by the columns at some places.
  func row(_ stored: StoredRecord, at places: [Int]?) -> ComparedRow {
    ComparedRow(stored, source, at: places, keyCount: keyCount)
  }
}

extension ComparedRow {
  fileprivate init(
    _ stored: StoredRecord, _ source: RowSource?, at places: [Int]?, keyCount: Int
  ) {
    let fields = Array(stored.record.fields)
    if let rowID = stored.rowID {
      identity = UInt64(bitPattern: rowID)
    } else {
      var key = KeyHash()
      for field in fields.prefix(keyCount) { key.add(stored.record, field) }
      identity = key.digest
    }
    var content = KeyHash()
    if let source, let places {
      for place in places {
        switch source.content(at: place, of: fields, rowID: stored.rowID) {
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
