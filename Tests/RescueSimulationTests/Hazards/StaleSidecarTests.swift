// SPDX-License-Identifier: Apache-2.0
// What may lie beside a database when it is replaced, and must not come back into the new one.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct StaleSidecarTests {
  /// A file beside the database.
  enum Sidecar: String, CaseIterable, Sendable { case wal, shm, journal }

  /// What the file is to the database that it lies beside.
  enum Origin: String, CaseIterable, Sendable { case same, foreign, torn, hot }

  /// One cell of the matrix.
  struct Case: CustomTestStringConvertible, Sendable {
    let sidecar: Sidecar
    let origin: Origin
    let isDamaged: Bool

    var testDescription: String {
      "\(origin) \(sidecar) beside a \(isDamaged ? "damaged" : "sound") database"
    }
  }

  static let cases: [Case] = Sidecar.allCases.flatMap { sidecar in
    Origin.allCases.flatMap { origin in
      [false, true].map { Case(sidecar: sidecar, origin: origin, isDamaged: $0) }
    }
  }

  let scratch: ScratchFolder
  let stage: Stage
  init() throws {
    scratch = try ScratchFolder()
    stage = Stage(root: scratch.path)
    try stage.makeFolders()
  }

  @Test(arguments: cases)
  func `a restore is what the backup holds, whatever lay beside the database`(
    _ test: Case
  ) throws {
    try build(stage.database, "note")
    _ = try stage.rescue(seed: 1).backUp(stage.database)
    let backedUp = stage.state(of: stage.database)
    try place(test)
    let before = DatabaseInPlace(at: stage.database)
    let outcome = try Command(
      Products.dbrescue, ["restore", stage.database.description, "--yes"],
      environment: stage.environment
    ).run()
    #expect(outcome.status == 0, "\(outcome)")

    #expect(stage.state(of: stage.database).content == backedUp.content)
    // Whoever opens it next must not find anything to play back, nor ever may.
    let connection = try Connection(stage.database, mode: .readWrite, schemaBy: .us)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE); SELECT * FROM notes")
    #expect(stage.state(of: stage.database).content == backedUp.content)
    // What was displaced is whole: for SQLite, or byte for byte.
    let kept = try stage.quarantined()
    #expect(
      kept.contains { $0 == before || isPart(of: before, $0) },
      "\(kept.map { $0.bytes.mapValues(\.count) }) \(before.bytes.mapValues(\.count))")
    #expect(try stage.litter(expecting: []) == [])
  }

  /// Whether all files of the database are in quarantine, byte for byte.
  private func isPart(of before: DatabaseInPlace, _ kept: DatabaseInPlace) -> Bool {
    before.bytes.allSatisfy { kept.bytes[$0.key] == $0.value }
  }

  private func build(_ path: FilePath, _ text: String) throws {
    try DatabaseBuilder(
      pageSize: 1024,
      [
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)",
        DatabaseBuilder.Step(
          stringLiteral: """
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60)
            INSERT INTO notes SELECT i, '\(text) ' || i || hex(zeroblob(40)) FROM n
            """),
      ]
    ).build(at: path)
  }

  private func place(_ test: Case) throws {
    let suffix = "-\(test.sidecar)"
    let change: [DatabaseBuilder.Step] = ["UPDATE notes SET body = body || ' later' WHERE id < 9"]
    let leftover: Leftover =
      switch (test.sidecar, test.origin) {
      case (.wal, .torn): .tornWAL(committed: change, torn: ["DELETE FROM notes WHERE id > 9"])
      case (.wal, _): .wal(change)
      case (.shm, _): .nothing
      case (.journal, _): .hotJournal(["UPDATE notes SET body = 'taken back'"])
      }
    switch test.origin {
    case .same, .torn, .hot: try leftover.leave(at: stage.database)
    case .foreign:
      let other = stage.root.appending("log/other.db")
      try DatabaseBuilder(
        pageSize: 1024,
        ["CREATE TABLE others (a, b)", "INSERT INTO others VALUES (zeroblob(9000), 1)"]
      ).build(at: other)
      let changes: [DatabaseBuilder.Step] = ["UPDATE others SET a = zeroblob(9001), b = 2"]
      let foreign: Leftover = test.sidecar == .wal ? .wal(changes) : .hotJournal(changes)
      if test.sidecar != .shm {
        try foreign.leave(at: other)
        try stage.database.adding(suffix: suffix)
          .replaceContents(with: other.adding(suffix: suffix).contents())
      }
    }
    let path = stage.database.adding(suffix: suffix)
    if test.sidecar == .shm {
      try path.replaceContents(with: Bytes(repeating: 0xA5, count: 32768))
    }
    switch (test.sidecar, test.origin) {
    case (.journal, .torn):
      try path.replaceContents(with: Bytes(path.contents().dropLast(700)))
    case (.journal, .same):
      // Kept between transactions, with its header zeroed: not hot.
      var bytes = try path.contents()
      bytes.replaceSubrange(0..<28, with: repeatElement(0, count: 28))
      try path.replaceContents(with: bytes)
      try build(stage.root.appending("log/again.db"), "note")
      try stage.database.replaceContents(with: stage.root.appending("log/again.db").contents())
    default: break
    }
    guard test.isDamaged else { return }
    var bytes = try stage.database.contents()
    for index in 2048..<2090 { bytes[index] = 0xEE }
    try stage.database.replaceContents(with: bytes)
  }
}
