// SPDX-License-Identifier: Apache-2.0
// Logs of an earlier state whose pages fit the file: what they would bring back and take away tells.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ReturningRowsTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private static func table(_ key: String) -> DatabaseBuilder.Step {
    "CREATE TABLE note (id INTEGER PRIMARY KEY \(key), title TEXT, body TEXT, done INTEGER)"
  }

  private static func notes(_ ids: ClosedRange<Int>) -> DatabaseBuilder.Step {
    """
    INSERT INTO note SELECT i, printf('title %d', i), printf('%040d', i * i), 0
    FROM (WITH RECURSIVE n(i) AS (VALUES (\(ids.lowerBound)) UNION ALL
      SELECT i + 1 FROM n WHERE i < \(ids.upperBound)) SELECT i FROM n)
    """
  }

  private static let marks: DatabaseBuilder.Step = "UPDATE note SET done = 1 WHERE id % 5 = 0"
  private static let deletes: DatabaseBuilder.Step = "DELETE FROM note WHERE id % 9 = 4"

  /// A file that has gone on, beside the log of the state before.
  private func survey(_ key: String, pastLog steps: [DatabaseBuilder.Step]) throws -> Survey {
    let begun = [Self.table(key), Self.notes(1...100)]
    let log = [Self.marks, Self.notes(101...101)]
    let (old, new) = (scratch["old.db"], scratch["new.db"])
    try DatabaseBuilder(pageSize: 4096, journal: .wal, begun, leftover: .wal(log)).build(at: old)
    try DatabaseBuilder(pageSize: 4096, journal: .wal, begun + log + steps).build(at: new)
    return try Survey(main: new.contents(), wal: old.adding(suffix: "-wal").contents())
  }

  @Test func `a log that puts deleted rows into their holes and drops the newest ones is in doubt`()
    throws
  {
    let survey = try survey("", pastLog: [Self.deletes, Self.notes(102...104)])
    #expect(survey.findings.contains { $0.code == .walInDoubt })
    #expect(survey.verdict == .damagedIntact)
  }

  @Test func `a log that lowers a counter of AUTOINCREMENT is of an earlier state`() throws {
    let survey = try survey("AUTOINCREMENT", pastLog: [Self.notes(102...104)])
    #expect(survey.findings.contains { $0.code == .walForeign })
    #expect(survey.tree(named: "note")?.records == 104)
  }

  @Test(
    arguments: [
      [deletes, notes(101...104)],
      ["DELETE FROM note WHERE id > 95", deletes],
      ["DELETE FROM note WHERE id > 95", notes(96...99)],
      [
        "DELETE FROM note WHERE id % 9 = 4 OR id > 95",
        "UPDATE note SET body = '' WHERE id % 7 = 0",
      ],
    ] as [[DatabaseBuilder.Step]])
  func `a log that goes on from its file is not in doubt`(_ log: [DatabaseBuilder.Step]) throws {
    for key in ["", "AUTOINCREMENT"] {
      let path = scratch[FilePath("live-\(key).db")]
      try DatabaseBuilder(
        pageSize: 4096, journal: .wal, [Self.table(key), Self.notes(1...100), Self.marks],
        leftover: .wal(log)
      ).build(at: path)
      #expect(try Survey(path).verdict == .healthy)
    }
  }

  @Test func `rows that are deleted and put back in one place are no sign of an old log`() throws {
    let path = scratch["back.db"]
    try DatabaseBuilder(
      pageSize: 4096, journal: .wal, [Self.table(""), Self.notes(1...100), Self.deletes],
      leftover: .wal(["INSERT OR IGNORE INTO note SELECT id + 1, title, body, 0 FROM note"])
    ).build(at: path)
    #expect(try Survey(path).verdict == .healthy)
  }

  @Test(
    arguments: [
      // In a log that was begun anew after the checkpoint.
      [("", ["DELETE FROM note WHERE id > 90", "UPDATE sqlite_sequence SET seq = 90"])],
      // In one that a reader held, so that a checkpoint copied its beginning and it went on.
      [
        ("PRAGMA wal_checkpoint(PASSIVE)", [marks, "INSERT INTO tag VALUES (1)"]),
        ("", ["DELETE FROM note WHERE id > 90", "UPDATE sqlite_sequence SET seq = 90"]),
      ],
      // As a state that is put back whole.
      [
        (
          "",
          [
            "BEGIN", "UPDATE note SET done = done", "DELETE FROM note WHERE id > 90",
            "UPDATE sqlite_sequence SET seq = 90", "UPDATE tag SET name = name",
            "PRAGMA user_version = 7", "COMMIT",
          ]
        )
      ],
    ] as [[(last: String, steps: [DatabaseBuilder.Step])]])
  func `a log in which an app lowers a counter goes on from its file`(
    _ parts: [(last: String, steps: [DatabaseBuilder.Step])]
  ) throws {
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: 4096, journal: .wal,
      [
        Self.table("AUTOINCREMENT"), "CREATE TABLE tag (name)", "INSERT INTO tag VALUES ('a')",
        Self.notes(1...100),
      ]
    ).build(at: path)
    let connection = try Connection(path, mode: .app)
    let reader = try Connection(path, mode: .app)
    for part in parts {
      for step in part.steps { try connection.execute(step.sql) }
      if !part.last.isEmpty {
        try reader.execute("BEGIN; SELECT * FROM tag")
        _ = try connection.rows(part.last)
      }
    }
    let survey = try Survey(
      main: path.contents(), wal: path.adding(suffix: "-wal").contents())
    #expect(survey.verdict == .healthy)
    #expect(survey.tree(named: "note")?.records == 90)
    withExtendedLifetime(reader) {}
  }
}
