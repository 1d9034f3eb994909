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
    let survey = Survey(
      main: try own.contents(), wal: try twin.adding(suffix: "-wal").contents())
    #expect(survey.findings.contains { $0.code == .walForeign })
    #expect(survey.holdsEveryRow)
    #expect(survey.tree(named: "note")?.records == 300)
  }
}
