// SPDX-License-Identifier: Apache-2.0
// What SQLite itself calls malformed is never healthy, and the other way round.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct RefusedBySQLiteTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// What SQLite says of a private copy: `ok`, the first complaint, or the error.
  private func word(on file: FilePath) throws -> String {
    try ScratchFolder.with { scratch in
      let copy = scratch["copy.db"]
      try file.copyFileSet(to: copy)
      do {
        let connection = try Connection(copy, mode: .app)
        return try connection.value("PRAGMA integrity_check(1)")?.utf8String ?? "nothing"
      } catch let error as SQLiteError {
        return error.message
      }
    }
  }

  /// Holds the verdicts of the program against what SQLite says.
  private func compare(
    _ file: FilePath, isSound: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let word = try word(on: file)
    #expect((word == "ok") == isSound, "\(word)", sourceLocation: sourceLocation)
    for command in ["check", "diagnose"] {
      let ending = try bench.run(command, file)
      let isExpected = isSound ? ending.status == 0 : (13...14).contains(ending.status)
      #expect(isExpected, "\(command): \(ending.all)", sourceLocation: sourceLocation)
    }
    let backup = try bench.run("backup", file, "--vault", bench["vault"])
    #expect((backup.status == 0) == isSound, "\(backup.all)", sourceLocation: sourceLocation)
    #expect(backup.status != 70, "\(backup.all)", sourceLocation: sourceLocation)
  }

  private func build(_ builder: DatabaseBuilder) throws -> FilePath {
    let file = bench["app.db"]
    try builder.build(at: file)
    return file
  }

  private func change(_ file: FilePath, _ body: (inout Bytes) -> Void) throws {
    var bytes = try file.contents()
    body(&bytes)
    try file.replaceContents(with: bytes)
  }

  /// Fills a table with rows of these expressions over `n`.
  private static func fill(
    _ table: String, _ expressions: String, count: Int
  ) -> DatabaseBuilder.Step {
    """
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT \(count))
    INSERT INTO \(table) SELECT \(expressions) FROM numbers
    """
  }

  private static let objects: [DatabaseBuilder.Step] = [
    "CREATE TABLE t (a, b, UNIQUE (a))", "INSERT INTO t VALUES (1, 2), (3, 4)",
    "CREATE VIEW v AS SELECT 1", "CREATE INDEX i ON t (b)",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE f USING fts5 (x)",
    "CREATE TABLE counted (i INTEGER PRIMARY KEY AUTOINCREMENT)", "INSERT INTO counted VALUES (1)",
  ]

  // MARK: The header

  @Test(arguments: [
    (19, 3), (21, 65), (22, 1), (23, 9), (47, 5), (67, 1),
  ])
  func `a header byte that SQLite refuses is damage`(offset: Int, value: UInt8) throws {
    let file = try build(DatabaseBuilder(Self.objects))
    try change(file) { $0[offset] = value }
    try compare(file, isSound: false)
  }

  @Test func `a version that may only be read is no damage, and reported`() throws {
    let file = try build(DatabaseBuilder(Self.objects))
    try change(file) { $0[18] = 3 }
    #expect(try word(on: file) == "ok")
    let ending = try bench.run("check", file)
    #expect(ending.status == 0 && ending.all.contains("DBR-F028"), "\(ending.all)")
  }

  @Test func `a largest root page that is another one is damage`() throws {
    let file = try build(DatabaseBuilder(autoVacuum: .full, Self.objects))
    try compare(file, isSound: true)
    try change(file) { $0[55] -= 1 }
    try compare(file, isSound: false)
  }

  @Test func `a pointer map that is wrong about any page is damage`() throws {
    let file = try build(
      DatabaseBuilder(
        pageSize: 512, autoVacuum: .incremental,
        Self.objects + [
          Self.fill("t", "n * 5, n", count: 200), "CREATE TABLE long (x)",
          "INSERT INTO long VALUES (zeroblob(3000))", "CREATE TABLE gone (x)",
          Self.fill("gone", "zeroblob(100)", count: 50), "DROP TABLE gone",
        ]))
    let sound = try file.contents()
    try compare(file, isSound: true)
    var kinds: Set<UInt8> = []
    for entry in 0..<100
    where sound[512 + 5 * entry] != 0 && kinds.insert(sound[512 + 5 * entry]).inserted {
      try change(file) { bytes in
        bytes = sound
        bytes[512 + 5 * entry + 4] ^= 1
      }
      try compare(file, isSound: false)
    }
    #expect(kinds == [1, 2, 3, 4, 5])
  }

  // MARK: Rows of the schema

  private static let refusedRows = [
    "UPDATE sqlite_schema SET rootpage = NULL WHERE type = 'view'",
    "UPDATE sqlite_schema SET rootpage = 2 WHERE type = 'view'",
    "UPDATE sqlite_schema SET rootpage = 2222 WHERE type = 'trigger'",
    "UPDATE sqlite_schema SET rootpage = -1 WHERE name = 'f'",
    "UPDATE sqlite_schema SET rootpage = 0 WHERE name = 'i'",
    "UPDATE sqlite_schema SET rootpage = 0 WHERE name = 't'",
    "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 't'",
    "UPDATE sqlite_schema SET rootpage = 0 WHERE sql IS NULL",
    "UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'i'",
    "UPDATE sqlite_schema SET tbl_name = 'f' WHERE name = 'i'",
    "UPDATE sqlite_schema SET tbl_name = 'f' WHERE name = 'v'",
    "UPDATE sqlite_schema SET type = 'view' WHERE name = 't'",
    "UPDATE sqlite_schema SET name = 'x' WHERE name = 'v'",
    "UPDATE sqlite_schema SET name = 'x' WHERE sql IS NULL",
    "UPDATE sqlite_schema SET sql = ' ' || sql WHERE name = 't'",
    "UPDATE sqlite_schema SET sql = '/**/' || sql WHERE name = 'v'",
    "UPDATE sqlite_schema SET sql = NULL WHERE name = 'v'",
    "UPDATE sqlite_schema SET sql = NULL WHERE name = 't'",
    "UPDATE sqlite_schema SET sql = NULL WHERE name = 'tr'",
    "UPDATE sqlite_schema SET sql = NULL WHERE name = 'i'",
    "UPDATE sqlite_schema SET sql = replace(sql, 'TABLE t', 'TABLE main.t') WHERE name = 't'",
    "UPDATE sqlite_schema SET sql = 'CREATE VIEW main . v AS SELECT 1' WHERE name = 'v'",
    "UPDATE sqlite_schema SET rowid = 100 WHERE name = 't'",
    "UPDATE sqlite_schema SET sql = 'CREATE TAXLE sqlite_sequence(name,seq)' "
      + "WHERE name = 'sqlite_sequence'",
    "INSERT INTO sqlite_schema VALUES ('view', 'V', 'V', 0, 'CREATE VIEW V AS SELECT 2')",
    "INSERT INTO sqlite_schema VALUES ('view', 't', 't', 0, 'CREATE VIEW t AS SELECT 2')",
    "INSERT INTO sqlite_schema VALUES ('index', 'sqlite_autoindex_t_2', 't', 2, NULL)",
    "DELETE FROM sqlite_schema WHERE sql IS NULL",
  ]

  @Test(arguments: refusedRows)
  func `a schema row that SQLite refuses is damage`(_ edit: String) throws {
    let file = try build(DatabaseBuilder(Self.objects))
    try Connection.unguarded(file).execute(edit)
    try compare(file, isSound: false)
  }

  @Test(arguments: [
    "UPDATE sqlite_schema SET rowid = 100 WHERE name = 'v'",
    "UPDATE sqlite_schema SET sql = sql || ' -- end' WHERE name = 't'",
    "UPDATE sqlite_schema SET name = 'T', type = 'TABLE' WHERE name = 't'",
  ])
  func `a schema row that SQLite does not mind is sound`(_ edit: String) throws {
    let file = try build(DatabaseBuilder(Self.objects))
    try Connection.unguarded(file).execute(edit)
    try compare(file, isSound: true)
  }

  @Test func `names that are no text are told apart, and reported`() throws {
    let file = try build(
      DatabaseBuilder(["CREATE TABLE \"tX\" (a)", "CREATE TABLE \"tY\" (a)"]))
    try change(file) { bytes in
      for (letter, byte) in [(UInt8(ascii: "X"), UInt8(0xC4)), (UInt8(ascii: "Y"), 0xC5)] {
        for index in bytes.indices.dropFirst()
        where bytes[index] == letter && bytes[index - 1] == UInt8(ascii: "t") {
          bytes[index] = byte
        }
      }
    }
    try compare(file, isSound: true)
    let ending = try bench.run("check", file)
    #expect(ending.all.contains("is not valid UTF-8"), "\(ending.all)")
    let salvage = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(salvage.all.contains("is not valid UTF-8"), "\(salvage.all)")
    try change(file) { bytes in
      guard let last = bytes.lastIndex(of: 0xC4) else { return }
      bytes[last] = 0xC6
    }
    try compare(file, isSound: false)
  }

  // MARK: Journals

  @Test func `a log that SQLite would apply and that contradicts the database is damage`() throws {
    func build(_ name: FilePath, _ word: String) throws -> FilePath {
      let file = bench[name]
      try DatabaseBuilder(
        pageSize: 1024, journal: .wal,
        [
          "CREATE TABLE t (a)", "CREATE INDEX i ON t (a)",
          Self.fill("t", "'\(word)' || n", count: 300),
        ], leftover: .wal(["UPDATE t SET a = '\(word)' WHERE rowid = 150"])
      ).build(at: file)
      return file
    }
    let file = try build("app.db", "own")
    try compare(file, isSound: true)
    let log = try build("twin.db", "six").adding(suffix: "-wal").contents()
    try file.adding(suffix: "-wal").replaceContents(with: log)
    try compare(file, isSound: false)
  }

  @Test func `two rows with one key of a unique index are damage`() throws {
    let file = try build(
      DatabaseBuilder(["CREATE TABLE t (a, b)", "CREATE INDEX i ON t (a, b COLLATE NOCASE)"]))
    try Connection.unguarded(file).execute(
      """
      INSERT INTO t VALUES (1, 'x'), (1, 'y'), (NULL, 'x'), (NULL, 'x'), (2, NULL), (2, NULL);
      UPDATE sqlite_schema SET sql = replace(sql, 'CREATE INDEX', 'CREATE UNIQUE INDEX')
      """)
    try compare(file, isSound: true)
    let connection = try Connection.unguarded(file)
    try connection.execute(
      """
      UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE ', '')
      """)
    try Connection.unguarded(file).execute("INSERT INTO t VALUES (1, 'X')")
    try Connection.unguarded(file).execute(
      "UPDATE sqlite_schema SET sql = replace(sql, 'CREATE INDEX', 'CREATE UNIQUE INDEX')")
    try compare(file, isSound: false)
  }

  @Test func `a page that nothing uses and SQLite counts is damage`() throws {
    let file = try build(DatabaseBuilder(Self.objects))
    try change(file) { bytes in
      bytes += Bytes(repeating: 0, count: 4096)
      bytes[31] += 1
    }
    try compare(file, isSound: false)
    // What lies behind the pages that the header counts is no part of the database.
    try change(file) { $0[31] -= 1 }
    try compare(file, isSound: true)
  }

  // MARK: What only SQLite can compute

  private static let computed: [DatabaseBuilder.Step] = [
    """
    CREATE TABLE c (
      id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b INT, j TEXT, g AS (a || b),
      s AS (b * 2) STORED, r REAL, CHECK (b > 0 OR b IS NULL), CHECK (c.rowid > 0))
    """,
    """
    INSERT INTO c (a, b, j, r) VALUES ('x', 1, '{"a":1}', 1.5), ('Y', 2, '{"a":"ä"}', 2),
      ('z', 3, '{}', 3.25), (NULL, NULL, NULL, NULL)
    """,
    "CREATE INDEX expression ON c (a || b COLLATE NOCASE DESC)",
    "CREATE INDEX json ON c (json_extract(j, '$.a'))",
    "CREATE INDEX partial ON c (b) WHERE a = 'X'", "CREATE INDEX virtual ON c (g, a DESC)",
    "CREATE INDEX guarded ON c (json_extract(a, '$')) WHERE json_valid(a) AND a -> '$' IS NULL",
    "CREATE INDEX stored ON c (s) WHERE r > 1", "CREATE INDEX mixed ON c (r + 1, id) WHERE id < 3",
    """
    CREATE TABLE w (a, b TEXT, c REAL AS (b) VIRTUAL, PRIMARY KEY (b, a)) WITHOUT ROWID
    """,
    "INSERT INTO w VALUES (1, '5'), (2, 'q'), (3, '7')", "CREATE INDEX wc ON w (c)",
    "CREATE INDEX wp ON w (a) WHERE b > '5'", "CREATE INDEX we ON w (b || a)",
  ]

  @Test(arguments: TextEncoding.allCases)
  func `indexes whose keys only SQLite can compute are sound`(_ encoding: TextEncoding) throws {
    let file = try build(DatabaseBuilder(encoding: encoding, Self.computed))
    try compare(file, isSound: true)
    #expect(try !bench.run("check", file).all.contains("were not checked"))
  }

  @Test(arguments: [
    ("expression", "UPDATE c SET a = 'k' WHERE id = 1"),
    ("json", "UPDATE c SET j = '{\"a\":7}' WHERE id = 1"),
    ("json", "UPDATE c SET j = '{' WHERE id = 1"),
    ("partial", "UPDATE c SET a = 'X' WHERE id = 2"),
    ("partial", "UPDATE c SET a = 'k' WHERE id = 1"),
    ("virtual", "UPDATE c SET b = 8 WHERE id = 1"),
    ("stored", "UPDATE c SET r = 0 WHERE id = 1"), ("mixed", "UPDATE c SET r = 0 WHERE id = 1"),
    ("wc", "UPDATE w SET b = '6' WHERE a = 1"), ("wp", "UPDATE w SET b = '6' WHERE a = 1"),
    ("we", "UPDATE w SET b = '6' WHERE a = 1"),
  ])
  func `a row that changed without its index is damage`(index: String, change: String) throws {
    let file = try build(DatabaseBuilder(Self.computed))
    try Self.without(index, in: file) { try $0.execute(change) }
    try compare(file, isSound: false)
  }

  @Test(arguments: [TextEncoding.utf16le, .utf16be])
  func `the keys of other encodings are compared`(_ encoding: TextEncoding) throws {
    let file = try build(DatabaseBuilder(encoding: encoding, Self.computed))
    try Self.without("expression", in: file) { try $0.execute("UPDATE c SET a = 'k' WHERE id = 1") }
    try compare(file, isSound: false)
  }

  /// Does something while an index is not in the schema.
  private static func without(
    _ index: String, in file: FilePath, _ body: (borrowing Connection) throws -> Void
  ) throws {
    let hidden = try {
      let connection = try Connection.unguarded(file)
      let rows = try connection.rows("SELECT * FROM sqlite_schema WHERE name = ?", [.text(index)])
      try connection.prepare("DELETE FROM sqlite_schema WHERE name = ?").run([.text(index)])
      return rows
    }()
    try body(Connection.unguarded(file))
    let connection = try Connection.unguarded(file)
    for row in hidden {
      try connection.prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)").run(row)
    }
  }

  @Test func `an index that takes a function of its app is not checked, and that is said`() throws {
    let file = try build(
      DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)"]))
    try Connection.unguarded(file).execute(
      """
      CREATE INDEX i ON t (a + 1);
      UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t (our_own(a))' WHERE name = 'i'
      """)
    let ending = try bench.run("check", file)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains("the keys of index 'i' were not checked"), "\(ending.all)")
  }

  @Test func `an expression that takes too long is given up, and that is said`() throws {
    let terms = Array(repeating: "length(hex(zeroblob(60000 + a)))", count: 200)
    let file = try build(
      DatabaseBuilder([
        "CREATE TABLE t (a)", Self.fill("t", "n", count: 300), "CREATE INDEX i ON t (a)",
      ]))
    try Connection.unguarded(file).execute(
      """
      UPDATE sqlite_schema SET name = 'i', sql = 'CREATE INDEX i ON t (\(
        terms.joined(separator: " + ")))' WHERE name = 'i'
      """)
    let start = ContinuousClock.now
    let ending = try bench.run("check", file)
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(ending.all.contains("was not checked") || ending.all.contains("were not checked"))
  }

  // MARK: Constraints

  @Test(arguments: [
    ("CREATE TABLE t(a NOT NULL, b)", "(NULL, 1)"),
    ("CREATE TABLE t(a, b AS (a) NOT NULL)", "(NULL)"),
    ("CREATE TABLE t(a INT, b TEXT) STRICT", "('x', 'y')"),
    ("CREATE TABLE t(a INT, b TEXT) STRICT", "(1, x'00')"),
    ("CREATE TABLE t(a INT, b REAL) STRICT", "(1, 'x')"),
    ("CREATE TABLE t(a TEXT, b)", "(1, 1)"), ("CREATE TABLE t(a INT, b)", "(' 1e3 ', 1)"),
    ("CREATE TABLE t(a CHECK (a > 1), b)", "(1, 1)"),
    ("CREATE TABLE t(a, b, CHECK (json_valid(a)))", "('{', 1)"),
  ])
  func `rows that break the rules of their table are damage`(sql: String, row: String) throws {
    let columns = row.contains(",") ? "a, b" : "a"
    let file = try build(
      DatabaseBuilder(["CREATE TABLE t(\(columns))", "INSERT INTO t VALUES \(row)"]))
    try Connection.unguarded(file).prepare("UPDATE sqlite_schema SET sql = ?").run([.text(sql)])
    try compare(file, isSound: false)
    let ending = try bench.run("check", file)
    #expect(ending.status == 13, "\(ending.all)")
  }

  @Test(arguments: [
    ("CREATE TABLE t(a INT, b REAL) STRICT", "(1, 2)"), ("CREATE TABLE t(a ANY, b) ", "(x'00', 1)"),
    (
      "CREATE TABLE t(a CHECK (a IS NULL OR NOT json_valid(a) OR json_extract(a, '$') > 1), b)",
      "('{', 1)"
    ),
    ("CREATE TABLE t(a NUMERIC, b)", "('2020-01-01', '1e')"),
    ("CREATE TABLE t(a CHECK (a > 1), b NOT NULL DEFAULT 5)", "(NULL, 1)"),
    ("CREATE TABLE t(a, b NOT NULL DEFAULT 5)", "(1)"),
  ])
  func `rows that keep to the rules of their table are sound`(sql: String, row: String) throws {
    let columns = row.contains(",") ? "a, b" : "a"
    let file = try build(
      DatabaseBuilder(["CREATE TABLE t(\(columns))", "INSERT INTO t VALUES \(row)"]))
    try Connection.unguarded(file).prepare("UPDATE sqlite_schema SET sql = ?").run([.text(sql)])
    try compare(file, isSound: true)
  }

  @Test func `a row that a CHECK refuses is found though another column has no value for it`()
    throws
  {
    let file = try build(
      DatabaseBuilder([
        "CREATE TABLE t (doc TEXT CHECK (json_valid(doc)), name AS (doc ->> '$.name'))",
        "CREATE INDEX t_name ON t (name)", "INSERT INTO t (doc) VALUES ('{\"name\": \"one\"}')",
      ]))
    try file.replaceContents(
      with: file.contents().replacing(text: "{\"name\"", with: "{;name\""))
    try compare(file, isSound: false)
  }

  @Test func `a column that nothing needs may have no value for a row`() throws {
    let file = try build(
      DatabaseBuilder([
        "CREATE TABLE t (doc TEXT, name AS (doc ->> '$.name'))",
        "CREATE INDEX t_length ON t (length(doc))",
        "INSERT INTO t (doc) VALUES ('{\"name\": \"one\"}')",
      ]))
    try file.replaceContents(
      with: file.contents().replacing(text: "{\"name\"", with: "{;name\""))
    try compare(file, isSound: true)
    #expect(try !bench.run("check", file).all.contains("as far as"))
  }
}
