// SPDX-License-Identifier: Apache-2.0
// Trees that lost their root, their order or their name: whose pages are whose, by evidence.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct LostTreeTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// Numbers from 1 to 300.
  private static let numbers =
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)"

  /// Two tables of one form, each with an index on a column that tells its rows apart.
  private static let twins: [DatabaseBuilder.Step] = [
    "CREATE TABLE jan (id INTEGER PRIMARY KEY, code TEXT, n INT NOT NULL)",
    "CREATE TABLE feb (id INTEGER PRIMARY KEY, code TEXT, n INT NOT NULL)",
    "CREATE INDEX jan_code ON jan (code)", "CREATE INDEX feb_code ON feb (code)",
    "\(numbers) INSERT INTO jan SELECT i, 'jan-' || i, i FROM n",
    "\(numbers) INSERT INTO feb SELECT i, 'feb-' || i, i FROM n",
  ]

  /// Two tables of different forms.
  private static let strangers: [DatabaseBuilder.Step] = [
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE TABLE sums (id INTEGER PRIMARY KEY, amount REAL NOT NULL, paid INT NOT NULL)",
    "\(numbers) INSERT INTO notes SELECT i, 'note ' || i FROM n",
    "\(numbers) INSERT INTO sums SELECT i, i * 1.5, i % 2 FROM n",
  ]

  /// What a salvage gave, beside the database before the damage.
  private struct Outcome {
    let original: Oracle
    let new: Oracle
    let quarantine: Oracle?
    let ending: Ending

    func rowsAside(_ condition: String = "1") throws -> Int64? {
      try quarantine?.value("SELECT count(*) FROM rows WHERE \(condition)")?.integerValue
    }
  }

  /// Builds a database, damages it, salvages it.
  private func salvage(
    _ builder: DatabaseBuilder, words: [any Word] = [], damage: (Oracle) throws -> [Damage]
  ) throws -> Outcome {
    let file = bench["app.db"]
    try builder.build(at: file)
    let original = try Oracle(file)
    var bytes = try file.contents()
    for step in try damage(original) {
      let before = bytes
      bytes = step.applied(to: bytes, pageSize: builder.pageSize)
      try #require(bytes != before, "\(step) changes nothing")
    }
    try file.replaceContents(with: bytes)
    let output = bench["new.db"]
    let ending = try bench.run(["salvage", file, "--output", output] + words)
    let new = try Oracle(output)
    #expect(try new.integrityErrors == [])
    let quarantine = output.adding(suffix: ".quarantine.db")
    return Outcome(
      original: original, new: new,
      quarantine: try quarantine.exists ? Oracle(quarantine) : nil, ending: ending)
  }

  private func root(_ oracle: Oracle, _ name: String) throws -> Int {
    let value = try oracle.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
    return Int(try #require(value?.integerValue))
  }

  private func leaves(_ oracle: Oracle, _ name: String) throws -> [Int] {
    try oracle.pages.filter { $0.object == name && $0.kind == "leaf" }.map(\.number)
  }

  private func expectSame(_ table: String, _ outcome: Outcome) throws {
    #expect(
      try Set(outcome.new.rows(of: table)) == Set(outcome.original.rows(of: table)), "\(table)")
  }

  @Test func `a lost root costs no row where only one table misses pages`() throws {
    let outcome = try salvage(DatabaseBuilder(pageSize: 512, Self.twins)) { oracle in
      [.zeroPage(try root(oracle, "jan"))]
    }
    for table in ["jan", "feb"] { try expectSame(table, outcome) }
  }

  @Test func `indexes tell the leaves of two lost tables apart`() throws {
    let outcome = try salvage(DatabaseBuilder(pageSize: 512, Self.twins)) { oracle in
      [.zeroPage(try root(oracle, "jan")), .zeroPage(try root(oracle, "feb"))]
    }
    for table in ["jan", "feb"] { try expectSame(table, outcome) }
  }

  @Test func `without a witness, the leaves of two lost tables are set aside`() throws {
    let builder = DatabaseBuilder(pageSize: 512, Self.twins.filter { !$0.isIndex })
    let outcome = try salvage(builder) { oracle in
      [.zeroPage(try root(oracle, "jan")), .zeroPage(try root(oracle, "feb"))]
    }
    #expect(outcome.ending.status == 14)
    #expect(try outcome.new.count(of: "jan") + outcome.new.count(of: "feb") == 0)
    #expect(try outcome.rowsAside("reason = 'orphan' AND evidence LIKE '%jan, feb%'") == 600)
  }

  @Test func `a pointer map tells the leaves of two lost tables apart`() throws {
    let builder = DatabaseBuilder(
      pageSize: 512, autoVacuum: .full, Self.twins.filter { !$0.isIndex })
    let outcome = try salvage(builder) { oracle in
      [.zeroPage(try root(oracle, "jan")), .zeroPage(try root(oracle, "feb"))]
    }
    for table in ["jan", "feb"] { try expectSame(table, outcome) }
  }

  @Test func `swapped roots of two tables of one form are found by their indexes`() throws {
    let outcome = try salvage(DatabaseBuilder(pageSize: 512, Self.twins)) { oracle in
      [.swapPages(try root(oracle, "jan"), try root(oracle, "feb"))]
    }
    for table in ["jan", "feb"] { try expectSame(table, outcome) }
  }

  @Test func `swapped leaves of two tables go back to their own`() throws {
    let outcome = try salvage(DatabaseBuilder(pageSize: 512, Self.twins)) { oracle in
      [.swapPages(try leaves(oracle, "jan")[2], try leaves(oracle, "feb")[4])]
    }
    for table in ["jan", "feb"] { try expectSame(table, outcome) }
  }

  @Test func `swapped leaves of one table go back to their places`() throws {
    let outcome = try salvage(DatabaseBuilder(pageSize: 512, Self.twins)) { oracle in
      let leaves = try leaves(oracle, "jan")
      return [.swapPages(leaves[1], leaves[5])]
    }
    try expectSame("jan", outcome)
  }

  @Test func `a table WITHOUT ROWID gets its rows back, those of interior pages too`() throws {
    let builder = DatabaseBuilder(
      pageSize: 512,
      [
        "CREATE TABLE pairs (a TEXT, b INT, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID",
        "\(Self.numbers) INSERT INTO pairs SELECT 'key ' || (i % 7), i, 'value ' || i FROM n",
      ])
    let outcome = try salvage(builder) { oracle in [.zeroPage(try root(oracle, "pairs"))] }
    let inRoot = 300 - (try outcome.new.count(of: "pairs"))
    #expect(inRoot > 0 && inRoot < 30)
    #expect(try Set(outcome.new.rows(of: "pairs")).isSubset(of: outcome.original.rows(of: "pairs")))
  }

  @Test func `schema pages that nothing leads to still name their tables`() throws {
    let tables = (1...120).map { number -> DatabaseBuilder.Step in
      "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, x\(number) TEXT)"
    }
    let rows = (1...120).map { number -> DatabaseBuilder.Step in
      "INSERT INTO t\(number) VALUES (\(number), 'row of \(number)')"
    }
    let outcome = try salvage(DatabaseBuilder(pageSize: 1024, tables + rows)) { _ in
      [.zeroPage(1)]
    }
    for number in [1, 60, 120] { try expectSame("t\(number)", outcome) }
  }

  private func schema(of steps: [DatabaseBuilder.Step]) throws -> FilePath {
    let schema = bench["schema.sql"]
    let sql = steps.filter { $0.sql.hasPrefix("CREATE") }.map { "\($0.sql);\n" }.joined()
    try schema.replaceContents(with: Bytes(sql.utf8))
    return schema
  }

  @Test func `with the app's schema, a lost first page costs no row`() throws {
    let schema = try schema(of: Self.strangers)
    let outcome = try salvage(
      DatabaseBuilder(pageSize: 1024, Self.strangers), words: ["--schema", schema]
    ) { _ in [.zeroPage(1)] }
    for table in ["notes", "sums"] { try expectSame(table, outcome) }
  }

  @Test func `with the app's schema, tables of one form stay apart from those of another`() throws {
    let schema = try schema(of: Self.twins + Self.strangers)
    let outcome = try salvage(
      DatabaseBuilder(pageSize: 1024, Self.twins + Self.strangers), words: ["--schema", schema]
    ) { _ in [.zeroPage(1)] }
    for table in ["notes", "sums"] { try expectSame(table, outcome) }
    // Which of the twins is January, nothing tells.
    #expect(try outcome.new.count(of: "jan") + outcome.new.count(of: "feb") == 0)
    #expect(try outcome.rowsAside("reason = 'orphan' AND evidence LIKE '%jan, feb%'") == 600)
  }

  @Test func `with the app's schema, a head that was cut off costs what it held`() throws {
    let schema = try schema(of: Self.strangers)
    let file = bench["app.db"]
    try DatabaseBuilder(pageSize: 1024, Self.strangers).build(at: file)
    let original = try Oracle(file)
    // Pages 1 and 2 are gone, and the start of page 3: roots, which hold no rows.
    try file.replaceContents(with: Bytes(file.contents().dropFirst(2 * 1024 + 300)))
    let ending = try bench.run(
      "salvage", file, "--output", bench["new.db"], "--schema", schema)
    #expect(ending.status == 14)
    let new = try Oracle(bench["new.db"])
    for table in ["notes", "sums"] {
      let rows = try Set(new.rows(of: table))
      #expect(try rows.isSubset(of: original.rows(of: table)))
    }
    let quarantine = try Oracle(bench["new.db.quarantine.db"])
    let aside = try quarantine.value("SELECT count(*) FROM rows")?.integerValue ?? 0
    #expect(try new.count(of: "notes") + new.count(of: "sums") + Int(aside) == 600)
  }

  @Test func `rows of free pages do not come back when their list is lost`() throws {
    let schema = bench["schema.sql"]
    let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)"
    try schema.replaceContents(with: Bytes(sql.utf8))
    let builder = DatabaseBuilder(
      pageSize: 512,
      [
        "\(sql)", "\(Self.numbers) INSERT INTO t SELECT i, 'row ' || i FROM n",
        "DELETE FROM t WHERE id <= 200",
      ])
    let outcome = try salvage(builder, words: ["--schema", schema]) { oracle in
      [.zeroPage(1), .zeroPage(try root(oracle, "t"))]
    }
    #expect(outcome.ending.status == 14)
    #expect(try outcome.new.value("SELECT count(*) FROM t WHERE id <= 200") == .integer(0))
    let aside = try outcome.rowsAside(#""rowid" > 200"#) ?? 0
    #expect(try Int(aside) + outcome.new.count(of: "t") >= 100)
  }

  @Test func `an older copy of a page is contradicted by the index`() throws {
    let file = bench["app.db"]
    let steps: [DatabaseBuilder.Step] = [
      "CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE)",
      "\(Self.numbers) INSERT INTO t SELECT i, 'code ' || i FROM n",
    ]
    try DatabaseBuilder(pageSize: 512, steps).build(at: file)
    let older = try file.contents()
    let oracle = try Oracle(file)
    let leaf = try leaves(oracle, "t")[3]
    try Connection(file, mode: .readWrite, schemaBy: .us).execute(
      "UPDATE t SET code = 'dose ' || id")
    var bytes = try file.contents()
    let page = ((leaf - 1) * 512)..<(leaf * 512)
    bytes.replaceSubrange(page, with: older[page])
    try file.replaceContents(with: bytes)
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 14)
    let new = try Oracle(bench["new.db"])
    #expect(try new.value("SELECT count(*) FROM t WHERE code LIKE 'code %'") == .integer(0))
    let aside = try Oracle(bench["new.db.quarantine.db"])
    let count = try aside.value("SELECT count(*) FROM rows WHERE reason = 'contradicted'")
    #expect(try (count?.integerValue ?? 0) > 0 && new.count(of: "t") > 250)
  }

  @Test func `a page written to a wrong place is not taken for the one it destroyed`() throws {
    let builder = DatabaseBuilder(pageSize: 512, Self.twins.filter { !$0.isIndex })
    let outcome = try salvage(builder) { oracle in
      let (jan, feb) = (try leaves(oracle, "jan"), try leaves(oracle, "feb"))
      return [.zeroPage(try root(oracle, "feb")), .copyPage(from: jan[3], to: feb[3])]
    }
    #expect(
      try outcome.new.value("SELECT count(*) FROM feb WHERE code LIKE 'jan%'") == .integer(0))
  }

  /// A table whose rows are in the order of a key, with an index over it.
  private static let ledger: [DatabaseBuilder.Step] = [
    """
    CREATE TABLE ledger (amount REAL, memo TEXT, day INTEGER, account TEXT, seq INTEGER,
      PRIMARY KEY (account, day DESC, seq)) WITHOUT ROWID
    """,
    "CREATE INDEX ledger_memo ON ledger (memo)",
    """
    \(numbers) INSERT INTO ledger
    SELECT i * 1.25, 'memo ' || i % 7, 1000 + i, substr('bankcardcash', i % 3 * 4 + 1, 4), i FROM n
    """,
  ]

  @Test func `entries of an index are not taken for rows with fewer columns`() throws {
    let outcome = try salvage(DatabaseBuilder(pageSize: 1024, Self.ledger)) { original in
      [.zeroPage(try root(original, "ledger")), .zeroPage(try root(original, "ledger_memo"))]
    }
    let strange = try outcome.new.value(
      "SELECT count(*) FROM ledger WHERE memo IS NULL OR account NOT IN ('bank', 'card', 'cash')")
    #expect(strange == .integer(0))
  }

  @Test func `of a keyed page without its first half the other rows are kept`() throws {
    var rows: Int64 = 0
    let outcome = try salvage(DatabaseBuilder(pageSize: 1024, Self.ledger)) { original in
      let leaf = try leaves(original, "ledger")[2]
      rows = try #require(original.value("SELECT count(*) FROM ledger")?.integerValue)
      return [.zeroRange(offset: (leaf - 1) * 1024, count: 512)]
    }
    let written = try #require(
      outcome.new.value("SELECT count(*) FROM ledger")?.integerValue)
    let aside = try outcome.rowsAside("\"table\" = 'ledger'") ?? 0
    // Half a page holds about 16 rows.
    #expect(written + aside >= rows - 20)
    let strange = try outcome.new.value(
      "SELECT count(*) FROM ledger WHERE amount <> seq * 1.25 OR day <> 1000 + seq")
    #expect(strange == .integer(0))
  }

  @Test func `two tables that one root leads to get their rows by form, in every run`() throws {
    let file = bench["app.db"]
    let steps: [DatabaseBuilder.Step] = [
      "CREATE TABLE paths (path TEXT, rev INTEGER, body BLOB, PRIMARY KEY (path, rev)) WITHOUT ROWID",
      "CREATE TABLE facts (subject TEXT, object ANY, PRIMARY KEY (object, subject)) WITHOUT ROWID",
      "\(Self.numbers) INSERT INTO paths SELECT hex(zeroblob(100)) || i, i, zeroblob(20) FROM n",
      "\(Self.numbers) INSERT INTO facts SELECT hex(zeroblob(90)) || i, 'o' || i FROM n",
    ]
    try DatabaseBuilder(pageSize: 1024, autoVacuum: .full, steps).build(at: file)
    do {
      let connection = try Connection.unguarded(file)
      try connection.execute(
        """
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'facts')
          WHERE name = 'paths'
        """)
    }
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 14, "\(ending.all)")
    let new = try Oracle(bench["new.db"])
    #expect(try new.count(of: "facts") == 300, "\(ending.all)")
    #expect(try new.count(of: "paths") == 300)
  }
}

extension DatabaseBuilder.Step {
  fileprivate var isIndex: Bool { sql.hasPrefix("CREATE INDEX") }
}
