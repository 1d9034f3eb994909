// SPDX-License-Identifier: Apache-2.0
// Logs without a page 1: what their other pages tell of the file that they lie beside.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LogDescentTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private static let table: DatabaseBuilder.Step =
    "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, done INTEGER)"

  /// Notes from one number to another, with contents as one person has them.
  private static func notes(_ ids: ClosedRange<Int>) -> DatabaseBuilder.Step {
    """
    INSERT INTO note SELECT i, hex(randomblob(8)), hex(randomblob(40)), 0
    FROM (WITH RECURSIVE n(i) AS (VALUES (\(ids.lowerBound)) UNION ALL
      SELECT i + 1 FROM n WHERE i < \(ids.upperBound)) SELECT i FROM n)
    """
  }

  /// Builds a database in WAL mode and leaves a log beside it.
  private func build(
    _ name: FilePath, _ steps: [DatabaseBuilder.Step], leaving log: [DatabaseBuilder.Step]
  ) throws -> FilePath {
    let path = scratch[name]
    try DatabaseBuilder(pageSize: 1024, journal: .wal, steps, leftover: .wal(log)).build(at: path)
    return path
  }

  /// The pages that are in a log.
  private func pages(in log: FilePath) throws -> Set<UInt32> {
    let bytes = try log.contents()
    return Set(
      stride(from: 32, to: bytes.count, by: 24 + 1024).compactMap { bytes.big32(at: $0) })
  }

  @Test func `the log of a twin is not applied, though it has no page 1`() throws {
    let steps = [Self.table, Self.notes(1...200)]
    let change: [DatabaseBuilder.Step] = ["UPDATE note SET done = 1 WHERE id % 2 = 0"]
    let own = try build("own.db", steps, leaving: change)
    let twin = try build("twin.db", steps, leaving: change)
    let log = twin.adding(suffix: "-wal")
    #expect(try !pages(in: log).contains(1))
    let survey = try Survey(main: own.contents(), wal: log.contents())
    #expect(survey.findings.contains { $0.code == .walForeign })
    #expect(survey.verdict == .damagedIntact)
    #expect(try !Survey(own).findings.contains { $0.code == .walForeign })
  }

  @Test func `of a log that replaces all of a small table, it is said that nothing tells`() throws {
    let steps = [Self.table, Self.notes(1...5)]
    let change: [DatabaseBuilder.Step] = ["UPDATE note SET done = 1"]
    let own = try build("own.db", steps, leaving: change)
    let twin = try build("twin.db", steps, leaving: change)
    let survey = try Survey(main: own.contents(), wal: twin.adding(suffix: "-wal").contents())
    #expect(survey.verdict == .healthy)
    #expect(survey.unchecked.map(\.subject) == [.log])
    #expect(try Survey(own).unchecked == [])
  }

  @Test func `a log that has yet to insert what the file holds is of an earlier state`() throws {
    let rows = (4...8).map { number -> DatabaseBuilder.Step in
      "INSERT INTO note VALUES (\(number), 'title of \(number)', 'body of \(number)', 0)"
    }
    let path = try build("app.db", [Self.table, Self.notes(1...3)], leaving: rows)
    let log = try path.adding(suffix: "-wal").contents()
    #expect(try Survey(path).verdict == .healthy)
    // The database went on from there, in other logs.
    let connection = try Connection(path, mode: .app)
    try connection.execute("UPDATE note SET done = 1 WHERE id = 8; PRAGMA wal_checkpoint")
    let survey = try Survey(main: path.contents(), wal: log)
    #expect(survey.findings.contains { $0.code == .walForeign })
    #expect(survey.tree(named: "note")?.records == 8)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
  }

  /// What apps do to tables in a log, with and without new pages.
  private static let changes = [
    "UPDATE note SET done = 1 - done",
    "UPDATE note SET done = 1 WHERE id % 7 = %r % 7",
    "UPDATE note SET body = hex(randomblob(40)), done = 1",
    "UPDATE note SET title = 'title ' || %r, body = hex(randomblob(40)) WHERE id = %r % 200",
    "DELETE FROM note WHERE id > (SELECT max(id) - 3 FROM note)",
    "DELETE FROM note WHERE id % 5 = %r % 5",
    "INSERT INTO note (title, body, done) VALUES (hex(randomblob(8)), hex(randomblob(20)), 0)",
    "INSERT INTO note SELECT NULL, hex(randomblob(8)), hex(randomblob(40)), 0 FROM note LIMIT 20",
    "REPLACE INTO note SELECT id, title, body || 'x', done FROM note WHERE id < 40",
    "DELETE FROM cache; INSERT INTO cache SELECT id, hex(randomblob(9)), hex(randomblob(9)) FROM note LIMIT 12",
    "DELETE FROM cache",
    "INSERT OR REPLACE INTO cache SELECT id, title, 'a long constant' FROM note LIMIT 12",
    "UPDATE cache SET v = hex(randomblob(9)), w = hex(randomblob(9))",
    "DELETE FROM pair; INSERT INTO pair SELECT id, title FROM note",
    "UPDATE pair SET v = hex(randomblob(30))",
    "UPDATE pair SET v = 'short'",
    "UPDATE keyed SET w = hex(randomblob(8)) WHERE k > '8'",
    "REPLACE INTO keyed SELECT title, body FROM note WHERE id % 9 = %r % 9",
    "UPDATE note SET title = lower(title), body = lower(body)",
    "UPDATE note SET title = 'x' || title, body = body || 'x'",
    """
    CREATE TEMP TABLE kept AS SELECT * FROM note ORDER BY id DESC LIMIT 4;
    DELETE FROM note WHERE id IN (SELECT id FROM kept);
    INSERT INTO note SELECT * FROM kept; DROP TABLE kept
    """,
    "PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(PASSIVE)",
    "PRAGMA wal_checkpoint(RESTART)",
    "VACUUM",
    "CREATE INDEX IF NOT EXISTS titles ON note (title)", "DROP INDEX IF EXISTS titles",
  ]

  @Test(arguments: 1...6)
  func `a log that its own database writes is never another's`(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: 1024, autoVacuum: seed % 2 == 0 ? .none : .full, journal: .wal,
      [
        Self.table, "CREATE TABLE cache (id INTEGER PRIMARY KEY, v TEXT, w TEXT)",
        "CREATE TABLE pair (id INTEGER PRIMARY KEY, v TEXT)",
        "CREATE TABLE keyed (k TEXT PRIMARY KEY, w TEXT) WITHOUT ROWID", Self.notes(1...120),
        "INSERT INTO keyed SELECT title, body FROM note",
      ]
    ).build(at: path)
    let connection = try Connection(path, mode: .app)
    try connection.execute("PRAGMA wal_autocheckpoint = 0")
    for step in 1...60 {
      let change = try #require(Self.changes.randomElement(using: &random))
      let number = Int.random(in: 0..<1000, using: &random)
      try connection.execute(change.replacing("%r", with: "\(number)"))
      let survey = try Survey(
        main: path.contents(), wal: path.adding(suffix: "-wal").contents())
      #expect(
        survey.verdict == .healthy,
        "seed \(seed), step \(step), \(change): \(survey.findings.map(\.message))")
      guard survey.verdict == .healthy else { return }
    }
  }
}
