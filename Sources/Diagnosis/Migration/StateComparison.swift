// SPDX-License-Identifier: Apache-2.0
// Two states of a database side by side: the rows of its tables, its counters and versions.

import SQLiteFormat

/// Two states of a database side by side.
struct StateComparison {
  let before: MigrationState
  let after: MigrationState
  let contract: Contract?
  /// New names of tables by their old ones.
  let renames: [Name: Name]
  /// The old names of tables that are made of several.
  let joins: [Name: [Name]]
  /// What others do to tables, by the names of now.
  let others: [Name: OtherWrites]
  /// The tables that are there before and after.
  let pairs: [TablePair]
  /// The tables whose values have to stay, with the rows that were there before.
  private(set) var rowsBefore: [TablePair] = []
  /// The references to tables whose rows have other ids than before.
  private(set) var links: [Link] = []
  /// The schema of before, with the names that tables and columns have now.
  let oldSchema: SchemaDescription
  /// The tables of now, by name.
  let newTables: [Name: TableDescription]
  /// What that has and the one of now has not, or has in another way, of tables that are there; none
  /// where a contract says itself what is meant.
  let differences: [ContractDifference]

  init(
    before: MigrationState, after: MigrationState, contract: Contract?, renames: [Name: Name],
    joins: [Name: [Name]], others: [Name: OtherWrites]
  ) {
    (self.before, self.after, self.contract, self.renames) = (before, after, contract, renames)
    (self.joins, self.others) = (joins, others)
    let pairs = before.tables.sorted { $0.key < $1.key }.compactMap { old, then in
      let new = renames[old] ?? old
      let names = contract?.renamedColumns[new] ?? contract?.renamedColumns[old] ?? [:]
      return after.tables[new].map { TablePair(old, new, then, $0, naming: names) }
    }
    self.pairs = pairs
    let columns = Dictionary(
      pairs.map { ($0.new, $0.newNames) }, uniquingKeysWith: { first, _ in first })
    var old = before.schema.renamingTables(renames)
    old.tables = old.tables.map { $0.renamingColumns(columns[$0.name] ?? [:]) }
    oldSchema = old
    newTables = Dictionary(
      after.schema.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    differences = contract == nil ? ContractDifference.lost(from: old, to: after.schema) : []
    rowsBefore = comparable.map(\.ofRowsBefore)
    links = findLinks()
  }

  /// Whether rows of a table may come and go, by its old or its new name.
  func isFree(_ old: Name) -> Bool {
    others[renames[old] ?? old]?.removesRows == true || contract?.ignoreTables.contains(old) == true
      || isFreeByContract(old)
  }

  /// Whether the contract says so, by its old or its new name.
  func isFreeByContract(_ old: Name) -> Bool {
    contract?.rowCountPolicy(of: old) == .any
      || renames[old].map { contract?.rowCountPolicy(of: $0) == .any } ?? false
  }

  // MARK: Rows

  var rowCounts: [RowCount] {
    let oldNames = Dictionary(
      renames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    let names = Set(before.tables.keys.map { renames[$0] ?? $0 }).union(after.tables.keys)
      .subtracting(joins.values.joined()).union(joins.keys)
    return names.sorted().map { name in
      RowCount(
        table: name, oldName: oldNames[name],
        before: rowsBeforeJoin(into: name) ?? before.tables[oldNames[name] ?? name]?.rows,
        after: after.tables[name]?.rows)
    }
  }

  func problem(with count: RowCount) -> String? {
    let old = count.oldName ?? count.table
    guard let before = count.before, joins[count.table] == nil, !isFree(old) else { return nil }
    guard let after = count.after else {
      return before == 0 ? nil : "table '\(old)' with \(counted(before, "row")) is gone"
    }
    let now = count.oldName == nil ? "has" : "has, as '\(count.table)',"
    if after > 0, self.before.books.contains(old) { return nil }
    return after < before ? "'\(old)' had \(before) rows and \(now) \(after)" : nil
  }

  /// Migrations that a framework has noted and does not any more.
  var fewerMigrations: [String] {
    let books = before.books.subtracting(before.headTables)
    return rowCounts.compactMap { count in
      guard let before = count.before, let after = count.after, 0 < after, after < before,
        books.contains(count.oldName ?? count.table)
      else { return nil }
      return "'\(count.table)' notes \(counted(after, "migration")), and noted \(before)"
    }
  }

  /// Rows that refer to rows that are not there, more than before.
  var referenceProblems: [String] {
    guard let then = before.danglingRows, let now = after.danglingRows else { return [] }
    let oldNames = Dictionary(
      renames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    return now.sorted { $0.key < $1.key }.compactMap { table, count in
      let more = count - (then[oldNames[table] ?? table] ?? 0)
      guard more > 0 else { return nil }
      return "\(counted(more, "row")) of '\(table)' \(more == 1 ? "refers" : "refer") to rows that "
        + "are not there, and did not before"
    }
  }

  /// What names a table or column that is not there, and did not before.
  var unusable: [String] {
    let (then, now) = (oldSchema.missingParents, after.schema.missingParents)
    // An empty table that has a new name is not known again.
    let parents = Set(then.subtracting(now).map(\.parent))
    let known = Set(before.unusable.map { $0.renaming(renames) })
    return now.subtracting(then).filter { !parents.contains($0.parent) }.sorted().map { key in
      "foreign key of '\(key.table)' refers to '\(key.parent)', which is not there"
    } + after.unusable.filter { !known.contains($0) }.map(\.line)
  }

  // MARK: Counters and versions

  var versionProblems: [String] {
    guard let then = before.userVersion, let now = after.userVersion, now < then else { return [] }
    return ["the version went back from \(then) to \(now)"]
  }

  var counterProblems: [String] {
    before.sequences.sorted { $0.key < $1.key }.compactMap { table, then in
      let name = renames[table] ?? table
      guard after.tables[name] != nil, !isFree(table),
        // With a contract, that ids may be used again is its own.
        contract == nil || newTables[name]?.autoincrement != false
      else { return nil }
      let now = after.sequences[name] ?? 0
      return now < then
        ? "ids of '\(name)' may be used again: its counter went back from \(then) to \(now)" : nil
    }
  }

  /// That the database is another app's by its mark.
  var otherMarks: [String] {
    guard contract?.applicationID == nil, let then = before.applicationID,
      let now = after.applicationID, then != 0, then != now
    else { return [] }
    return ["the application id is \(now), and was \(then)"]
  }

  /// The tables to which no row can be added any more, as no number is left.
  var fullCounters: [String] {
    after.sequences.sorted { $0.key < $1.key }.compactMap { table, now in
      let old = renames.first { $0.value == table }?.key ?? table
      guard now == .max, let then = before.sequences[old], then < now else { return nil }
      return "no row can be added to '\(table)': its counter went from \(then) to the largest "
        + "number"
    }
  }
}
