// SPDX-License-Identifier: Apache-2.0
// What a migration has lost, by comparing the database before with the one after: rows, values,
// counters, and where no contract says what is meant, what the schema demanded.

package import SQLiteFormat

/// A migration, as the database before and after tells of it.
package struct MigrationReview: Sendable {
  /// Every table's rows before and after.
  package let rowCounts: [RowCount]
  /// What is wrong, one fact a line.
  package let problems: [String]
  /// What is another than before, and may well be meant, one fact a line.
  package let notices: [String]
  /// Whether rows or values are gone that should be there.
  package let losesData: Bool
  /// Whether the version went back, which no contract allows: by one of that version, the database was
  /// newer before.
  package let goesBack: Bool

  /// Compares a database with what it was.
  ///
  /// A contract says which tables may lose rows, and which have new names. What others were seen to
  /// take from tables meanwhile is nobody's fault.
  package init(
    of after: MigrationState, since before: MigrationState, _ contract: Contract?,
    besides others: [Name: OtherWrites] = [:]
  ) {
    let after = after.findingTexts(of: before)
    let names = contract?.renamedTables ?? [:]
    let given = names.pending(from: Set(before.tables.keys), to: Set(after.tables.keys))
      .merging(StateComparison.tablesTakenIn(names, before, after)) { $1 }
    let joins = StateComparison.joins(given, before)
    let renames = Self.renames(before, after, given: given.filter { joins[$0.value] == nil }, joins)
    let comparison = StateComparison(
      before: before, after: after, contract: contract, renames: renames, joins: joins,
      others: others)
    rowCounts = comparison.rowCounts
    let losses =
      rowCounts.compactMap(comparison.problem) + comparison.joinProblems
      + comparison.replacementProblems
      + comparison.exchangeProblems + comparison.columnProblems + comparison.linkProblems
    losesData = !losses.isEmpty || comparison.hasCopiesForOthers
    goesBack = !comparison.versionProblems.isEmpty
    problems =
      comparison.versionProblems + losses + comparison.copyProblems + comparison.counterProblems
      + comparison.referenceProblems + (contract == nil ? comparison.unusable : [])
      + comparison.schemaProblems
    // A contract says itself what is meant.
    notices =
      comparison.notices + (contract == nil ? [] : comparison.unusable)
      + others.sorted { $0.key < $1.key }.flatMap { table, writes in
        writes.removesRows
          ? ["another program writes to '\(table)': what is gone of it, it may have deleted"]
          : writes.columns.sorted().map {
            "another program writes to '\(table).\($0)': values that are gone, it may have taken"
          }
      }
  }

  /// New names of tables by their old ones: as they are given, or where the rows of a table that is gone
  /// are those of one that is new.
  private static func renames(
    _ before: MigrationState, _ after: MigrationState, given: [Name: Name], _ joins: [Name: [Name]]
  ) -> [Name: Name] {
    var renames = given
    let taken = Set(renames.values).union(joins.keys)
    let joined = Set(joins.values.joined())
    let new = after.tables.filter { before.tables[$0.key] == nil && !taken.contains($0.key) }
    for (name, figures) in before.tables
    where after.tables[name] == nil && renames[name] == nil && !joined.contains(name)
      && figures.isTelling
    {
      var alike = new.filter { $0.value.rows == figures.rows && $0.value.sum == figures.sum }
      if alike.isEmpty {
        alike = new.filter { TablePair(name, $0.key, figures, $0.value, naming: [:]).isSameTable }
      }
      if alike.count == 1, let other = alike.first { renames[name] = other.key }
    }
    return renames
  }
}
