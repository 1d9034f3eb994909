// SPDX-License-Identifier: Apache-2.0
// A merge under way: the newest input, salvaged, takes the rows of the older ones, salvaged too. All
// files that SQLite opens here were made by this run.

import Diagnosis
import SQLiteFormat

/// A merge under way.
struct Merger: ~Copyable {
  /// On the database that becomes the result, with one older input and the decisions beside it.
  let connection: Connection
  let world: World
  let rules: MergeRules
  /// The schema of the result.
  let schema: FreshSchema
  /// The rows that were set aside.
  var aside: QuarantineDatabase
  var ledger: MergeLedger
  /// The tables whose rows are merged, each with the number by which its decisions are named.
  let tables: [(number: Int, description: TableDescription)]
  /// The highest numbers that any input uses for the keys of tables that are renumbered: a new key is
  /// none that an input which is still to come has.
  private(set) var numbersInUse: [Name: Int64] = [:]
  /// What the inputs are called, the oldest first.
  let labels: [String]
  /// How many inputs there are.
  var inputCount: Int { labels.count }
  /// The bytes of all private databases, and more: how long SQLite may take is told by them.
  let byteCount: Int

  /// Makes ready on the database of the newest input, with files for what is set aside and for what
  /// is noted on the way.
  ///
  /// - Throws: ``SQLiteError`` when the files cannot be opened.
  init(
    _ inputs: [StagedInput], schema: FreshSchema, rules: MergeRules,
    aside: FilePath, meta: [(key: String, value: String)], work: FilePath, byteCount: Int,
    world: World
  ) throws(SQLiteError) {
    let connection = try Self.open(inputs[inputs.count - 1].database, schema, byteCount, world)
    try connection.attach(work, as: "work")
    try connection.execute(
      """
      PRAGMA foreign_keys = OFF; PRAGMA cache_size = -32768;
      PRAGMA main.journal_mode = MEMORY; PRAGMA main.synchronous = OFF;
      PRAGMA work.journal_mode = MEMORY; PRAGMA work.synchronous = OFF
      """)
    let aside = try QuarantineDatabase(at: aside, encoding: schema.encoding, image: nil, meta: meta)
    self.connection = connection
    self.world = world
    self.rules = rules
    self.schema = schema
    self.aside = aside
    self.byteCount = byteCount
    labels = inputs.map(\.label)
    tables = schema.mergedTables.enumerated().map { ($0, $1) }
    ledger = MergeLedger(inputCount: inputs.count)
  }

  private static func open(
    _ path: FilePath, _ schema: FreshSchema, _ byteCount: Int, _ world: World
  ) throws(SQLiteError) -> Connection {
    let connection = try Connection(path, mode: .readWrite)
    connection.stop(when: world.isCancelled)
    connection.acceptUnknownCollations()
    connection.takeRowsAsTheyAre(valueBytesMax: max(1 << 20, byteCount))
    connection.patience.allow(Patience.enough(for: byteCount))
    for function in Set(schema.declared.declarations.flatMap(\.missingFunctions)) {
      connection.standIn(forFunction: function.text)
    }
    return connection
  }

  /// Begins with the newest input, whose database becomes the result.
  mutating func begin(with newest: StagedInput) throws {
    try take(newest)
    try countRegions(of: newest, in: "main")
  }

  /// Finds the numbers that the older inputs use, where rows get new ones.
  mutating func findNumbersInUse(by olders: [StagedInput]) throws {
    guard !rules.renumbered.isEmpty, olders.count > 1 else { return }
    for older in olders {
      let renumbering = try attach(older)
      for root in renumbering.roots {
        let number = try renumbering.highestNumber(of: root, in: "older", connection)
        numbersInUse[root.name] = max(numbersInUse[root.name] ?? 0, number)
      }
      try connection.detach("older")
    }
    // Where there is no room above them, free ones are looked for below.
    try connection.execute(Renumbering.takenTable)
    for older in olders {
      let renumbering = try attach(older)
      for root in renumbering.roots {
        let own = try renumbering.highestNumber(of: root, in: "main", connection)
        guard max(own, numbersInUse[root.name] ?? 0) > Renumbering.roomyMax else { continue }
        try connection.execute(
          "INSERT OR IGNORE INTO work.taken SELECT \(root.number), n FROM "
            + "(\(renumbering.numbers(of: root, in: "older")))")
      }
      try connection.detach("older")
    }
  }

  /// Attaches an older input, to see which of its rows may get new numbers.
  private func attach(_ older: StagedInput) throws -> Renumbering {
    try connection.attach(older.database, as: "older")
    let present = try connection.tables(in: "older")
    let shared = tables.filter { present.contains($0.description.name) }.compactMap {
      MergeTable($0.description, number: $0.number, clock: nil)
    }
    return Renumbering(shared, rules, of: older)
  }

  /// Takes the rows of an older input.
  mutating func add(_ older: StagedInput) throws {
    try world.requireGoingOn()
    connection.patience.allow(Patience.enough(for: byteCount))
    declare(older.addition)
    try connection.attach(older.database, as: "older")
    try connection.execute(
      "PRAGMA older.journal_mode = MEMORY; PRAGMA older.synchronous = OFF; BEGIN")
    try take(older)
    try countRegions(of: older, in: "older")
    let shared = try mergeTables(of: older)
    try Renumbering(shared, rules, of: older).run(&self)
    try MergeCourse(shared, older).run(&self)
    try raiseSequences()
    try connection.execute("COMMIT")
    try connection.detach("older")
  }

  /// Finds the words of the full-text tables anew, and closes the database.
  consuming func finish() throws -> MergedDatabase {
    connection.patience.allow(Patience.enough(for: byteCount))
    for table in schema.declared.virtualTables
    where table.isFullText && table.hasTexts && !table.parts.isEmpty {
      do throws(SQLiteError) {
        try connection.rebuildFullText(table.name)
      } catch {
        guard error.isOfOneObject else { throw error }
        ledger.reservations.append(
          "the full-text index '\(table.name)' could not be built anew: \(error.message)")
      }
    }
    try settleLosses()
    try world.requireGoingOn()
    return MergedDatabase(aside: aside, ledger: ledger)
  }

  /// Notes where other inputs make up for what one has lost: the result has a row at every rowid at
  /// which one of the lost can have been.
  private mutating func settleLosses() throws {
    for (_, table) in tables where !rules.renumbered.contains(table.name) {
      guard let key = table.rowIDColumn else { continue }
      for input in 0..<inputCount where ledger[table.name, input].lost != .none {
        guard let stretches = ledger[table.name, input].missing.bounds else { continue }
        var found: Int64 = 0
        let isEachThere = try stretches.allSatisfy { stretch in
          let count =
            try connection.value(
              "SELECT count(*) FROM \(table.name.quotedIdentifier) "
                + "WHERE \(key.quotedIdentifier) BETWEEN ? AND ?",
              [.integer(stretch.lowerBound), .integer(stretch.upperBound)])?.integerValue ?? 0
          found += count
          return count == stretch.upperBound - stretch.lowerBound + 1
        }
        guard isEachThere else { continue }
        ledger[table.name, input].isMadeUpFor = true
        ledger.notes.append(
          "\(Quantity.count(Int(found), "row")) that \(labels[input]) has lost of '\(table.name)' "
            + "\(found == 1 ? "is" : "are") as another input has "
            + "\(found == 1 ? "it: it" : "them: they") may have been changed since")
      }
    }
  }

  // MARK: Tables

  /// Makes the tables that only an older input has, with their indexes and triggers.
  private mutating func declare(_ addition: SchemaAddition) {
    ledger.notes += addition.remarks
    for declaration in addition.declarations where !declaration.isImplied {
      guard !declaration.isOnlyRecorded else {
        ledger.unrestored.append((declaration.name, "its module is not there"))
        continue
      }
      do throws(DeclarationFault) { try connection.declare(declaration) } catch {
        ledger.unrestored.append((declaration.name, error.reason))
      }
    }
  }

  /// The tables whose rows an older input can have; what cannot be merged is set aside.
  private mutating func mergeTables(of older: StagedInput) throws -> [MergeTable] {
    let (present, made) = (try connection.tables(in: "older"), try connection.tables(in: "main"))
    var shared: [MergeTable] = []
    for (number, table) in tables where present.contains(table.name) {
      guard try takesPart(table, of: older) else { continue }
      let function = schema.missingFunction(of: table.name)
      let merged = MergeTable(table, number: number, clock: rules.clock(of: table.name))
      if let merged, function == nil, made.contains(table.name) {
        shared.append(merged)
      } else {
        let reason =
          function.map { "its values need the function '\($0)', which only the app has" }
          ?? (merged == nil ? "no name in SQL tells its rows apart" : "it could not be made")
        try setAside(table, of: older, because: reason)
      }
    }
    for table in schema.unmergedVirtualTables where present.contains(table.name) {
      ledger.reservations.append(
        "'\(table.name)' is as in the newest input: what \(older.label) keeps in it is not merged")
    }
    return shared
  }

  /// The most columns of a table that are merged: SQLite takes 2000 in a query, and some of a merge
  /// ask for what is noted of a row as well.
  private static let columnsMax = 1996

  /// Whether a table of an older input is merged: one without rows is not where it is too wide.
  ///
  /// - Throws: ``RescueError`` where it is, and has rows.
  private func takesPart(_ table: TableDescription, of older: StagedInput) throws -> Bool {
    guard table.storageOrder.count > Self.columnsMax else { return true }
    let row = try connection.value("SELECT 1 FROM older.\(table.name.quotedIdentifier) LIMIT 1")
    guard row != nil else { return false }
    throw RescueError(
      .invalidInput,
      "'\(table.name)' has \(table.storageOrder.count.grouped) columns, and '\(older.label)' has rows "
        + "of it: those of more than \(Self.columnsMax.grouped) columns cannot be merged",
      meaning: "nothing was written, and the inputs are as they were",
      advice: "salvage each input into a file of its own: dbrescue salvage FILE --output NEW")
  }

  /// Sets all rows of a table of an older input aside.
  mutating func setAside(
    _ table: TableDescription, of older: StagedInput, because reason: String
  ) throws {
    let values = table.storageOrder.map {
      $0 == table.rowIDAlias ? "NULL" : table.columns[$0].name.quotedIdentifier
    }
    let rowID = table.rowIDColumn?.quotedIdentifier ?? "NULL"
    let statement = try connection.prepare(
      "SELECT \((values + [rowID]).joined(separator: ", ")) "
        + "FROM older.\(table.name.quotedIdentifier)")
    var count = 0
    while try statement.step() {
      try aside.add(
        statement.storedRow, of: table.name, from: older.label, "not-merged",
        "the table cannot be merged: \(reason)")
      count += 1
    }
    guard count > 0 else { return }
    ledger[table.name, older.number].taken -= count
    ledger[table.name, older.number].refused += count
    ledger.notes.append(
      "'\(table.name)' of \(older.label) cannot be merged: \(count.of("row", "is", "are")) set aside: "
        + reason)
  }

  // MARK: Accounts

  /// Takes over what a salvage has set aside, and its account.
  private mutating func take(_ input: StagedInput) throws {
    if input.report.quarantine != nil { try aside.take(input.quarantine, from: input.label) }
    ledger.take(input, into: schema)
  }

  /// Counts the rows of R-trees, of which a salvage only knows in what they are kept.
  private mutating func countRegions(of input: StagedInput, in database: String) throws {
    let present = try connection.tables(in: database)
    for (_, table) in tables where table.kind == .virtual && present.contains(table.name) {
      let count =
        try connection.value(
          "SELECT count(*) FROM \(database).\(table.name.quotedIdentifier)")?.integerValue ?? 0
      ledger[table.name, input.number].seen += Int(count)
      ledger[table.name, input.number].taken += Int(count)
    }
  }

  /// Raises the AUTOINCREMENT counters to those of the older input.
  private func raiseSequences() throws(SQLiteError) {
    for database in ["main", "older"] {
      guard try connection.tables(in: database).contains("sqlite_sequence") else { return }
    }
    try connection.execute(
      """
      UPDATE main.sqlite_sequence SET seq = max(iif(typeof(seq) = 'integer', seq, 0), (
        SELECT max(o.seq) FROM older.sqlite_sequence AS o
        WHERE o.name = main.sqlite_sequence.name AND typeof(o.seq) = 'integer'))
      WHERE name IN (SELECT name FROM older.sqlite_sequence WHERE typeof(seq) = 'integer');
      INSERT INTO main.sqlite_sequence (name, seq)
      SELECT name, max(seq) FROM older.sqlite_sequence WHERE typeof(seq) = 'integer' AND name NOT IN (
        SELECT name FROM main.sqlite_sequence) GROUP BY name
      """)
  }
}

/// A merged database that is closed, with what was set aside and the account.
struct MergedDatabase: ~Copyable {
  var aside: QuarantineDatabase
  let ledger: MergeLedger
}
