// SPDX-License-Identifier: Apache-2.0
// A journal can name any file as its super-journal, and SQLite deletes that when it plays the
// journal back. Nothing here ever does, whatever command is given.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct SuperJournalTests {
  /// How the journal comes.
  enum Journal: String, CaseIterable, Sendable {
    /// As a crash leaves it.
    case hot
    /// Beside a database that says that it is in WAL mode.
    case besideLog
    /// With a name in upper case.
    case upperCase
    /// With a header that a commit has zeroed.
    case retired
    /// With a header that is none.
    case garbled
  }

  let scratch: ScratchFolder
  let stage: Stage
  let victim: FilePath
  init() throws {
    scratch = try ScratchFolder()
    stage = Stage(root: scratch.path)
    try stage.makeFolders()
    victim = scratch["tmp/precious.txt"]
    try victim.replaceContents(with: Bytes("precious".utf8))
  }

  private func run(_ arguments: [String]) throws -> Command.Outcome {
    try Command(Products.dbrescue, arguments, environment: stage.environment).run()
  }

  private func place(_ kind: Journal) throws {
    try DatabaseBuilder(
      pageSize: 1024,
      [
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60)
        INSERT INTO notes SELECT i, 'note ' || i || hex(zeroblob(40)) FROM n
        """,
      ], leftover: .hotJournal(["UPDATE notes SET body = replace(body, 'note', 'nope')"])
    ).build(at: stage.database)
    let path = stage.database.adding(suffix: "-journal")
    var journal = JournalBytes.naming(victim, journal: try path.contents(), pageSize: 1024)
    switch kind {
    case .hot: break
    case .besideLog:
      var main = try stage.database.contents()
      main.replaceSubrange(18..<20, with: [2, 2])
      try stage.database.replaceContents(with: main)
    case .upperCase: try SystemStorage().remove(path)
    case .retired: journal.replaceSubrange(0..<28, with: repeatElement(0, count: 28))
    case .garbled: journal[0] ^= 0xFF
    }
    let name = kind == .upperCase ? "-JOURNAL" : "-journal"
    try stage.database.adding(suffix: name).replaceContents(with: journal)
  }

  @Test(arguments: Journal.allCases)
  func `no command deletes the file that a journal names`(_ kind: Journal) throws {
    try place(kind)
    let database = stage.database.description
    let rows = try rolledBackRows(kind)
    let evidence = try files()
    let looking = [
      ["check", database], ["diagnose", database], ["backup", database],
      ["guard", database, "--", "/bin/true"],
      ["salvage", database, "--output", stage.output.description],
      ["contract", "capture", database],
    ]
    for arguments in looking {
      let outcome = try run(arguments)
      #expect(outcome.status ?? 200 < 100, "\(arguments): \(outcome)")
      if kind == .hot { #expect(outcome.status == 0, "\(arguments): \(outcome)") }
      #expect(try files() == evidence, "\(arguments)")
      #expect(try victim.contents() == Bytes("precious".utf8), "\(arguments)")
    }
    let restored = try run(["restore", database, "--from", "latest", "--yes"])
    #expect(restored.status ?? 200 < 100, "\(restored)")
    #expect(try victim.contents() == Bytes("precious".utf8))
    if kind == .hot || kind == .upperCase {
      #expect(restored.status == 0, "\(restored)")
      #expect(try Oracle(stage.database).rows(of: "notes") == rows)
      #expect(try Oracle(stage.output).rows(of: "notes") == rows)
    }
  }

  /// The files of the database, by name.
  private func files() throws -> [Bytes?] {
    try ["", "-journal", "-JOURNAL", "-wal"].map {
      let path = stage.database.adding(suffix: $0)
      return try path.exists ? path.contents() : nil
    }
  }

  /// The rows after SQLite has played back the same journal, which names no file.
  private func rolledBackRows(_ kind: Journal) throws -> [ExactRow] {
    let name = kind == .upperCase ? "-JOURNAL" : "-journal"
    let copy = scratch["tmp/copy.db"]
    try copy.replaceContents(with: stage.database.contents())
    let journal = try stage.database.adding(suffix: name).contents()
    try copy.adding(suffix: "-journal").replaceContents(
      with: Bytes(journal.dropLast(20 + victim.bytes.count)))
    defer { try? copy.removeFileSet() }
    return try Oracle(copy).rows(of: "notes")
  }

  @Test func `a connection plays back no journal, also one that comes after it was opened`()
    throws
  {
    try place(.hot)
    let path = stage.database.adding(suffix: "-journal")
    let journal = try path.contents()
    try SystemStorage().remove(path)
    for mode in [Connection.Mode.readOnly, .readWrite] {
      let connection = try Connection(stage.database, mode: mode)
      try path.replaceContents(with: journal)
      let before = try files()
      #expect(throws: SQLiteError.self) {
        _ = try connection.value("SELECT count(*) FROM notes")
      }
      #expect(try files() == before)
      let isThere = try victim.exists
      #expect(isThere)
      try SystemStorage().remove(path)
    }
  }

  @Test func `a transaction that is taken back deletes no file that an old journal names`() throws {
    try place(.retired)
    let connection = try Connection(stage.database, mode: .readWrite)
    try connection.execute(
      "PRAGMA journal_mode = persist; PRAGMA cache_size = 1; BEGIN; DELETE FROM notes")
    _ = try? connection.execute("ROLLBACK")
    #expect(try victim.contents() == Bytes("precious".utf8))
  }

  @Test func `a journal beside an empty file is not deleted`() throws {
    try place(.hot)
    try stage.database.replaceContents(with: [])
    let before = try files()
    let connection = try Connection(stage.database, mode: .readWrite)
    _ = try? connection.value("SELECT count(*) FROM sqlite_schema")
    #expect(try files() == before)
  }

  @Test func `SQLite itself deletes the file that this journal names`() throws {
    try place(.hot)
    let connection = try Connection(stage.database, mode: .app)
    #expect(try connection.value("SELECT count(*) FROM notes") == .integer(60))
    let isThere = try victim.exists
    #expect(!isThere)
  }
}
