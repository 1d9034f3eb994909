// SPDX-License-Identifier: Apache-2.0
// Logs with which a sound file contradicts itself: its own old ones, and those of others.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct LogKinshipTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private static let table: DatabaseBuilder.Step =
    "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, done INTEGER)"

  private static let notes: DatabaseBuilder.Step =
    """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO note SELECT i, hex(randomblob(8)), hex(randomblob(40)), 0 FROM n
    """

  /// A database whose log has another body for each second note.
  private func build(_ name: FilePath) throws -> FilePath {
    let path = scratch[name]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, [Self.table, Self.notes],
      leftover: .wal(["UPDATE note SET body = hex(randomblob(30)) WHERE id % 2"])
    ).build(at: path)
    return path
  }

  /// Whether the log has rows of a file that has gone on without it.
  private func isKin(_ log: Bytes, _ path: FilePath) throws -> Bool {
    let connection = try Connection(path, mode: .app)
    try connection.execute(
      "PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM note WHERE id % 5 = 1; VACUUM")
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let image = try #require(Survey(main: path.contents()).image)
    let bytes = MemorySource(log)
    return LogKinship(of: try WriteAheadLog(bytes), bytes, beside: image).isProven
  }

  @Test func `an old log has rows of its database, also where they have moved`() throws {
    let path = try build("app.db")
    let log = try path.adding(suffix: "-wal").contents()
    #expect(try isKin(log, path))
  }

  @Test(arguments: [
    "CREATE TABLE note (id INTEGER PRIMARY KEY, body REAL)",
    "CREATE TABLE note (id TEXT PRIMARY KEY, body INTEGER) WITHOUT ROWID",
  ])
  func `an old log has numbers of its database, also under a key`(table: String) throws {
    func fill(_ name: FilePath) throws -> FilePath {
      let path = scratch[name]
      try DatabaseBuilder(
        pageSize: 1024, journal: .wal,
        [
          .init(stringLiteral: table),
          """
          WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
          INSERT INTO note SELECT i, random() / 1e6 FROM n
          """,
        ], leftover: .wal(["UPDATE note SET body = 7 WHERE CAST(id AS INTEGER) % 2"])
      ).build(at: path)
      return path
    }
    let path = try fill("app.db")
    let (log, other) = (path.adding(suffix: "-wal"), try fill("other.db").adding(suffix: "-wal"))
    let (own, others) = (try log.contents(), try other.contents())
    #expect(try isKin(own, path))
    #expect(try !isKin(others, path))
  }

  @Test func `the log of another installation has none of them`() throws {
    let path = try build("app.db")
    let other = try build("other.db").adding(suffix: "-wal").contents()
    #expect(try !isKin(other, path))
  }

  @Test func `the log of another app is that, though its header goes on by chance`() throws {
    let path = scratch["own.db"]
    try DatabaseBuilder(pageSize: 1024, journal: .wal, [Self.table, Self.notes]).build(at: path)
    try path.adding(suffix: "-wal").replaceContents(with: logOfPhotos())
    let answer = try Rescue(world: World(environment: [:])).check(InputFiles(path)).value.causes
    #expect(answer.leading?.kind == .foreignLog, "\(answer.causes)")
  }

  @Test func `nor does it take rows from a file that is damaged itself`() throws {
    let path = scratch["own.db"]
    try DatabaseBuilder(pageSize: 1024, journal: .wal, [Self.table, Self.notes]).build(at: path)
    var main = try path.contents()
    main.replaceSubrange(9 * 1024..<9 * 1024 + 300, with: Bytes(repeating: 0x55, count: 300))
    let survey = Survey(main: main, wal: try logOfPhotos())
    #expect(survey.tree(named: "note")?.records ?? 0 > 280)
    #expect(survey.findings.contains { $0.code == .walForeign })
  }

  @Test func `the log of another copy of the app takes no rows from a file with a wrong free list`()
    throws
  {
    let path = scratch["own.db"]
    try DatabaseBuilder(pageSize: 1024, journal: .wal, [Self.table, Self.notes]).build(at: path)
    var main = try path.contents()
    main.replaceSubrange(32..<36, with: [0xC4, 0x89, 0x3C, 0x0A])
    let other = scratch["other.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal,
      [Self.table, "CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT)", Self.notes],
      leftover: .wal(["UPDATE note SET body = hex(randomblob(30)) WHERE id % 2"])
    ).build(at: other)
    let survey = Survey(main: main, wal: try other.adding(suffix: "-wal").contents())
    #expect(survey.tree(named: "note")?.records == 300)
    #expect(survey.findings.contains { $0.code == .walForeign })
  }

  /// The log of an app with other tables.
  private func logOfPhotos() throws -> Bytes {
    let other = scratch["photos.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal,
      [
        "CREATE TABLE album (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE photo (id INTEGER PRIMARY KEY, path TEXT)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO photo SELECT i, hex(zeroblob(30)) FROM n
        """,
      ],
      leftover: .wal([
        "INSERT INTO photo SELECT id + 1000, path || 'x' FROM photo", "DELETE FROM album",
      ])
    ).build(at: other)
    return try other.adding(suffix: "-wal").contents()
  }
}
