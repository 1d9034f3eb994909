// SPDX-License-Identifier: Apache-2.0
// A database that is older than its newest backup, and everything that only looks like it.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite(.timeLimit(.minutes(30))) struct BackInTimeTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }
  private var rescue: Rescue {
    Rescue(world: World(environment: ["DBRESCUE_LOG": scratch["runs.jsonl"].description]))
  }

  /// Makes a database with so many rows, in one transaction.
  @discardableResult
  private func make(rows: Int, _ name: String = "app.db", wal: Bool = false) throws -> FilePath {
    let path = scratch[FilePath(name)]
    let connection = try Connection(path, mode: .create, schemaBy: .us)
    try connection.execute(
      "PRAGMA journal_mode = \(wal ? "wal" : "delete");"
        + "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);" + insert(rows, "x"))
    return path
  }

  private func insert(_ rows: Int, _ letter: String) -> String {
    """
    INSERT INTO t(body) WITH RECURSIVE n(i) AS
      (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      SELECT replace(hex(zeroblob(25)), '0', '\(letter)') FROM n;
    """
  }

  private func change(_ database: FilePath, _ sql: String) throws {
    try Connection(database, mode: .readWrite, schemaBy: .us).execute(sql)
  }

  private func backUp(
    _ database: FilePath, _ change: (inout BackupWriter.Options) -> Void = { _ in }
  ) throws -> Backup {
    var options = BackupWriter.Options()
    change(&options)
    return try rescue.backUp(database, options: options).value
  }

  /// Writes bytes over a file that stays the same file.
  private func overwrite(_ path: FilePath, with bytes: Bytes) throws {
    let file = try SystemStorage().open(path, .readWrite)
    try file.truncate(to: 0)
    try file.write(bytes, at: 0)
  }

  private func codes(_ backup: Backup) -> [String] {
    backup.manifest?.lineage?.findings.map(\.code) ?? []
  }

  @Test func `an older copy is told after the folder was moved, as updates of apps do`() throws {
    let storage = SystemStorage()
    try storage.createFolder(scratch["before"])
    let database = try make(rows: 500, "before/app.db")
    let old = try database.contents()
    try change(database, insert(500, "y"))
    #expect(try backUp(database).isGood)
    try storage.rename(scratch["before"], to: scratch["after"])
    let moved = scratch["after/app.db"]
    try overwrite(moved, with: old)
    let backup = try backUp(moved)
    #expect(!backup.isGood && codes(backup).contains("DBR-F130"), "\(codes(backup))")
  }

  @Test(arguments: [false, true])
  func `a file that has no page any more makes no good backup until that is accepted`(
    _ isNewFile: Bool
  ) throws {
    let database = try make(rows: 500)
    #expect(try backUp(database).isGood)
    if isNewFile { try SystemStorage().remove(database) }
    try SystemStorage().open(database, isNewFile ? .createNew : .readWrite).truncate(to: 0)
    let backup = try backUp(database)
    #expect(!backup.isGood && codes(backup).contains("DBR-F130"), "\(codes(backup))")
    #expect(try backUp(database) { $0.acceptsOlder = true }.isGood)
  }

  @Test(arguments: [false, true])
  func `an older copy put over the database makes no good backup until that is accepted`(
    _ wal: Bool
  ) throws {
    let database = try make(rows: 500, wal: wal)
    let old = try database.contents()
    try change(database, insert(500, "y"))
    let newest = try backUp(database)
    #expect(newest.isGood && newest.manifest?.lineage == nil)
    try overwrite(database, with: old)
    for _ in 0..<2 {
      let backup = try backUp(database)
      #expect(!backup.isGood && backup.manifest?.clean == false)
      #expect(codes(backup) == ["DBR-F130", "DBR-F131"])
      let finding = try #require(backup.manifest?.lineage?.findings.first)
      #expect(finding.message.contains(newest.name.id.description))
    }
    let error = #expect(throws: RescueError.self) {
      try rescue.guardMigration(of: database, command: ["/bin/true"]) { _ in .stop }
    }
    #expect(error?.kind == .invalidInput && error?.advice.contains("--accept") == true)
    let accepted = try backUp(database) { $0.acceptsOlder = true }
    #expect(accepted.isGood && accepted.manifest?.lineage?.isAccepted == true)
    let next = try backUp(database)
    #expect(next.isGood && codes(next) == [])
  }

  @Test func `a diagnosis tells it before the next backup does, and offers that backup`() throws {
    func diagnose() throws -> Diagnosed {
      try rescue.diagnose(InputFiles(database, storage: SystemStorage())).value
    }
    let database = try make(rows: 500)
    let old = try database.contents()
    try change(database, insert(500, "y"))
    let newest = try backUp(database)
    #expect(try diagnose().examination.findings.isEmpty)
    try overwrite(database, with: old)
    let diagnosed = try diagnose()
    #expect(diagnosed.examination.verdict == .healthy)
    #expect(diagnosed.examination.meaning.contains("older than its backup"))
    #expect(diagnosed.examination.findings.map(\.code) == [.databaseOlder, .rowsFewer])
    #expect(
      diagnosed.examination.findings.first?.message.contains(newest.name.id.description) == true)
    #expect(diagnosed.options.map(\.kind) == [.nothing, .restore])
    #expect(diagnosed.options.last?.outcomes.first { $0.table == "t" }?.regained == 500)
    try #require(backUp(database) { $0.acceptsOlder = true }.isGood)
    #expect(try diagnose().examination.findings.isEmpty)
    try change(database, "DELETE FROM t WHERE id <= 110")
    #expect(try diagnose().examination.findings.map(\.code) == [.rowsFewer])
    #expect(try diagnose().options.map(\.kind) == [.nothing])
  }

  @Test
  func `a page of an older moment makes no good backup, though its counter is the newest one`()
    throws
  {
    let database = try make(rows: 500)
    let old = try database.contents()
    try change(database, "UPDATE t SET body = 'changed' WHERE id = 7")
    try #require(backUp(database).isGood)
    var bytes = try database.contents()
    let page = stride(from: 4096, to: bytes.count, by: 4096).first {
      bytes[$0..<($0 + 4096)] != old[$0..<($0 + 4096)]
    }
    let place = try #require(page)
    bytes.replaceSubrange(place..<(place + 4096), with: old[place..<(place + 4096)])
    try overwrite(database, with: bytes)
    let backup = try backUp(database)
    #expect(!backup.isGood && codes(backup) == ["DBR-F132"], "\(codes(backup))")
    // An app that goes on writes with the next counter: what it has written is its own.
    #expect(try backUp(database) { $0.acceptsOlder = true }.isGood)
    try change(database, "UPDATE t SET body = 'again' WHERE id = 8")
    #expect(try backUp(database).isGood)
  }

  @Test func `a log that was lost takes the database back in time`() throws {
    let database = try make(rows: 500, wal: true)
    let old = try database.contents()
    try change(database, insert(2000, "y"))
    try #require(backUp(database).isGood)
    try SystemStorage().remove(database.adding(suffix: "-wal"))
    try overwrite(database, with: old)
    #expect(try codes(backUp(database)).first == "DBR-F130")
  }

  @Test func `what an app does to its rows is told, and is nothing wrong`() throws {
    let database = try make(rows: 1000)
    try #require(backUp(database).isGood)
    for (sql, expected) in [
      ("VACUUM", []), ("DELETE FROM t WHERE id % 3 = 0", ["DBR-F131"]),
      ("INSERT INTO t(body) VALUES ('one more')", []),
      ("DELETE FROM t WHERE id > 900; VACUUM", ["DBR-F131"]),
      ("DELETE FROM t; DELETE FROM sqlite_sequence", ["DBR-F131"]), (insert(10, "z"), []),
      ("DROP TABLE t; CREATE TABLE other(a)", ["DBR-F131"]),
    ] as [(String, [String])] {
      try change(database, sql)
      let backup = try backUp(database)
      #expect(backup.isGood && codes(backup) == expected, "\(sql)")
    }
  }

  @Test func `rows that may not be lost make no good backup`() throws {
    let database = try make(rows: 1000)
    try #require(backUp(database).isGood)
    try change(database, "DELETE FROM t WHERE id <= 110")
    #expect(try !backUp(database) { $0.lossMax = 10 }.isGood)
    #expect(try backUp(database) { $0.lossMax = 11 }.isGood)
    #expect(try backUp(database) { $0.lossMax = 0 }.isGood, "the last one had no more rows")
  }

  @Test func `a new installation is no older database`() throws {
    let database = try make(rows: 500)
    try change(database, insert(500, "y"))
    try #require(backUp(database).isGood)
    try SystemStorage().remove(database)
    try make(rows: 40)
    let backup = try backUp(database)
    #expect(backup.isGood && codes(backup) == ["DBR-F131"])
  }

  @Test func `what this program puts back is meant to be older`() throws {
    let database = try make(rows: 500)
    let first = try backUp(database)
    try change(database, insert(500, "y"))
    try #require(backUp(database).isGood)
    let restored = try rescue.recover(
      .restore, database, backup: first, choose: { $1.first { $0.kind == .restore } ?? $1[0] },
      approve: { _ in })
    #expect(try Oracle(database).count(of: "t") == 500)
    #expect(try backUp(database).isGood)
    _ = try rescue.undo(restored.code, of: database)
    #expect(try Oracle(database).count(of: "t") == 1000)
    #expect(try backUp(database).isGood)
  }

  @Test func `two databases of one name in one vault are no copies of each other`() throws {
    let vault = scratch["vault"]
    for folder in ["one", "two"] { try SystemStorage().createFolder(scratch[FilePath(folder)]) }
    let many = try make(rows: 1000, "one/app.db")
    try change(many, insert(100, "y"))
    let few = try make(rows: 10, "two/app.db")
    for database in [many, few, many, few] {
      let backup = try rescue.backUp(database, vault: vault).value
      #expect(backup.isGood && codes(backup) == [])
    }
  }
}
