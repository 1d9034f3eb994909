// SPDX-License-Identifier: Apache-2.0
// What a migration has lost, by comparing the database before with the one after: rows, values,
// counters, and where no contract says what is meant, what the schema demanded.

package import SQLiteFormat

/// A migration, as the database before and after tells of it.
package struct MigrationReview: Sendable {
  /// The number of rows of one table before and after.
  package struct RowCount: Hashable, Sendable {
    /// The table, by its new name where it has one.
    package let table: Name
    /// Its name before; nil where that was the same, or there was no such table.
    package let oldName: Name?
    /// Rows before; nil when there was no such table.
    package let before: Int?
    /// Rows after; nil when there is no such table.
    package let after: Int?
  }

  /// Every table's rows before and after.
  package let rowCounts: [RowCount]
  /// What is wrong, one fact a line.
  package let problems: [String]
  /// Whether rows or values are gone that should be there.
  package let losesData: Bool

  /// Compares a database with what it was; a contract says which tables may lose rows, and which have
  /// new names.
  package init(of after: MigrationState, since before: MigrationState, _ contract: Contract?) {
    let renames = Self.renames(before, after, contract)
    let comparison = StateComparison(
      before: before, after: after, contract: contract, renames: renames)
    rowCounts = comparison.rowCounts
    let losses = rowCounts.compactMap(comparison.problem) + comparison.columnProblems
    losesData = !losses.isEmpty || comparison.hasCopiesForOthers
    problems =
      comparison.versionProblems + losses + comparison.copyProblems + comparison.counterProblems
      + comparison.schemaProblems
  }

  /// New names of tables by their old ones: as the contract has them, or where all rows of a table
  /// that is gone are those of one that is new.
  private static func renames(
    _ before: MigrationState, _ after: MigrationState, _ contract: Contract?
  ) -> [Name: Name] {
    var renames = (contract?.renamedTables ?? [:]).filter { old, new in
      before.tables[old] != nil && after.tables[old] == nil && before.tables[new] == nil
        && after.tables[new] != nil
    }
    let taken = Set(renames.values)
    let new = after.tables.filter { before.tables[$0.key] == nil && !taken.contains($0.key) }
    for (name, figures) in before.tables
    where after.tables[name] == nil && renames[name] == nil && figures.isTelling {
      let alike = new.filter { $0.value.rows == figures.rows && $0.value.sum == figures.sum }
      if alike.count == 1, let other = alike.first { renames[name] = other.key }
    }
    return renames
  }
}

/// Two states of a database side by side.
private struct StateComparison {
  let before: MigrationState
  let after: MigrationState
  let contract: Contract?
  /// New names of tables by their old ones.
  let renames: [Name: Name]

  /// Whether rows of a table may come and go, by its old or its new name.
  private func isFree(_ old: Name) -> Bool {
    contract?.rowCountPolicy(of: old) == .any
      || renames[old].map { contract?.rowCountPolicy(of: $0) == .any } ?? false
  }

  /// The tables that are there before and after.
  private var pairs: [(old: Name, new: Name, then: TableFigures, now: TableFigures)] {
    before.tables.sorted { $0.key < $1.key }.compactMap { old, then in
      let new = renames[old] ?? old
      return after.tables[new].map { (old, new, then, $0) }
    }
  }

  // MARK: Rows

  var rowCounts: [MigrationReview.RowCount] {
    let oldNames = Dictionary(
      renames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    let names = Set(before.tables.keys.map { renames[$0] ?? $0 }).union(after.tables.keys)
    return names.sorted().map { name in
      MigrationReview.RowCount(
        table: name, oldName: oldNames[name],
        before: before.tables[oldNames[name] ?? name]?.rows, after: after.tables[name]?.rows)
    }
  }

  func problem(with count: MigrationReview.RowCount) -> String? {
    let old = count.oldName ?? count.table
    guard let before = count.before, !isFree(old) else { return nil }
    guard let after = count.after else {
      return before == 0 ? nil : "table '\(old)' with \(before) rows is gone"
    }
    let now = count.oldName == nil ? "has" : "has, as '\(count.table)',"
    return after < before ? "'\(old)' had \(before) rows and \(now) \(after)" : nil
  }

  // MARK: Values

  /// The tables whose values are known before and after, and have to stay.
  private var comparable: [(old: Name, new: Name, then: TableFigures, now: TableFigures)] {
    pairs.filter { !isFree($0.old) && $0.then.isWhole && $0.now.isWhole }
  }

  var columnProblems: [String] {
    comparable.flatMap { columns($0.old, $0.new, $0.then, $0.now) }
  }

  var copyProblems: [String] {
    comparable.compactMap { pair in
      copies(pair.new, pair.then, pair.now).map { copies in
        let count = copies.isSample ? "many rows" : counted(copies.count, "row")
        return "'\(pair.new)' has \(count) more than before that are copies of others"
      }
    }
  }

  /// Whether copies stand in the place of rows that are gone: a table with copies has no more rows
  /// than it had, or fewer than those and the copies.
  var hasCopiesForOthers: Bool {
    comparable.contains { pair in
      copies(pair.new, pair.then, pair.now).map { copies in
        pair.now.rows < pair.then.rows + (copies.isSample ? 1 : copies.count)
      } ?? false
    }
  }

  /// Rows that are there more often than before, by how many, or by a sample; nil for none.
  private func copies(
    _ name: Name, _ then: TableFigures, _ now: TableFigures
  ) -> (count: Int, isSample: Bool)? {
    let repeats = now.copies.repeats(beyond: then.copies)
    let newNames = contract?.renamedColumns[name] ?? [:]
    let keepsColumns = then.columns.allSatisfy { now.column(newNames[$0.name] ?? $0.name) != nil }
    // Without a column that told them apart, rows may well be alike.
    guard repeats > 0, keepsColumns || now.rows > then.rows,
      now.copies.hasCopied(since: then.copies)
    else { return nil }
    return (repeats, isSample: now.copies.level > 0 || then.copies.level > 0)
  }

  private func columns(
    _ old: Name, _ new: Name, _ then: TableFigures, _ now: TableFigures
  ) -> [String] {
    // What is gone with its row is told as that.
    guard now.rows >= then.rows else { return [] }
    let newNames = contract?.renamedColumns[new] ?? contract?.renamedColumns[old] ?? [:]
    return then.columns.compactMap { column in
      let values = then.rows - column.nulls
      let name = newNames[column.name] ?? column.name
      guard let other = now.column(name) else {
        return contract == nil && values > 0
          ? "column '\(new).\(column.name)' with \(values) values is gone" : nil
      }
      let left = now.rows - other.nulls
      if left < values { return "column '\(new).\(name)' had \(values) values and has \(left)" }
      if column.variety == TableFigures.Column.varietyMax, other.variety == 1 {
        return "column '\(new).\(name)' had different values and has one and the same"
      }
      return swapped(column, other, then, now).map {
        "column '\(new).\(name)' has the values that were in '\($0)'"
      }
    }
  }

  /// The other column of which a column has the values now; nil where it has its own.
  private func swapped(
    _ column: TableFigures.Column, _ now: TableFigures.Column, _ then: TableFigures,
    _ table: TableFigures
  ) -> Name? {
    guard now.sum != column.sum, now.variety == TableFigures.Column.varietyMax,
      table.rows == then.rows
    else { return nil }
    return then.columns.first {
      $0.name != column.name && $0.sum == now.sum && $0.nulls == now.nulls
        && table.column($0.name) != nil
    }?.name
  }

  // MARK: Counters and versions

  var versionProblems: [String] {
    guard let then = before.userVersion, let now = after.userVersion, now < then else { return [] }
    return ["the version went back from \(then) to \(now)"]
  }

  var counterProblems: [String] {
    before.sequences.sorted { $0.key < $1.key }.compactMap { table, then in
      let name = renames[table] ?? table
      guard after.tables[name] != nil, !isFree(table) else { return nil }
      let now = after.sequences[name] ?? 0
      return now < then
        ? "ids of '\(name)' may be used again: its counter went back from \(then) to \(now)" : nil
    }
  }

  // MARK: Schema

  /// What the schema demanded and does not any more; a contract says itself what is meant.
  var schemaProblems: [String] {
    guard contract == nil else { return [] }
    let old = before.schema.renamingTables(renames)
    let kept = Set(after.schema.tables.map(\.name))
    let gone = old.tables.map(\.name).filter { !kept.contains($0) }
    let differences = ContractDifference.compare(
      expected: old, found: after.schema, extras: .allowed, ignoring: gone)
    return lostIndexes(differences, old) + lostRules(differences) + lostNotNull(old)
  }

  private func lostIndexes(
    _ differences: [ContractDifference], _ old: SchemaDescription
  ) -> [String] {
    let present = Set(
      after.schema.tables.flatMap { table in
        table.indexes.map { IndexMeaning($0, of: table).normal }
      }
    )
    return differences.filter { $0.subject == .index && $0.kind != .extra }.compactMap { lost in
      for table in old.tables {
        guard let index = table.indexes.first(where: { $0.name == Name(lost.object) }) else {
          continue
        }
        // The same index may have a new name.
        if present.contains(IndexMeaning(index, of: table).normal) { return nil }
      }
      return lost.kind == .missing
        ? "index '\(lost.object)' is gone" : "index '\(lost.object)' is another one than before"
    }
  }

  /// Keys and constraints of which there are fewer than before.
  private func lostRules(_ differences: [ContractDifference]) -> [String] {
    let subjects: [ContractDifference.Subject] = [.primaryKey, .unique, .check, .foreignKey]
    let grouped = Dictionary(grouping: differences.filter { subjects.contains($0.subject) }) {
      [$0.subject.rawValue, $0.object]
    }
    return grouped.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { key, all in
      let lost = all.filter { $0.kind == .missing }.count
      let new = all.filter { $0.kind == .extra }.count
      let isOther =
        key[0] == ContractDifference.Subject.primaryKey.rawValue
        && all.contains { $0.kind == .changed }
      if isOther { return "the primary key of '\(key[1])' is another one than before" }
      return lost > new ? "'\(key[1])' has lost a \(key[0])" : nil
    }
  }

  private func lostNotNull(_ old: SchemaDescription) -> [String] {
    let tables = Dictionary(
      after.schema.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return old.tables.flatMap { table in
      table.columns.filter { column in
        column.notNull
          && tables[table.name]?.columns.contains { $0.name == column.name && !$0.notNull } == true
      }.map { "column '\(table.name).\($0.name)' does not refuse NULL any more" }
    }
  }
}
