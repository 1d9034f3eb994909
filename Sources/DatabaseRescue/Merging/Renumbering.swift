// SPDX-License-Identifier: Apache-2.0
// New keys for rows of an older input whose keys other rows have, and the references that follow
// them. All of it happens in the input's private database: what is merged then has no such conflict.

import Diagnosis
import SQLiteFormat

/// The renumbering of the rows of one older input.
struct Renumbering {
  /// A column that refers to a table whose rows get new keys, perhaps by way of others.
  struct Follower {
    let table: MergeTable
    let column: Name
    let root: MergeTable
  }

  let tables: [MergeTable]
  let older: StagedInput
  let roots: [MergeTable]
  let followers: [Follower]
  /// What should be known of references that cannot follow.
  var remarks: [String] = []
  /// What should be known of tables that get no new keys.
  private(set) var refusals: [String] = []
  /// The next free number of each table.
  private var next: [Name: Int64] = [:]

  init(_ tables: [MergeTable], _ rules: MergeRules, of older: StagedInput) {
    self.tables = tables
    self.older = older
    roots = tables.filter { rules.renumbered.contains($0.name) }
    var followers: [Follower] = []
    let search = RootSearch(tables: tables, renumbered: Set(roots.map(\.name)), older: older)
    for table in roots.isEmpty ? [] : tables {
      for column in Set(older.foreignKeys(of: table.description).flatMap(\.columns)) {
        let found = search.roots(of: column, in: table)
        let isComputed = !table.columns.contains(column)
        if found.count == 1, !isComputed, let root = roots.first(where: { found.contains($0.name) })
        {
          followers.append(Follower(table: table, column: column, root: root))
        } else if let first = found.map(\.text).min() {
          remarks.append(
            "'\(table.name).\(column)' refers to new keys of '\(first)' and cannot follow them: it "
              + (isComputed ? "is computed" : "refers to another table with new keys, too"))
        }
      }
    }
    self.followers = followers.sorted {
      ($0.table.number, $0.column.text) < ($1.table.number, $1.column.text)
    }
  }

  /// Gives new keys, and has references follow; where that cannot be done, all keys stay.
  func run(_ merger: inout Merger) throws {
    guard !roots.isEmpty else { return }
    var renumbering = self
    guard let error = try merger.attempt({ try renumbering.renumber(&$0) }) else { return }
    merger.ledger.reservations.append(
      "\(older.label) could not be renumbered: \(error.message)")
  }

  /// Gives new keys, and has references follow, which may give other rows new keys in turn.
  private mutating func renumber(_ merger: inout Merger) throws {
    try merger.connection.execute(
      """
      DROP TABLE IF EXISTS work.moved;
      CREATE TABLE work.moved (tbl INTEGER, old INTEGER, new INTEGER, round INTEGER,
        lost INTEGER NOT NULL DEFAULT 0, twin INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (tbl, old)) WITHOUT ROWID;
      CREATE INDEX work.moved_by_round ON moved (round, tbl, new);
      CREATE INDEX work.moved_by_new ON moved (tbl, new);
      CREATE TABLE IF NOT EXISTS work.vacant (tbl INTEGER, number INTEGER,
        PRIMARY KEY (tbl, number)) WITHOUT ROWID;
      \(Self.takenTable)
      """)
    for (place, follower) in followers.enumerated() {
      try? merger.connection.execute(
        """
        CREATE INDEX IF NOT EXISTS older."dbrescue_follower_\(place)"
        ON \(follower.table.quoted) (\(follower.column.quotedIdentifier))
        """)
    }
    let steps = RenumberingSteps()
    try findLoneKeys(&merger)
    try findTwins(merger)
    try merger.connection.execute(
      "INSERT INTO work.moved SELECT tbl, old, new, 0, lost, 1 FROM work.twins WHERE new <> old")
    for root in roots { try findConflicts(root, merger, steps) }
    // With a sign before it, a number is compared as the column is: SQLite can look it up then.
    var round: Int64 = 0
    while try steps.run(
      "SELECT 1 FROM work.moved WHERE round = ? LIMIT 1", [.integer(round)], on: merger.connection)
    {
      try merger.world.requireGoingOn()
      for root in roots { try move(root, round, merger, steps) }
      for follower in followers where follower.canMove(among: roots) {
        try findConflicts(of: follower, round, merger, steps)
      }
      for follower in followers { try follow(follower, round, &merger, steps) }
      round += 1
    }
    for follower in followers { try setAsideStuck(follower, &merger) }
    try noteBrought(merger)
    try note(&merger)
  }

  // MARK: Which rows

  /// Finds the rows whose keys other rows have, and the keys of rows that are not there.
  ///
  /// Among the first are those with a number that something refers to which is to refer to none. Rows
  /// that another input has brought have their keys already.
  private mutating func findConflicts(
    _ root: MergeTable, _ merger: borrowing Merger, _ steps: RenumberingSteps
  ) throws {
    guard let first = try firstFreeNumber(of: root, merger) else {
      refusals.append(
        "'\(root.name)' of \(older.label) is not renumbered: so many numbers are not left in a row")
      return
    }
    let key = root.address[0]
    let shared = older.columns(sharedWith: root.description)
    let lost = lostKeys(of: root).map { "UNION SELECT k, 1 FROM (\($0))" }
    _ = try steps.run(
      """
      INSERT OR IGNORE INTO work.moved (tbl, old, new, round, lost)
      SELECT \(root.number), k, ? + row_number() OVER (ORDER BY k) - 1, 0, lost FROM (
        SELECT o.\(key) AS k, 0 AS lost
        FROM older.\(root.quoted) AS o JOIN main.\(root.quoted) AS m ON m.\(key) = o.\(key)
        WHERE NOT (\(root.isSame("m", "o", in: shared))) AND NOT (\(root.isTold("m", "o")))
        AND NOT \(isTwin(root, "o"))
        UNION SELECT v.number, 0 FROM work.vacant AS v
        CROSS JOIN older.\(root.quoted) AS o ON o.\(key) = v.number
        WHERE v.tbl = \(root.number)
        UNION SELECT number, 0 FROM work.alone WHERE tbl = \(root.number)
        \(lost.joined(separator: "\n")))
      """, [.integer(first)], on: merger.connection)
    next[root.name] = try nextNumber(of: root, behind: first, 0, merger, steps)
  }

  /// Finds the rows that were the same as others, and are not any more as they refer to a row with a
  /// new key.
  private mutating func findConflicts(
    of follower: Follower, _ round: Int64, _ merger: borrowing Merger, _ steps: RenumberingSteps
  ) throws {
    let (table, key) = (follower.table, follower.table.address[0])
    guard let first = next[table.name] else { return }
    _ = try steps.run(
      """
      INSERT OR IGNORE INTO work.moved (tbl, old, new, round)
      SELECT \(table.number), o.\(key), ?1 + row_number() OVER (ORDER BY o.\(key)) - 1, ?2 + 1
      FROM work.moved AS x
      CROSS JOIN older.\(table.quoted) AS o ON o.\(follower.column.quotedIdentifier) = +x.old
      CROSS JOIN main.\(table.quoted) AS m ON m.\(key) = o.\(key)
      WHERE x.round = ?2 AND x.tbl = \(follower.root.number) AND NOT (\(table.isTold("m", "o")))
      AND NOT (x.twin AND (\(isTwin(table, "o")) OR EXISTS (SELECT 1 FROM work.moved AS y
        WHERE y.round = 0 AND y.tbl = \(table.number) AND y.new = o.\(key) AND y.twin)))
      """, [.integer(first), .integer(round)], on: merger.connection)
    next[table.name] = try nextNumber(of: table, behind: first, round + 1, merger, steps)
  }

  /// Whether a row is there already under its key, but for references to rows with new keys.
  private func isTwin(_ table: MergeTable, _ row: String) -> String {
    let key = "\(row).\(table.address[0])"
    return "EXISTS (SELECT 1 FROM work.twins AS t WHERE t.tbl = \(table.number) AND t.old = \(key) "
      + "AND t.new = \(key))"
  }

  /// The first number that is in no use, as none behind it is, for as many as there may be new ones:
  /// neither as a key, nor by what refers to one.
  ///
  /// They are above all numbers that were ever given, or, where too few are left, the last free ones
  /// below the largest.
  private mutating func firstFreeNumber(of root: MergeTable, _ merger: borrowing Merger) throws
    -> Int64?
  {
    let used = try ["main", "older"].map { try highestNumber(of: root, in: $0, merger.connection) }
    // Each row may get one key, and as it is not the same any more, another; and each row of the
    // merged database has one that something may refer to.
    let rows = try merger.connection.value(
      """
      SELECT (SELECT count(*) FROM older.\(root.quoted)) + (SELECT count(*) FROM main.\(root.quoted))
      """)
    let highest = max(used.max() ?? 0, merger.numbersInUse[root.name] ?? 0)
    let count = 2 * (rows?.integerValue ?? 0) + 1
    if !highest.addingReportingOverflow(count).overflow { return highest + 1 }
    let free = try merger.connection.value(
      """
      SELECT n + 1 FROM (
        SELECT n, coalesce(lead(n) OVER (ORDER BY n), \(Int64.max)) AS next FROM (
          SELECT 0 AS n UNION \(numbers(of: root, in: "main")) UNION \(numbers(of: root, in: "older"))
          UNION SELECT number FROM work.taken WHERE tbl = \(root.number)))
      WHERE n >= 0 AND next - n > ? ORDER BY n DESC LIMIT 1
      """, [.integer(count)])
    if free != nil {
      remarks.append(
        "new keys of '\(root.name)' are below those in use: none is left above them")
    }
    return free?.integerValue
  }

  /// Above this number a search for free ones below is prepared.
  static let roomyMax = Int64.max / 2
  /// The numbers that other inputs have, where there may be no room above them.
  static let takenTable = """
    CREATE TABLE IF NOT EXISTS work.taken (tbl INTEGER, number INTEGER,
      PRIMARY KEY (tbl, number)) WITHOUT ROWID;
    """

  /// The columns of a database with keys of a table, and those that refer to one.
  private func places(of root: MergeTable) -> [(table: String, column: String)] {
    [(root.quoted, root.address[0])]
      + followers.filter { $0.root.name == root.name }.map {
        ($0.table.quoted, $0.column.quotedIdentifier)
      }
  }

  /// A query for the numbers that a database has as keys of a table, or refers to.
  func numbers(of root: MergeTable, in database: String) -> String {
    places(of: root).map { table, column in
      "SELECT \(column) AS n FROM \(database).\(table) WHERE typeof(\(column)) = 'integer'"
    }.joined(separator: " UNION ")
  }

  /// The highest number that a database has as a key of a table, or refers to, or has given before; 0
  /// at least.
  func highestNumber(
    of root: MergeTable, in database: String, _ connection: borrowing Connection
  ) throws -> Int64 {
    var highest: Int64 = 0
    for (table, column) in places(of: root) {
      let value = try connection.value(
        "SELECT max(\(column)) FROM \(database).\(table) WHERE typeof(\(column)) = 'integer'")
      highest = max(highest, value?.integerValue ?? 0)
    }
    guard try connection.tables(in: database).contains("sqlite_sequence") else { return highest }
    let last = try connection.value(
      "SELECT max(seq) FROM \(database).sqlite_sequence WHERE name = ? COLLATE NOCASE",
      [.text(root.name)])
    return max(highest, last?.integerValue ?? 0)
  }

  /// The number behind those that were given away in a round.
  private func nextNumber(
    of table: MergeTable, behind first: Int64, _ round: Int64, _ merger: borrowing Merger,
    _ steps: RenumberingSteps
  ) throws -> Int64 {
    let last = try steps.value(
      "SELECT max(new) FROM work.moved WHERE tbl = \(table.number) AND round = ?",
      [.integer(round)], on: merger.connection)
    return max(first, (last?.integerValue).map { $0 + 1 } ?? first)
  }

  // MARK: New keys, and what follows them

  /// Gives rows their new keys; what a constraint forbids stays as it is.
  private func move(
    _ root: MergeTable, _ round: Int64, _ merger: borrowing Merger, _ steps: RenumberingSteps
  ) throws {
    let key = root.address[0]
    let moved = "work.moved AS x WHERE x.tbl = \(root.number)"
    _ = try steps.run(
      """
      UPDATE OR IGNORE older.\(root.quoted) AS o
      SET \(key) = (SELECT x.new FROM \(moved) AND x.old = o.\(key))
      WHERE o.\(key) IN (SELECT x.old FROM \(moved) AND x.round = ?)
      """, [.integer(round)], on: merger.connection)
    _ = try steps.run(
      """
      DELETE FROM work.moved WHERE tbl = \(root.number) AND round = ?
      AND EXISTS (SELECT 1 FROM older.\(root.quoted) AS o WHERE o.\(key) = moved.old)
      """, [.integer(round)], on: merger.connection)
  }

  /// Has a column follow the keys of a round.
  private func follow(
    _ follower: Follower, _ round: Int64, _ merger: inout Merger, _ steps: RenumberingSteps
  ) throws {
    let column = follower.column.quotedIdentifier
    let moved = "work.moved AS x WHERE x.tbl = \(follower.root.number)"
    _ = try steps.run(
      """
      UPDATE OR IGNORE older.\(follower.table.quoted) AS o
      SET \(column) = (SELECT x.new FROM \(moved) AND x.old = o.\(column))
      WHERE o.\(column) IN (SELECT +x.old FROM \(moved) AND x.round = ?)
      """, [.integer(round)], on: merger.connection)
    let count = try merger.connection.value("SELECT changes()")?.integerValue ?? 0
    merger.ledger[follower.table.name, older.number].followed += Int(count)
  }

  /// Sets rows aside that could not follow: they would refer to another row than they did.
  ///
  /// Among them are those that refer to a number as text.
  private func setAsideStuck(_ follower: Follower, _ merger: inout Merger) throws {
    let (table, column) = (follower.table, follower.column.quotedIdentifier)
    let stuck = """
      o.\(column) IN (SELECT x.old FROM work.moved AS x WHERE x.tbl = \(follower.root.number))
      """
    let statement = try merger.connection.prepare(
      "SELECT \(table.record("o")) FROM older.\(table.quoted) AS o WHERE \(stuck)")
    var count = 0
    while try statement.step() {
      try merger.aside.add(
        statement.storedRow, of: table.name, from: older.label, "constraint",
        "a constraint does not let it refer to the new key of its '\(follower.root.name)'")
      count += 1
    }
    guard count > 0 else { return }
    try merger.connection.execute(
      "DELETE FROM older.\(table.quoted) AS o WHERE \(stuck)")
    merger.ledger[table.name, older.number].taken -= count
    merger.ledger[table.name, older.number].stuck += count
  }
}

extension Renumbering.Follower {
  /// Whether the rows of the table get new keys themselves, and the column is not that key.
  fileprivate func canMove(among roots: [MergeTable]) -> Bool {
    roots.contains { $0.name == table.name }
  }
}
