// SPDX-License-Identifier: Apache-2.0
// Rows that are made up exercise every column, keep every rule, and are the same for the same seed.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct SeedingTests {
  private let scratch: ScratchFolder
  private let file: FilePath

  init() throws {
    scratch = try ScratchFolder()
    file = scratch["seeded.db"]
  }

  private func seed(_ script: String, _ seed: UInt64 = 1) throws -> Seeding {
    try file.removeFileSet()
    try DatabaseBuilder([DatabaseBuilder.Step(stringLiteral: script)]).build(at: file)
    return try DatabaseSeeder.fill(file, seed: seed, World(environment: [:]))
  }

  private func texts(_ query: String) throws -> [String] {
    try Connection(file, mode: .readOnly).rows(query).map { $0[0].utf8String ?? "\($0[0])" }
  }

  @Test func `every column has the values at its edges`() throws {
    _ = try seed("CREATE TABLE t (id INTEGER PRIMARY KEY, i INTEGER, r REAL, s TEXT, b BLOB)")
    let integers = try texts("SELECT DISTINCT quote(i) FROM t")
    for edge in ["NULL", "0", "-1", "9223372036854775807", "-9223372036854775808"] {
      #expect(integers.contains(edge), "\(edge)")
    }
    #expect(try texts("SELECT count(*) > 0 FROM t WHERE s = ''") == ["integer(1)"])
    #expect(try texts("SELECT count(*) > 0 FROM t WHERE length(s) > 4096") == ["integer(1)"])
    #expect(try texts("SELECT count(*) > 0 FROM t WHERE s GLOB '*漢*'") == ["integer(1)"])
    #expect(try texts("SELECT count(*) > 0 FROM t WHERE b = x''") == ["integer(1)"])
    #expect(try texts("SELECT count(*) > 0 FROM t WHERE r < 0") == ["integer(1)"])
  }

  /// Schemas whose rules rows have to keep.
  static let schemas = [
    "CREATE TABLE t (s TEXT NOT NULL CHECK (s IN ('open', 'it''s done')), n INT CHECK (n BETWEEN -3 AND 9))",
    "CREATE TABLE t (a TEXT PRIMARY KEY, b REAL UNIQUE, c INT, UNIQUE (a, c)) WITHOUT ROWID",
    "CREATE TABLE t (a INT NOT NULL, b ANY, c TEXT NOT NULL, d BLOB, e REAL NOT NULL) STRICT",
    "CREATE TABLE t (s TEXT CHECK (length(s) = 3) NOT NULL)",
    "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b AS (a + 1) STORED, c DEFAULT 5)",
    """
    CREATE TABLE a (x INT, y TEXT, PRIMARY KEY (x, y));
    CREATE TABLE b (id INTEGER PRIMARY KEY, x INT NOT NULL, y TEXT NOT NULL, up INT REFERENCES b (id),
      FOREIGN KEY (x, y) REFERENCES a (x, y))
    """,
    "CREATE TABLE t (a UNIQUE ON CONFLICT ROLLBACK, b NOT NULL ON CONFLICT IGNORE)",
    """
    CREATE TABLE p (id INTEGER PRIMARY KEY, n TEXT UNIQUE);
    CREATE TABLE c (id INTEGER PRIMARY KEY, p BIGINT NOT NULL REFERENCES p DEFERRABLE INITIALLY DEFERRED,
      n TEXT REFERENCES p (n) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED)
    """,
    "CREATE TABLE t (id INTEGER PRIMARY KEY, up INT NOT NULL REFERENCES t ON DELETE CASCADE, b TEXT)",
    "CREATE VIRTUAL TABLE f USING fts5 (title, body); CREATE VIRTUAL TABLE g USING fts4 (a, b)",
    "CREATE VIRTUAL TABLE r USING rtree (id, x0, x1, y0, y1, +note); CREATE VIRTUAL TABLE i USING rtree_i32 (id, a, b)",
  ]

  @Test(arguments: schemas)
  func `rows keep the rules of their tables`(_ schema: String) throws {
    let seeding = try seed(schema)
    #expect(seeding.failures == [])
    #expect(seeding.rows > 2)
    let oracle = try Oracle(file)
    #expect(try oracle.integrityErrors == [])
    let dangling = try Connection(file, mode: .readOnly).rows("PRAGMA foreign_key_check")
    #expect(dangling == [])
  }

  @Test func `a table that no row fits is named with the reason`() throws {
    let seeding = try seed(
      "CREATE TABLE t (a INT NOT NULL CHECK (a * a = 1234321)); CREATE TABLE u (b NOT NULL REFERENCES t (a)); CREATE TABLE v (c)"
    )
    #expect(seeding.failures.map(\.table) == ["t", "u"])
    #expect(seeding.failures.first?.reason.contains("CHECK constraint failed") == true)
    #expect(seeding.rows > 0)
  }

  @Test func `the same seed gives the same rows, and another one others`() throws {
    func content(_ seed: UInt64) throws -> [String] {
      _ = try self.seed(Self.schemas[5], seed)
      return try Oracle(file).wholeContent
    }
    #expect(try content(1) == content(1))
    #expect(try content(1) != content(2))
  }
}
