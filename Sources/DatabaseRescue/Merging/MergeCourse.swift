// SPDX-License-Identifier: Apache-2.0
// The rows of one older input on their way into the result: what becomes of each is decided first,
// then carried out, and what is not in the result in the end is set aside.

import Diagnosis
import SQLiteFormat

/// What becomes of a row of an older input.
enum MergeDecision: Int64, CaseIterable {
  /// It goes into the result.
  case taken = 0
  /// It is there already, value for value.
  case identical = 1
  /// Another one with the same key stays.
  case outranked = 2
  /// It takes the place of the one with the same key.
  case won = 3
  /// A constraint refuses it beside the others.
  case refused = 4
  /// What it refers to is not in the result.
  case parted = 5
  /// The same of one that went into the result, and is about to leave it.
  case leaving = 6
}

/// The rows of one older input on their way into the result.
struct MergeCourse {
  private let tables: [MergeTable]
  private let older: StagedInput

  init(_ tables: [MergeTable], _ older: StagedInput) {
    self.tables = tables
    self.older = older
  }

  /// Takes every row that has a place, and sets the others aside.
  func run(_ merger: inout Merger) throws {
    let adoptions = try MergeAdoptions(tables, older, merger)
    try adoptions.begin(merger)
    var going: [MergeTable] = []
    for table in tables {
      let error = try merger.attempt { merger in
        try decide(table, &merger)
        try insert(table, &merger)
      }
      if let error {
        try merger.setAside(table.description, of: older, because: error.message)
      } else {
        going.append(table)
      }
    }
    let references = MergeReferences(going)
    if let error = try merger.attempt({ try references.withdraw(&$0) }) {
      merger.ledger.reservations.append(
        "what rows of \(older.label) refer to could not be looked for: \(error.message)")
    }
    try adoptions.end(&merger)
    for table in going {
      let error = try merger.attempt { merger in
        try references.holdBack(table, &merger)
        try replace(table, &merger)
      }
      if let error {
        try merger.connection.prepare(
          "UPDATE \(table.decisions) SET decision = 4, reason = ? WHERE decision = 3"
        ).run([.text(error.message)])
      }
      try setAside(table, &merger)
    }
    let dangling = DanglingReferences(going, older)
    if let error = try merger.attempt({ try dangling.note(&$0) }) {
      merger.ledger.reservations.append(
        "what rows of \(older.label) refer to could not be looked for: \(error.message)")
    }
    for table in going { try close(table, &merger) }
  }

  // MARK: Deciding

  /// Decides about every row of a table by what is in the result.
  private func decide(_ table: MergeTable, _ merger: inout Merger) throws {
    let (olds, news) = (table.places("o"), table.places("m"))
    try merger.connection.execute(
      """
      DROP TABLE IF EXISTS \(table.decisions);
      CREATE TABLE \(table.decisions) (seq INTEGER PRIMARY KEY, decision INTEGER, age INTEGER,
        reason TEXT, \((olds + news).joined(separator: ", ")))
      """)
    let shared = older.columns(sharedWith: table.description)
    let added = table.columns.filter { !shared.contains($0) }
    if !table.key.isEmpty {
      try merger.connection.execute(decisionByKey(table, shared, merger.rules))
    }
    // Rows without a key are the same only where all their values are.
    if table.key.isEmpty || table.hidesAddress {
      try merger.connection.execute(decisionByValues(table, shared))
    }
    let count = try merger.connection.value("SELECT count(*) FROM \(table.decisions)")
    guard count != .integer(0), !added.isEmpty else { return }
    merger.ledger.notes.append(
      "'\(table.name)' of \(older.label) has no \(added.map { "'\($0)'" }.joined(separator: ", ")): "
        + "its rows are compared by the columns that both have")
  }

  private func decisionByKey(
    _ table: MergeTable, _ shared: Set<Name>, _ rules: MergeRules
  ) -> String {
    let (olds, news) = (table.places("o"), table.places("m"))
    let columns =
      zip(table.address, olds).map { "o.\($0) AS \($1)" }
      + zip(table.address, news).map { "m.\($0) AS \($1)" }
    let addresses = zip(olds, news).map { old, new in
      table.hidesAddress ? new : "ifnull(\(new), \(old))"
    }
    return """
      INSERT INTO \(table.decisions) (decision, age, \((olds + news).joined(separator: ", ")))
      SELECT CASE WHEN m0 IS NULL THEN 0 WHEN same THEN 1 WHEN age > 0 THEN 3 WHEN age < 0 THEN 2
          ELSE \(rules.prefersOld ? 3 : 2) END,
        age, \((olds + addresses).joined(separator: ", "))
      FROM (SELECT \(columns.joined(separator: ", ")), \(table.isSame("m", "o", in: shared)) AS same,
          \(table.age) AS age
        FROM older.\(table.quoted) AS o LEFT JOIN main.\(table.quoted) AS m
          ON \(table.hasSameKey) WHERE \(table.hasKey("o")))
      """
  }

  private func decisionByValues(_ table: MergeTable, _ shared: Set<Name>) -> String {
    let columns = table.columns.filter { shared.contains($0) }
    let names = columns.map { $0.quotedIdentifier }
    let group = columns.flatMap { table.groups(by: $0) }.joined(separator: ", ")
    let isKeyless = table.key.isEmpty ? "1" : "NOT (\(table.hasKey("t")))"
    func rows(_ database: String) -> String {
      let values = names.enumerated().map { "t.\($1) AS x\($0)" }
      let places = table.address.enumerated().map { "t.\($1) AS a\($0)" }
      let copy = "row_number() OVER (PARTITION BY \(group.isEmpty ? "1" : group)) AS copy"
      return "SELECT \((places + values + [copy]).joined(separator: ", ")) "
        + "FROM \(database).\(table.quoted) AS t WHERE \(isKeyless)"
    }
    let same = columns.enumerated().flatMap { place, column in
      table.sameValue("m.x\(place)", "o.x\(place)", column)
    }
    return """
      WITH o AS (\(rows("older"))), m AS (\(rows("main")))
      INSERT INTO \(table.decisions)
        (decision, age, \((table.places("o") + table.places("m")).joined(separator: ", ")))
      SELECT m.copy IS NOT NULL, 0, \(table.places("o.a").joined(separator: ", ")),
        \(table.places("m.a").joined(separator: ", "))
      FROM o LEFT JOIN m ON \((same + ["m.copy = o.copy"]).conjunction)
      """
  }

  // MARK: Carrying out

  /// Inserts the rows that are not there, one by one: what is refused costs no other.
  private func insert(_ table: MergeTable, _ merger: inout Merger) throws {
    let insertion = PreparedStatement(
      try merger.connection.prepare(table.insertion(at: "o")))
    let place = PreparedStatement(
      try merger.connection.prepare(
        "UPDATE \(table.decisions) SET m0 = last_insert_rowid() WHERE seq = ?"))
    try merger.forEach(.taken, of: table) { merger, row in
      do throws(SQLiteError) {
        try insertion.run([row])
        if table.hidesAddress { try place.run([row]) }
      } catch {
        try merger.refuse(row, of: table, error)
      }
    }
  }

  /// Puts rows in the place of those that give way, which are set aside.
  private func replace(_ table: MergeTable, _ merger: inout Merger) throws {
    let present = PreparedStatement(try merger.connection.prepare(table.displacedRow))
    let removal = PreparedStatement(try merger.connection.prepare(table.removal))
    let insertion = PreparedStatement(try merger.connection.prepare(table.insertion(at: "m")))
    let age = PreparedStatement(
      try merger.connection.prepare("SELECT age FROM \(table.decisions) WHERE seq = ?"))
    try merger.forEach(.won, of: table) { merger, row in
      guard let old = try present.firstStored([row]) else { return }
      let owner = try merger.owner(of: row, in: table)
      try merger.connection.execute("SAVEPOINT one_row")
      do throws(SQLiteError) {
        try removal.run([row])
        try insertion.run([row])
      } catch {
        try merger.connection.execute("ROLLBACK TO one_row; RELEASE one_row")
        return try merger.refuse(row, of: table, error)
      }
      try merger.connection.execute("RELEASE one_row")
      let isOlder = try age.first([row])?.first?.integerValue ?? 0 > 0
      try merger.aside.add(
        old, of: table.name, from: merger.label(owner), "key-taken",
        "a row of \(older.label) has the same key and other values, and stays"
          + (isOlder ? table.newerWords : ""))
      merger.ledger[table.name, owner].taken -= 1
      merger.ledger[table.name, owner].conflicts += 1
    }
  }

  /// Sets the rows aside that are not in the result.
  private func setAside(_ table: MergeTable, _ merger: inout Merger) throws {
    let statement = try merger.connection.prepare(
      """
      SELECT \(table.record("o")), d.decision, d.age, d.reason FROM \(table.decisions) AS d
      CROSS JOIN older.\(table.quoted) AS o ON \(table.isRow("o", "o"))
      WHERE d.decision IN (2, 4, 5) ORDER BY d.seq
      """)
    while try statement.step() {
      let values = Array(statement.storedRow.dropLast(3))
      let told = (values.count..<statement.columnCount).map { statement[$0] }
      let (word, evidence): (String, String) =
        switch told[0].integerValue.flatMap(MergeDecision.init) {
        case .refused:
          (
            "constraint",
            "the merged database refuses it: \(told[2].utf8String ?? "a constraint")"
          )
        case .parted: ("parent-aside", "the row that it refers to is not in the merged database")
        default:
          (
            "key-taken",
            "a row of a newer input has the same key and other values, and stays"
              + (told[1].integerValue ?? 0 < 0 ? table.newerWords : "")
          )
        }
      try merger.aside.add(values, of: table.name, from: older.label, word, evidence)
    }
  }

  /// Writes down what became of the rows of a table.
  private func close(_ table: MergeTable, _ merger: inout Merger) throws {
    var cell = merger.ledger[table.name, older.number]
    cell.taken = 0
    for row in try merger.connection.rows(
      "SELECT decision, count(*), total(age <> 0) FROM \(table.decisions) GROUP BY decision")
    {
      let count = Int(row[1].integerValue ?? 0)
      let byColumn = if case .real(let count) = row[2] { Int(count) } else { 0 }
      switch row[0].integerValue.flatMap(MergeDecision.init) {
      case .taken: cell.taken += count
      case .won:
        cell.taken += count
        cell.won += count
        cell.byColumn += byColumn
      case .identical: cell.identical += count
      case .outranked:
        cell.conflicts += count
        cell.byColumn += byColumn
      case .refused: cell.refused += count
      case .parted, .leaving: cell.parted += count
      case nil: break
      }
    }
    // Of what was not taken, it does not matter which key it would have had.
    if cell.renumbered > 0 {
      cell.renumbered -= Int(
        try merger.connection.value(
          """
          SELECT count(*) FROM \(table.decisions) AS d WHERE decision NOT IN (0, 3) AND EXISTS (
            SELECT 1 FROM work.moved AS x
            WHERE x.tbl = \(table.number) AND x.new = d.o0 AND NOT x.lost AND NOT x.twin)
          """)?.integerValue ?? 0)
    }
    merger.ledger[table.name, older.number] = cell
    try merger.noteOwners(of: table, older.number)
    try merger.connection.execute("DROP TABLE \(table.decisions)")
  }
}
