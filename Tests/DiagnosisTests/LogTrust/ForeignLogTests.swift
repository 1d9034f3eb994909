// SPDX-License-Identifier: Apache-2.0
// A write-ahead log beside a database that it does not belong to.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ForeignLogTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  /// A database with a log beside it, of which only the log is of interest.
  private func log(of steps: [DatabaseBuilder.Step], leaving last: [DatabaseBuilder.Step]) throws
    -> Bytes
  {
    let path = scratch["donor.db"]
    try DatabaseBuilder(journal: .wal, steps, leftover: .wal(last)).build(at: path)
    return try path.adding(suffix: "-wal").contents()
  }

  @Test func `a log of other tables is not applied`() throws {
    let path = scratch["app.db"]
    try DatabaseBuilder(["CREATE TABLE own (a)", "INSERT INTO own VALUES (1), (2)"]).build(at: path)
    let foreign = try log(
      of: ["CREATE TABLE other (a)"],
      leaving: ["CREATE TABLE more (b)", "INSERT INTO more VALUES (3)"])
    let survey = Survey(main: try path.contents(), wal: foreign)
    #expect(survey.tree(named: "own")?.records == 2)
    #expect(survey.findings.contains { $0.code == .walForeign })
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
  }

  @Test func `a log that tears a sound database apart is not applied`() throws {
    let path = scratch["app.db"]
    let table: DatabaseBuilder.Step = "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)"
    try DatabaseBuilder([
      table, "CREATE TABLE tag (name TEXT)", "CREATE INDEX tags ON tag (name)",
      """
      INSERT INTO note SELECT value, hex(zeroblob(60))
      FROM (WITH RECURSIVE n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n LIMIT 400)
        SELECT value FROM n)
      """, "INSERT INTO tag VALUES ('a'), ('b')",
    ]).build(at: path)
    let foreign = try log(
      of: ["CREATE TABLE first (x)", table], leaving: ["INSERT INTO note VALUES (7, 'seven')"])
    let survey = Survey(main: try path.contents(), wal: foreign)
    #expect(survey.tree(named: "note")?.records == 400)
    #expect(survey.findings.contains { $0.code == .walForeign })
  }

  /// A database in WAL mode with one table and so many rows, of which nothing was checkpointed.
  private func unsettled(_ table: DatabaseBuilder.Step..., rows: DatabaseBuilder.Step) throws
    -> FilePath
  {
    let path = scratch["other.db"]
    try DatabaseBuilder(journal: .wal, [], leftover: .wal(["BEGIN"] + table + [rows, "COMMIT"]))
      .build(at: path)
    return path
  }

  @Test(arguments: [0, 1])
  func `the whole log of another database with a short schema takes no row`(_ more: Int) throws {
    let path = scratch["user.db"]
    try DatabaseBuilder(
      journal: .wal,
      ["CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO user VALUES (1, 'a')"]
    ).build(at: path)
    let other = try unsettled(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT)",
      more == 0 ? "SELECT 1" : "CREATE TABLE more (a)",
      rows: """
        INSERT INTO item SELECT value, 'text ' || value
        FROM (WITH RECURSIVE n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n LIMIT 300)
          SELECT value FROM n)
        """)
    let survey = Survey(
      main: try path.contents(), wal: try other.adding(suffix: "-wal").contents())
    // Where the schema goes on by its number, the two cannot be told apart: nothing is dropped then.
    #expect(survey.tree(named: more == 0 ? "user" : "item")?.records == (more == 0 ? 1 : 300))
    #expect(survey.findings.contains { $0.code == (more == 0 ? .walForeign : .walInDoubt) })
    #expect(survey.misleadingSidecar == "-wal")
    let own = try Survey(other)
    #expect(own.tree(named: "item")?.records == 300)
    #expect(own.faults == [])
  }

  @Test(arguments: [100, 900])
  func `a log that begins with fewer pages than the file is another's`(_ count: Int) throws {
    let table: DatabaseBuilder.Step = "CREATE TABLE t (a INTEGER PRIMARY KEY, b)"
    func rows(_ numbers: ClosedRange<Int>, _ word: String) -> DatabaseBuilder.Step {
      .init(
        stringLiteral: """
          WITH RECURSIVE n (i) AS
            (SELECT \(numbers.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(numbers.upperBound))
          INSERT INTO t SELECT i, '\(word) ' || i FROM n
          """)
    }
    let own = scratch["own.db"]
    try DatabaseBuilder(pageSize: 1024, journal: .wal, [table, rows(1...500, "own")]).build(at: own)
    let other = scratch["other.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, [],
      leftover: .wal([table, rows(1...count / 2, "other"), rows((count / 2 + 1)...count, "more")])
    ).build(at: other)
    let survey = Survey(
      main: try own.contents(), wal: try other.adding(suffix: "-wal").contents())
    // Where the log holds more, the two are read together, and nobody calls that healthy.
    #expect(survey.tree(named: "t")?.records == max(500, count))
    #expect(
      survey.findings.contains { $0.code == (count < 500 ? .walForeign : .walInDoubt) })
    #expect(survey.verdict != .healthy)
  }

  @Test func `a log that makes new tables in its own database is applied`() throws {
    let path = scratch["app.db"]
    try DatabaseBuilder(
      journal: .wal, ["CREATE TABLE own (a)"],
      leftover: .wal(["CREATE TABLE new (b)", "INSERT INTO new VALUES (1)"])
    ).build(at: path)
    let survey = try Survey(path)
    #expect(survey.tree(named: "new")?.records == 1)
    #expect(!survey.findings.contains { $0.code == .walForeign })
  }

  @Test func `the log of a twin that leaves indexes without their rows is not applied`() throws {
    /// Two databases of one app that differ in what their users wrote.
    func build(_ name: FilePath, _ word: String) throws -> FilePath {
      let path = scratch[name]
      try DatabaseBuilder(
        pageSize: 1024, journal: .wal,
        [
          "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)",
          "CREATE INDEX bodies ON note (body)",
          """
          INSERT INTO note SELECT value, '\(word) ' || value
          FROM (WITH RECURSIVE n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n LIMIT 300)
            SELECT value FROM n)
          """,
        ], leftover: .wal(["UPDATE note SET body = '\(word) changed' WHERE id = 150"])
      ).build(at: path)
      return path
    }
    let (own, twin) = (try build("own.db", "own"), try build("twin.db", "six"))
    let applied = try Survey(own)
    #expect(!applied.findings.contains { $0.code == .walForeign })
    let rebuilt = Reconstruction(
      main: try own.contents(), wal: try twin.adding(suffix: "-wal").contents())
    #expect(rebuilt.survey.findings.contains { $0.code == .walForeign })
    #expect(rebuilt.holdsEveryRow)
    #expect(rebuilt.survey.tree(named: "note")?.records == 300)
  }

  @Test func `the log of another database takes no row where a frame of it was damaged since`()
    throws
  {
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal,
      [
        "CREATE TABLE t (a, b)", "CREATE TABLE own (x)", Self.rows(300),
        "INSERT INTO own VALUES (1)",
      ]
    ).build(at: path)
    var main = try path.contents()
    let other = scratch["other.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, [],
      leftover: .wal(["BEGIN", "CREATE TABLE t (a, b)", Self.rows(120), "COMMIT"])
    ).build(at: other)
    var log = try other.adding(suffix: "-wal").contents()
    // The beginning of a frame in the midst of the log, and rows of the file: neither is sound.
    let frame = 32 + 4 * (24 + 1024) + 24
    log.replaceSubrange(frame..<frame + 200, with: Bytes(repeating: 0x55, count: 200))
    main.replaceSubrange(3 * 1024 + 100..<3 * 1024 + 200, with: Bytes(repeating: 0x55, count: 100))
    let survey = Survey(main: main, wal: log)
    #expect(survey.tree(named: "own")?.records == 1)
    #expect(survey.findings.contains { $0.code == .walForeign })
  }

  /// So many rows of some length.
  private static func rows(_ count: Int, _ word: String = "") -> DatabaseBuilder.Step {
    """
    INSERT INTO t SELECT value, '\(word)' || hex(zeroblob(20))
    FROM (WITH RECURSIVE n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n LIMIT \(count))
      SELECT value FROM n)
    """
  }

  @Test(arguments: [0.1, 0.3, 0.5, 0.7, 0.9])
  func `what is left of a log takes no row from a file that all of it was copied to`(
    share: Double
  ) throws {
    let path = scratch["app.db"]
    let steps = (0..<8).map { step -> DatabaseBuilder.Step in
      """
      INSERT INTO t SELECT value, 'step \(step) ' || hex(zeroblob(12))
      FROM (WITH RECURSIVE n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n LIMIT 9)
        SELECT value FROM n)
      """
    }
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, ["CREATE TABLE t (a, b)", "CREATE TABLE own (x)"],
      leftover: .wal(steps)
    ).build(at: path)
    let log = try path.adding(suffix: "-wal").contents()
    let copy = scratch["copied.db"]
    try copy.replaceContents(with: path.contents())
    try copy.adding(suffix: "-wal").replaceContents(with: log)
    let connection = try Connection(copy, mode: .app)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let left = Array(log.prefix(32 + Int(Double(log.count - 32) * share) / 1048 * 1048 + 500))
    let survey = Survey(main: try copy.contents(), wal: Bytes(left))
    #expect(survey.tree(named: "t")?.records == 72)
  }

  @Test func `the log of a smaller database with the same table takes no row`() throws {
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: 1024, journal: .wal, ["CREATE TABLE t (a, b)", Self.rows(300)])
      .build(at: path)
    let small = scratch["small.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, ["CREATE TABLE t (z, y)", Self.rows(5)],
      leftover: .wal(["UPDATE t SET y = 1 WHERE z = 3"])
    ).build(at: small)
    let rebuilt = Reconstruction(
      main: try path.contents(), wal: try small.adding(suffix: "-wal").contents())
    #expect(rebuilt.survey.tree(named: "t")?.records == 300)
    #expect(rebuilt.survey.findings.contains { $0.code == .walForeign })
    #expect(rebuilt.survey.verdict == .damagedIntact)
    // What the log holds is not dropped.
    var replicas = 0
    SalvageReader(rebuilt)?.readReplicas { _ in replicas += 1 }
    #expect(replicas == 5)
  }

  @Test func `a whole database in the log of a twin does not replace the one that holds more`()
    throws
  {
    func build(_ name: FilePath, rows: Int, commits: Int) throws -> FilePath {
      let path = scratch[name]
      let changes = (0..<commits).map { number -> DatabaseBuilder.Step in
        "CREATE TABLE u\(number) (x); DROP TABLE u\(number)"
      }
      try DatabaseBuilder(
        pageSize: 1024, ["CREATE TABLE t (a INTEGER PRIMARY KEY, b)"] + changes,
        leftover: .wal([Self.rows(rows, String(name.description.prefix(1))), "VACUUM"])
      ).build(at: path)
      return path
    }
    let other = try build("other.db", rows: 30, commits: 9)
    let own = scratch["own.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal,
      ["CREATE TABLE t (a INTEGER PRIMARY KEY, b)", Self.rows(300)]
    ).build(at: own)
    let log = try other.adding(suffix: "-wal").contents()
    let survey = Survey(main: try own.contents(), wal: log)
    #expect(survey.tree(named: "t")?.records == 300)
    #expect(survey.findings.contains { $0.code == .walForeign })
    // The other way round, the log holds more: it is read, and nobody calls that healthy.
    let few = scratch["few.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, ["CREATE TABLE t (a INTEGER PRIMARY KEY, b)", Self.rows(3)]
    ).build(at: few)
    let doubtful = Survey(main: try few.contents(), wal: log)
    #expect(doubtful.tree(named: "t")?.records == 30)
    #expect(doubtful.findings.contains { $0.code == .walInDoubt })
    #expect(doubtful.verdict == .damagedIntact)
  }

  @Test(
    arguments: [
      ["ALTER TABLE t RENAME TO s"],
      ["DELETE FROM t WHERE a > 3", "VACUUM"],
      ["DROP TABLE t", "CREATE TABLE s (x)", "INSERT INTO s VALUES (1)"],
      ["PRAGMA user_version = 7"],
      ["UPDATE t SET b = 'x' WHERE a = 9"],
      ["DELETE FROM t", "PRAGMA wal_checkpoint(RESTART)", "UPDATE t SET b = 1", "VACUUM"],
      [
        "INSERT INTO t SELECT a + 1000, b FROM t", "PRAGMA wal_checkpoint(FULL)",
        "DELETE FROM t WHERE a < 1000",
      ],
    ] as [[DatabaseBuilder.Step]])
  func `a database's own log is nobody else's`(_ steps: [DatabaseBuilder.Step]) throws {
    for autoVacuum in [DatabaseBuilder.AutoVacuum.none, .full] {
      let path = scratch[FilePath("own-\(autoVacuum).db")]
      try DatabaseBuilder(
        pageSize: 1024, autoVacuum: autoVacuum, journal: .wal,
        ["CREATE TABLE t (a INTEGER PRIMARY KEY, b)", "CREATE INDEX i ON t (b)", Self.rows(200)],
        leftover: .wal(steps)
      ).build(at: path)
      let survey = try Survey(path)
      #expect(survey.faults == [])
      #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    }
  }

  @Test func `a log that counts one page of many is damage`() throws {
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, ["CREATE TABLE t (a INTEGER PRIMARY KEY, b)", Self.rows(200)],
      leftover: .wal(["UPDATE t SET b = 'x' WHERE a = 9"])
    ).build(at: path)
    var log = try path.adding(suffix: "-wal").contents()
    let last = (log.count - 32) / (24 + 1024) - 1
    log.setBigEndian(1, at: 32 + last * (24 + 1024) + 4)
    let salts = (log.bigEndian(at: 16), log.bigEndian(at: 20))
    let survey = Survey(
      main: try path.contents(), wal: JournalBytes.withSalts(salts, wal: log))
    #expect(survey.verdict == .damagedIntact)
    #expect(survey.tree(named: "t")?.records == 200)
  }

  @Test(arguments: [4096, 8192])
  func `a header of another database that counts more changes takes no log`(size: Int) throws {
    let path = scratch["app.db"]
    let table: DatabaseBuilder.Step = "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)"
    let rows: DatabaseBuilder.Step = """
      INSERT INTO note SELECT value, 'text ' || value
      FROM (WITH RECURSIVE n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n LIMIT 300)
        SELECT value FROM n)
      """
    try DatabaseBuilder(
      journal: .wal, [table, rows],
      leftover: .wal(["UPDATE note SET body = 'new ' || id WHERE id % 2", "CREATE TABLE later (a)"])
    ).build(at: path)
    let other = scratch["other.db"]
    try DatabaseBuilder(
      pageSize: size, [table] + (1...40).map { "INSERT INTO note VALUES (\($0), 'x')" }
    ).build(at: other)
    var bytes = try path.contents()
    bytes.replaceSubrange(0..<100, with: try other.contents().prefix(100))
    let survey = Survey(main: bytes, wal: try path.adding(suffix: "-wal").contents())
    #expect(survey.tree(named: "later") != nil)
    let bodies = try survey.rows(of: "note").rows
    #expect(bodies.count == 300)
    #expect(!survey.findings.contains { $0.code == .walForeign })
  }
}
