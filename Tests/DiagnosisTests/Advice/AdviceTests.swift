// SPDX-License-Identifier: Apache-2.0
// What is advised of databases that SQLite made: of each piece one that has the trait, and one that
// nearly has it.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct AdviceTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func answer(of path: FilePath) throws -> AdviceAnswer {
    try Rescue(world: World(environment: [:])).check(InputFiles(path)).value.advice()
  }

  private func advice(
    _ kind: AdviceKind, pageSize: Int = 512, autoVacuum: DatabaseBuilder.AutoVacuum = .none,
    journal: DatabaseBuilder.JournalMode = .delete, _ sql: String...
  ) throws -> Advice? {
    let path = scratch[FilePath("\(kind.rawValue)-\(pageSize)-\(autoVacuum)-\(sql.hashValue).db")]
    try DatabaseBuilder(
      pageSize: pageSize, autoVacuum: autoVacuum, journal: journal,
      sql.map { DatabaseBuilder.Step($0, []) }
    ).build(at: path)
    let answer = try answer(of: path)
    #expect(answer.withheld == nil)
    return answer.advice.first { $0.kind == kind }
  }

  /// A table `t (id, body)` with so many rows.
  private static func rows(_ count: Int, _ body: String = "'row ' || i || ' of the table'")
    -> String
  {
    """
    CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO t SELECT i, \(body) FROM n;
    """
  }

  // MARK: Unused space

  @Test func `free pages are counted as SQLite counts them, and VACUUM is advised`() throws {
    let advice = try #require(
      try advice(.unusedSpace, Self.rows(2000), "DELETE FROM t WHERE id > 800"))
    #expect(advice.sql == ["VACUUM;"])
    let file = try #require(
      try SystemStorage().names(in: scratch.path).first { $0.hasSuffix(".db") })
    let free = try Oracle(scratch[file]).value("PRAGMA freelist_count")?.integerValue
    #expect(advice.figures["freePages"] == free.map { Int($0) })
  }

  @Test func `a file that is full is not to be vacuumed`() throws {
    #expect(try advice(.unusedSpace, Self.rows(2000)) == nil)
    #expect(try advice(.unusedSpace, Self.rows(20), "DELETE FROM t") == nil)
  }

  /// Databases with holes of every kind.
  static let vacuumed: [(pageSize: Int, DatabaseBuilder.AutoVacuum, String)] = [
    (512, .none, "DELETE FROM t WHERE id % 3 = 0"), (1024, .full, "DELETE FROM t WHERE id % 2"),
    (4096, .none, "DELETE FROM t WHERE id % 7 > 1"), (4096, .incremental, "DELETE FROM t"),
    (512, .incremental, "UPDATE t SET body = body || hex(zeroblob(id % 400))"),
    (
      1024, .none,
      "CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID; "
        + "INSERT INTO w SELECT hex(id * 7919 % 10007), body FROM t; DELETE FROM w WHERE v LIKE '%3%'"
    ),
  ]

  @Test(arguments: vacuumed) func `VACUUM gives what is predicted`(
    _ pageSize: Int, _ autoVacuum: DatabaseBuilder.AutoVacuum, _ change: String
  ) throws {
    let path = scratch["before.db"]
    try DatabaseBuilder(
      pageSize: pageSize, autoVacuum: autoVacuum,
      [
        DatabaseBuilder.Step(Self.rows(6000), []),
        "CREATE INDEX bodies ON t (body); CREATE INDEX random ON t (id * 7919 % 10007)",
        DatabaseBuilder.Step(change, []),
      ]
    ).build(at: path)
    let survey = try Rescue(world: World(environment: [:])).check(InputFiles(path)).value.survey
    let basis = AdviceBasis(survey, try #require(survey.image))
    let predicted = basis.pagesAfterVacuum
    let connection = try Connection(path, mode: .app)
    try connection.execute("VACUUM")
    let actual = Int(try connection.value("PRAGMA page_count")?.integerValue ?? 0)
    #expect(abs(predicted - actual) <= 2 + actual / 50, "\(predicted) predicted, \(actual) made")
  }

  // MARK: Trees

  @Test func `leaves are out of order as dbstat has them`() throws {
    let advice = try #require(
      try advice(
        .fragmentedTrees, Self.rows(4000),
        "CREATE TABLE r (k TEXT PRIMARY KEY); INSERT INTO r SELECT hex(id * 7919 % 10007) FROM t"))
    #expect(advice.places.map(\.object) == ["sqlite_autoindex_r_1"])
    #expect(advice.sql == ["REINDEX \"sqlite_autoindex_r_1\";"])
    let file = try #require(
      try SystemStorage().names(in: scratch.path).first { $0.hasSuffix(".db") })
    let pages = try Oracle(scratch[file]).rows(
      query: "SELECT pageno FROM dbstat WHERE name = 'sqlite_autoindex_r_1' AND pagetype = 'leaf' "
        + "ORDER BY path"
    ).compactMap { $0[0].integerValue }
    let backward = zip(pages, pages.dropFirst()).count { $0 > $1 }
    #expect(advice.figures["leaves"] == pages.count)
    #expect(advice.figures["leavesOutOfOrder"] == backward)
  }

  @Test func `leaves that are nearly empty are found, and full ones in order are not`() throws {
    let advice = try #require(
      try advice(.fragmentedTrees, Self.rows(4000), "DELETE FROM t WHERE id % 2"))
    #expect(advice.places.map(\.object) == ["t"])
    #expect(advice.sql == ["VACUUM;"])
    #expect(try self.advice(.fragmentedTrees, Self.rows(4000)) == nil)
  }

  @Test func `auto_vacuum is told of by its mode`() throws {
    let full = try #require(try advice(.autoVacuum, autoVacuum: .full, Self.rows(6000)))
    #expect(full.sql == ["PRAGMA auto_vacuum = NONE;", "VACUUM;"])
    let free = try #require(
      try advice(
        .autoVacuum, autoVacuum: .incremental, Self.rows(6000), "DELETE FROM t WHERE id > 3000"))
    #expect(free.sql == ["PRAGMA incremental_vacuum;"])
    #expect(try advice(.autoVacuum, autoVacuum: .incremental, Self.rows(6000)) == nil)
    #expect(try advice(.autoVacuum, Self.rows(6000)) == nil)
  }

  // MARK: The log

  @Test(arguments: [(5000, true), (100, false)]) func `a log that nobody copies back is told of`(
    _ commits: Int, _ isLong: Bool
  ) throws {
    let path = scratch["log.db"]
    let connection = try Connection(path, mode: .app)
    try connection.execute(
      """
      PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
      PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (id INTEGER PRIMARY KEY, n);
      INSERT INTO t VALUES (1, 0);
      """)
    for _ in 0..<commits { try connection.execute("UPDATE t SET n = n + 1") }
    let advice = try answer(of: path).advice.first { $0.kind == .growingLog }
    #expect((advice != nil) == isLong)
    #expect(advice?.figures["logBytes"] ?? 0 > commits * 512 || !isLong)
    #expect(try connection.value("SELECT n FROM t")?.integerValue == Int64(commits))
  }

  // MARK: Rows

  @Test func `pages are small where most rows spill, and a size is named that holds them`() throws {
    let advice = try #require(
      try advice(.smallPages, journal: .wal, Self.rows(300, "hex(zeroblob(700))")))
    #expect(advice.figures["pageSizeAdvised"] == 2048)
    #expect(advice.figures["rowsSpilled"] == 300)
    #expect(advice.sql.first == "PRAGMA journal_mode = DELETE;")
    #expect(
      try self.advice(.smallPages, pageSize: 2048, Self.rows(300, "hex(zeroblob(700))")) == nil)
    // No page holds these.
    #expect(try self.advice(.smallPages, Self.rows(100, "hex(zeroblob(40000))")) == nil)
  }

  @Test func `text in a column of numbers is counted, but for dates`() throws {
    let advice = try #require(
      try advice(
        .textInNumericColumns,
        """
        CREATE TABLE m (n INTEGER, s STRING, d DATETIME, x TEXT, y);
        INSERT INTO m VALUES (1, 'a', '2026-11-23', 'b', 'c'), ('two', 12, 'today', '3', 'd'),
          ('three', 1.5, 4, 'e', 5);
        """))
    #expect(advice.places.map(\.object) == ["m.n", "m.s"])
    #expect(advice.figures == ["columns": 2, "texts": 3, "numbers": 3])
    #expect(!"\(advice)".contains("three"))
    #expect(
      try self.advice(
        .textInNumericColumns,
        "CREATE TABLE m (n INTEGER, d DATE, x TEXT); INSERT INTO m VALUES ('12', 'now', 'text')")
        == nil)
  }

  // MARK: The schema

  @Test func `statistics are missing, or of another time, or there`() throws {
    let indexed = Self.rows(600) + "CREATE INDEX bodies ON t (body);"
    let never = try #require(try advice(.missingStatistics, indexed))
    #expect(never.sql == ["PRAGMA analysis_limit = 1000;", "ANALYZE \"t\";"])
    let early = try advice(
      .missingStatistics, Self.rows(20) + "CREATE INDEX bodies ON t (body); ANALYZE;",
      "INSERT INTO t (body) SELECT 'x' || a.id FROM t AS a, t AS b, t AS c LIMIT 900")
    #expect(early?.places.map(\.message) == ["920 rows, 20 when it was counted"])
    #expect(try advice(.missingStatistics, indexed + "ANALYZE;") == nil)
    #expect(try advice(.missingStatistics, Self.rows(600)) == nil)
  }

  @Test func `of indexes that do the same, those are named that can go`() throws {
    let advice = try #require(
      try advice(
        .duplicateIndexes,
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b, c);
        CREATE INDEX b ON t (b); CREATE INDEX bc ON t (b, c); CREATE INDEX "b ""twice" ON t (b, c);
        CREATE INDEX ids ON t (id); CREATE INDEX a ON t (a);
        """))
    let named = Set(advice.places.map(\.object))
    #expect(named.isSuperset(of: ["b", "ids", "a"]))
    // One of the two that are the same, and not both.
    #expect(named.intersection(["bc", "b \"twice"]).count == 1)
    #expect(advice.places.count == 4)
    #expect(
      try self.advice(
        .duplicateIndexes,
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b, c);
        CREATE UNIQUE INDEX a ON t (a); CREATE INDEX ab ON t (a, b);
        CREATE INDEX b ON t (b); CREATE INDEX bd ON t (b DESC, c); CREATE INDEX bn ON t (b, c)
          WHERE c > 0; CREATE INDEX cn ON t (c COLLATE NOCASE); CREATE INDEX cb ON t (c, b);
        """) == nil)
  }

  @Test func `an index is advised for a foreign key that has none, and can be made`() throws {
    let schema = """
      CREATE TABLE p (id INTEGER PRIMARY KEY, k TEXT UNIQUE);
      CREATE TABLE "the child" (id INTEGER PRIMARY KEY REFERENCES p, p INTEGER REFERENCES p,
        q TEXT REFERENCES p (k));
      CREATE INDEX "the child_p" ON p (k);
      CREATE INDEX q ON "the child" (q, p);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO "the child" (p) SELECT i FROM n;
      """
    let advice = try #require(try advice(.foreignKeyScans, schema))
    #expect(advice.sql == ["CREATE INDEX \"the child_p_\" ON \"the child\" (\"p\");"])
    #expect(try self.advice(.foreignKeyScans, schema, advice.sql[0]) == nil)
  }

  @Test func `an index for a foreign key compares as its parent does`() throws {
    let schema = """
      CREATE TABLE p (k TEXT COLLATE NOCASE PRIMARY KEY);
      CREATE TABLE c (k TEXT REFERENCES p);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO c SELECT NULL FROM n;
      """
    let advice = try #require(try advice(.foreignKeyScans, schema))
    #expect(advice.sql == ["CREATE INDEX \"c_k\" ON \"c\" (\"k\" COLLATE \"NOCASE\");"])
    #expect(try self.advice(.foreignKeyScans, schema, advice.sql[0]) == nil)
    #expect(try self.advice(.foreignKeyScans, schema, "CREATE INDEX i ON c (k);") != nil)
  }

  @Test func `an index that a view names is not taken for one too many`() throws {
    let schema = """
      CREATE TABLE t (a INT, b INT);
      CREATE INDEX one ON t (a);
      CREATE INDEX both ON t (a, b);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO t SELECT i, i FROM n;
      """
    #expect(try advice(.duplicateIndexes, schema) != nil)
    let view = "CREATE VIEW v AS SELECT * FROM t INDEXED BY one WHERE a > 0;"
    #expect(try advice(.duplicateIndexes, schema, view) == nil)
  }

  // MARK: All of them

  @Test func `there is nothing to advise of a database that is in order`() throws {
    let path = scratch["fine.db"]
    try DatabaseBuilder([
      DatabaseBuilder.Step(Self.rows(2000) + "CREATE INDEX bodies ON t (body); ANALYZE;", [])
    ]).build(at: path)
    #expect(try answer(of: path) == AdviceAnswer(withheld: nil, advice: []))
  }

  @Test(arguments: ["zeroed-leaf.db", "encrypted.db", "truncated.db", "empty.db"] as [FilePath])
  func `no advice is given for what is not sound`(_ sample: FilePath) throws {
    let answer = try answer(of: Checkout.samples.appending(sample))
    #expect(answer.withheld?.contains("first") == true && answer.advice.isEmpty)
  }
}
