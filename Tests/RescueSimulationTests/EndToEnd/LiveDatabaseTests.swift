// SPDX-License-Identifier: Apache-2.0
// Databases that do not stand still: an app writes while they are looked at, backed up and guarded.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LiveDatabaseTests {
  static let journals: [FitnessLog.Journal] = [.wal, .delete]

  let session: Session
  let file: FilePath
  init() throws {
    session = try Session()
    file = session["live.db"]
  }

  private func create(_ journal: FitnessLog.Journal) throws {
    try FitnessLog.create(file, version: 4, workouts: 60, journal: journal)
  }

  /// Starts the app's writer, and waits until it has written something.
  private func startWriter(seconds: String) throws -> RunningCommand {
    let size = try sequence()
    let writer = try Command(
      Products.fitnessLog, ["write", file.description, "--seconds", seconds]
    ).start()
    while try sequence() == size {}
    return writer
  }

  /// How many workouts there ever were, as the app itself would ask.
  private func sequence() throws -> Int64 {
    let connection = try Connection(file, mode: .readOnly, schemaBy: .us)
    connection.wait(milliseconds: 10_000)
    let value = try connection.value("SELECT seq FROM sqlite_sequence WHERE name = 'workouts'")
    return value?.integerValue ?? 0
  }

  private func commits(_ outcome: Command.Outcome) throws -> Int64 {
    #expect(outcome.status == 0, "\(outcome)")
    return try #require(Int64(outcome.text.split(separator: " ").first ?? ""))
  }

  @Test(arguments: journals)
  func `backups of a busy database each hold one moment of it`(
    _ journal: FitnessLog.Journal
  ) throws {
    try create(journal)
    let started = try sequence()
    let writer = try startWriter(seconds: "10")
    var sequences: [Int64] = []
    for number in 0..<5 {
      let backup = try session.run(
        "backup", file.description, "--contract", session.contract, "--level", "1", "--wait", "300")
      #expect(backup.status == 0, "\(backup)")
      let newest = try #require(try session.backups(of: file).first)
      #expect(newest.isGood)
      let copy = session[FilePath("copy-\(number).db")]
      try session.gunzip(newest, to: copy)
      let oracle = try Oracle(copy)
      #expect(try oracle.integrityErrors == [])
      #expect(try oracle.value("SELECT count(*) FROM pragma_foreign_key_check") == .integer(0))
      // One moment: the trigger and the writer keep these equal at every commit.
      let behind = try oracle.value("SELECT count(*) FROM outbox WHERE status = 'pending'")
      #expect(behind == .integer(0))
      let sequence = try oracle.value("SELECT seq FROM sqlite_sequence WHERE name = 'workouts'")
      sequences.append(try #require(sequence?.integerValue))
    }
    let written = try commits(writer.wait())
    let names = try session.backups(of: file).map(\.path.name)
    #expect(sequences == sequences.sorted())
    #expect(
      Set(sequences).count > 1,
      "the database has to change between backups: \(sequences), \(names), \(started) \(written)")
    #expect(written > 0)
    #expect(try sequence() == started + written)
    #expect(try session.run("vault", "verify", file.description).status == 0)
    #expect(try session.run("check", file.description, "--contract", session.contract).status == 0)
    #expect(try session.records().filter { $0.operation == "backup" }.count == 5)
  }

  @Test(arguments: journals)
  func `a database at work is never taken for a damaged one`(
    _ journal: FitnessLog.Journal
  ) throws {
    try create(journal)
    let writer = try startWriter(seconds: "1.5")
    var statuses: [Int32] = []
    for verb in ["check", "diagnose", "check", "check", "diagnose", "check"] {
      let outcome = try session.run(verb, file.description, "--contract", session.contract)
      statuses.append(try #require(outcome.status))
      #expect([0, 75].contains(outcome.status), "\(outcome)")
      if outcome.status == 75 { #expect(outcome.errorText.contains("another process")) }
    }
    _ = try commits(writer.wait())
    #expect(try session.run("check", file.description, "--contract", session.contract).status == 0)
  }

  @Test func `a database that is locked is busy after the time to wait`() throws {
    try create(.delete)
    let holder = try Connection(file, mode: .readWrite, schemaBy: .us)
    try holder.execute("BEGIN EXCLUSIVE")
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = try session.run("backup", file.description, "--wait", "1")
    let waited = clock.now - start
    #expect(outcome.status == 75, "\(outcome)")
    #expect(waited > .milliseconds(900) && waited < .seconds(6), "\(waited)")
    #expect(outcome.errorText.contains("try: "))
    #expect(try session.backups(of: file).isEmpty)
    #expect(try SystemStorage().names(in: Vault.defaultFolder(of: file)) == [])
    #expect(try session.records().last?.exitStatus == 75)

    // The lock of another is no damage, and looking does not need it.
    #expect(try session.run("check", file.description).status == 0)
    let restored = try session.run("guard", file.description, "--", "/bin/true")
    #expect(restored.status == 75, "\(restored)")
    try holder.execute("ROLLBACK")
    #expect(try session.run("backup", file.description, "--wait", "0").status == 0)
  }

  @Test func `a lock in WAL mode keeps nobody from reading`() throws {
    try create(.wal)
    let holder = try Connection(file, mode: .readWrite, schemaBy: .us)
    try holder.execute("BEGIN EXCLUSIVE; DELETE FROM notes")
    let outcome = try session.run("backup", file.description, "--wait", "1")
    #expect(outcome.status == 0, "\(outcome)")
    let backup = try #require(try session.backups(of: file).first)
    let copy = session["copy.db"]
    try session.gunzip(backup, to: copy)
    try holder.execute("ROLLBACK")
    #expect(try Oracle.firstDifference(expected: file, actual: copy) == nil)
  }

  @Test(arguments: [1, 2])
  func `a transaction that is in the log and not yet in its index is no finding`(
    _ count: Int
  ) throws {
    // The last transaction, which may be the only one, comes to the log when the app has it open.
    let rows = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
    let insert: DatabaseBuilder.Step = "\(rows) INSERT INTO t SELECT i FROM n"
    try DatabaseBuilder(
      journal: .wal, ["CREATE TABLE t (a)"],
      leftover: .wal(Array(repeating: insert, count: count))
    ).build(at: file)
    let log = file.adding(suffix: "-wal")
    let bytes = try log.contents()
    let frames = try WriteAheadLog(MemorySource(bytes)).committed
    let end = frames.dropLast().last { $0.commitPageCount != nil }.map { $0.offset + 4096 } ?? 0
    try log.replaceContents(with: Bytes(bytes.prefix(end)))
    let holder = try Connection(file, mode: .readWrite, schemaBy: .us)
    let seen = try #require(try holder.value("SELECT count(*) FROM t")?.integerValue)
    #expect(seen == 900 * (count - 1))
    try SystemStorage().open(log, .readWrite).write(Bytes(bytes.dropFirst(end)), at: end)

    let outcome = try session.run("backup", file.description)
    #expect(outcome.status == 0, "\(outcome)")
    let copy = session["copy.db"]
    try session.gunzip(#require(try session.backups(of: file).first), to: copy)
    #expect(try Oracle(copy).count(of: "t") == Int(seen))
  }

  @Test(arguments: journals)
  func `a restore over a locked database waits, and then leaves it alone`(
    _ journal: FitnessLog.Journal
  ) throws {
    try create(journal)
    #expect(try session.run("backup", file.description).status == 0)
    let holder = try Connection(file, mode: .readWrite, schemaBy: .us)
    try holder.execute("DELETE FROM notes; BEGIN IMMEDIATE; DELETE FROM outbox")
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = try session.run("restore", file.description, "--yes", "--wait", "1")
    let waited = clock.now - start
    #expect(outcome.status == 75, "\(outcome)")
    #expect(waited < .seconds(8), "\(waited)")
    try holder.execute("COMMIT")
    #expect(try Oracle(file).count(of: "outbox") == 0)
    #expect(try Oracle(file).integrityErrors == [])
    let rescue = file.adding(suffix: ".rescue")
    #expect(try !rescue.appending("plan.json").exists)
    #expect(try SystemStorage().names(in: rescue).allSatisfy { !$0.hasSuffix(".new") })
    // A peer that has it open sees the restored rows with its next statement.
    #expect(try session.run("restore", file.description, "--yes").status == 0)
    let rows = try holder.value("SELECT count(*) FROM notes")?.integerValue
    #expect(try #require(rows) > 0)
  }

  @Test(arguments: journals)
  func `a guarded migration loses nothing that was there before it`(
    _ journal: FitnessLog.Journal
  ) throws {
    try create(journal)
    let started = try sequence()
    let writer = try startWriter(seconds: "2")
    // A row that is committed before the guard starts.
    let peer = try Connection(file, mode: .readWrite, schemaBy: .us)
    peer.wait(milliseconds: 10_000)
    let insert = "INSERT INTO exercises (name, muscle_group) VALUES "
    try peer.execute(insert + "('before the guard', 'core')")
    let before = try sequence()

    let kept = try session.run(
      "guard", file.description, "--contract", session.contract, "--on-failure", "stop", "--",
      "/bin/true")
    #expect([0, 19, 75].contains(kept.status), "\(kept)")
    let restored = try session.run(
      "guard", file.description, "--contract", session.contract, "--on-failure", "restore", "--",
      "/bin/false")
    #expect([16, 75].contains(restored.status), "\(restored)")
    let written = try commits(writer.wait())

    let oracle = try Oracle(file)
    #expect(try oracle.integrityErrors == [])
    let marker = "SELECT count(*) FROM exercises WHERE name = 'before the guard'"
    #expect(try oracle.value(marker) == .integer(1))
    #expect(try sequence() >= before)
    #expect(try sequence() <= started + written)
    // What was written after the backup is in quarantine.
    let quarantine = file.adding(suffix: ".rescue").appending("quarantine")
    if restored.text.contains("restored from") {
      for code in try SystemStorage().names(in: quarantine) {
        let displaced = quarantine.appending(code).appending(file.name)
        #expect(try Oracle(displaced).integrityErrors == [])
        #expect(try Oracle(displaced).value(marker) == .integer(1))
      }
    }
    let check = try session.run("check", file.description, "--contract", session.contract)
    #expect(check.status == 0, "\(check)")
  }

  @Test(arguments: journals)
  func `a peer that has the database open sees every replacement, and loses no write`(
    _ journal: FitnessLog.Journal
  ) throws {
    try create(journal)
    let peer = try Connection(file, mode: .readWrite, schemaBy: .us)
    let count = "SELECT count(*) FROM sets"
    let sets = try peer.value(count)
    #expect(try session.run("backup", file.description).status == 0)
    let reset = try session.run(
      "reset", file.description, "--schema", session.contract, "--yes", "--confirm", "live.db")
    #expect(reset.status == 0, "\(reset)")
    #expect(try peer.value(count) == .integer(0))
    let code = try #require(try session.records().last).code.description
    let undo = try session.run("undo", code, file.description, "--yes")
    #expect(undo.status == 0, "\(undo)")
    #expect(try peer.value(count) == sets)
    try peer.execute("DELETE FROM notes")
    #expect(try Oracle(file).count(of: "notes") == 0)
    #expect(try Oracle(file).value(count) == sets)
  }

  @Test(arguments: journals)
  func `an undo that cannot be done leaves nothing behind`(
    _ journal: FitnessLog.Journal
  ) throws {
    try create(journal)
    let reset = try session.run(
      "reset", file.description, "--schema", session.contract, "--yes", "--confirm", "live.db")
    #expect(reset.status == 0)
    let code = try #require(try session.records().last).code.description
    let rescue = file.adding(suffix: ".rescue")
    let before = try FolderContents(of: rescue)
    let holder = try Connection(file, mode: .readWrite, schemaBy: .us)
    try holder.execute("BEGIN IMMEDIATE; DELETE FROM sets")
    let undo = try session.run("undo", code, file.description, "--yes")
    #expect(undo.status == 75, "\(undo)")
    #expect(undo.errorText.contains("try: "))
    #expect(try before.changes(until: FolderContents(of: rescue)) == [])
  }

  @Test func `several runs at once each leave their line`() throws {
    try create(.wal)
    let running = try (0..<4).map { _ in
      try session.dbrescue(["backup", file.description, "--level", "1"]).start()
    }
    for command in running {
      let outcome = try command.wait()
      #expect(outcome.status == 0, "\(outcome)")
    }
    let records = try session.records()
    #expect(records.count == 4)
    #expect(Set(records.map(\.code)).count == 4)
    #expect(try session.backups(of: file).filter(\.isGood).count == 4)
  }
}
