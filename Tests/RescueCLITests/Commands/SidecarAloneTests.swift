// SPDX-License-Identifier: Apache-2.0
// What every command does where all that is left of a database lies beside its file: SQLite throws
// that away when it opens an empty file, and reads it beside another one.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SidecarAloneTests {
  let bench: Workbench
  let file: FilePath
  private var log: FilePath { file.adding(suffix: "-wal") }
  private var journal: FilePath { file.adding(suffix: "-journal") }

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
  }

  private static func rows(_ count: Int) -> DatabaseBuilder.Step {
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO note SELECT i, 'note ' || i FROM n
    """
  }

  /// A log that holds a whole database, beside a file with other bytes.
  private func logAlone(beside bytes: Bytes) throws {
    try DatabaseBuilder(
      journal: .wal, [],
      leftover: .wal([
        "PRAGMA user_version = 3", "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)",
        Self.rows(300),
      ])
    ).build(at: file)
    try file.replaceContents(with: bytes)
  }

  /// A journal that holds most of a database, beside an empty file.
  private func journalAlone() throws {
    try DatabaseBuilder(
      pageSize: 1024,
      ["CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)", Self.rows(900)],
      leftover: .hotJournal(["UPDATE note SET body = body || ' and much more of it'"])
    ).build(at: file)
    try file.replaceContents(with: [])
  }

  /// A database beside which the journal says that it had no page before.
  private func firstTransaction() throws {
    try DatabaseBuilder(
      pageSize: 1024, ["CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)", Self.rows(300)]
    ).build(at: file)
    var header = Bytes([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    header += Bytes(repeating: 0, count: 504)
    header.setBigEndian(512, at: 20)
    header.setBigEndian(1024, at: 24)
    try journal.replaceContents(with: header)
  }

  private func diagnosis() throws -> (status: Int32, codes: [String], options: [String]) {
    let ending = try bench.run("diagnose", file, "--json")
    let json = try ending.json
    return (
      ending.status, json["findings"]?.elements.compactMap { $0["code"]?.text } ?? [],
      json["options"]?.elements.compactMap { $0["name"]?.text } ?? []
    )
  }

  /// The rows of a salvage into a new file.
  private func salvaged(ending status: Int32) throws -> Int {
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == status, "\(ending.all)")
    return try Oracle(bench["new.db"]).count(of: "note")
  }

  @Test func `a log beside an empty file is not left to SQLite, which deletes it`() throws {
    try logAlone(beside: [])
    #expect(try bench.run("check", file).status == 13)
    let found = try diagnosis()
    #expect(found.status == 13 && found.codes.contains("DBR-F127"))
    #expect(found.options == ["salvage"])
    let words = try bench.run("diagnose", file).output.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(words.contains("SQLite deletes that when it opens the file"))
    #expect(!words.contains("nothing is wrong"))
    #expect(try salvaged(ending: 0) == 300)

    // SQLite itself.
    let copy = bench["copy.db"]
    try file.copyFileSet(to: copy)
    #expect(
      try Connection(copy, mode: .app).value("SELECT count(*) FROM sqlite_schema") == .integer(0))
    #expect(try !copy.adding(suffix: "-wal").exists)
  }

  @Test func `neither a backup nor a guard takes such a log away`() throws {
    try logAlone(beside: [])
    let before = try log.contents()
    #expect(try bench.run("guard", file, "--", "/bin/sh", "-c", "exit 0").status == 13)
    #expect(try log.contents() == before)
    let ending = try bench.run("backup", file, "--json")
    #expect(ending.status == 14)
    #expect(try ending.backup["good"]?.bool == false)
    #expect(try log.contents() == before && file.contents().isEmpty)
  }

  @Test func `where the log alone is left, every command says so and how to save it`() throws {
    try logAlone(beside: [])
    try SystemStorage().remove(file)
    let folder = file.adding(suffix: ".saved")
    let output = file.adding(suffix: ".salvaged")
    let commands: [[any Word]] = [
      ["check", file], ["diagnose", file], ["backup", file], ["guard", file, "--", "/bin/true"],
      ["recover", file],
    ]
    for words in commands {
      let ending = try bench.run(words)
      #expect(ending.status == 66, "\(ending.all)")
      #expect(ending.all.contains("may be in that alone"), "\(ending.all)")
      #expect(ending.all.contains("&& dbrescue salvage \(folder.shellQuoted)/"), "\(ending.all)")
    }
    try SystemStorage().createFolder(folder)
    let copy = folder.appending(file.name)
    try copy.adding(suffix: "-wal").replaceContents(with: log.contents())
    try copy.replaceContents(with: [])
    let ending = try bench.run("salvage", copy, "--output", output)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try Oracle(output).count(of: "note") == 300)
  }

  @Test func `a recovery puts what the log holds in place of the empty file`() throws {
    try logAlone(beside: [])
    let ending = try bench.run("recover", file, "--choose", "salvage", "--yes")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try Oracle(file).count(of: "note") == 300)
  }

  @Test(arguments: [100, 8192])
  func `beside zeros SQLite reads the log, and nothing is wrong`(_ count: Int) throws {
    try logAlone(beside: Bytes(repeating: 0, count: count))
    #expect(try !diagnosis().codes.contains("DBR-F127"))
    #expect(try salvaged(ending: 0) == 300)
    #expect(try Oracle(file).count(of: "note") == 300)
  }

  @Test func `a journal beside an empty file is told of, and salvaged`() throws {
    try journalAlone()
    let found = try diagnosis()
    #expect(found.status == 14 && found.codes.contains("DBR-F127"))
    #expect(found.options.first == "salvage")
    #expect(try bench.run("diagnose", file).output.contains("keep the -journal"))
    #expect(try salvaged(ending: 14) > 600)
    let ending = try bench.run("backup", file, "--json")
    #expect(try ending.backup["good"]?.bool == false)
    #expect(try !journal.contents().isEmpty)
  }

  @Test func `what a first transaction has written is there until SQLite takes it back`() throws {
    try firstTransaction()
    let before = try [file, journal].map { try $0.contents() }
    let found = try diagnosis()
    #expect(found.status == 13 && found.codes == ["DBR-F127"])
    #expect(found.options == ["salvage"])
    let causes = try bench.run("diagnose", file, "--json").json["causes"]?.elements ?? []
    #expect(causes.map { $0["cause"]?.text } == ["interrupted"])
    #expect(try salvaged(ending: 0) == 300)
    let ending = try bench.run("backup", file, "--json")
    #expect(try ending.backup["good"]?.bool == false)
    #expect(try [file, journal].map { try $0.contents() } == before)
  }

  @Test func `a log beside an error page is read as SQLite reads it`() throws {
    try logAlone(beside: Bytes("<html><body>502 Bad Gateway</body></html>\n".utf8))
    let found = try diagnosis()
    #expect(found.status == 13 && found.codes.contains("DBR-F004"))
    #expect(found.options == ["salvage"])
    let causes = try bench.run("diagnose", file, "--json").json["causes"]?.elements ?? []
    #expect(causes.map { $0["cause"]?.text } == ["other-content"])
    #expect(try salvaged(ending: 0) == 300)
    #expect(try Oracle(file).count(of: "note") == 300)
  }

  @Test func `an error page alone stays what it is`() throws {
    try file.replaceContents(with: Bytes("<html><body>502 Bad Gateway</body></html>\n".utf8))
    #expect(try diagnosis().status == 15)
  }

  @Test(arguments: [32, 900])
  func
    `a log alone that has lost its beginning still gives its rows, and tells that some may be older`(
      _ lost: Int
    ) throws
  {
    try logAlone(beside: [])
    try log.replaceContents(with: Bytes(try log.contents().dropFirst(lost)))
    #expect(try bench.run("check", file).status == 14)
    #expect(try diagnosis().options == ["salvage"])
    #expect(try salvaged(ending: 14) == 300)
  }

  @Test func `beside a log of which nothing can be read a salvage is not complete`() throws {
    try DatabaseBuilder(
      ["CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)", Self.rows(300)]
    ).build(at: file)
    try log.replaceContents(with: Bytes(repeating: 0x5A, count: 5000))
    #expect(try bench.run("check", file).status == 14)
    #expect(try salvaged(ending: 14) == 300)
  }
}
