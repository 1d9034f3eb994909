// SPDX-License-Identifier: Apache-2.0
// What real files and real neighbours do to a replacement.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

import class Foundation.Thread

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct ReplacementHazardTests {
  static let journals: [DatabaseBuilder.JournalMode] = [.wal, .delete]

  let scratch: ScratchFolder
  let stage: Stage
  var file: FilePath { stage.database }
  init() throws {
    scratch = try ScratchFolder()
    stage = Stage(root: scratch.path)
    try stage.makeFolders()
  }

  private func build(_ journal: DatabaseBuilder.JournalMode, rows: Int = 60) throws {
    try DatabaseBuilder(
      pageSize: 1024, journal: journal,
      [
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)",
        DatabaseBuilder.Step(
          stringLiteral: """
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO notes SELECT i, 'note ' || i || hex(zeroblob(40)) FROM n
            """),
      ]
    ).build(at: file)
  }

  private func damage() throws {
    var bytes = try file.contents()
    for index in 2048..<2090 { bytes[index] = 0xEE }
    try file.replaceContents(with: bytes)
  }

  private func dbrescue(_ arguments: String...) throws -> Command.Outcome {
    try Command(Products.dbrescue, arguments, environment: stage.environment).run()
  }

  #if os(Linux)
    @Test(arguments: journals)
    func `a file is not replaced under a process that has it open`(
      _ journal: DatabaseBuilder.JournalMode
    ) throws {
      try build(journal)
      let holder = try Connection(file, mode: .app)
      _ = try holder.value("SELECT count(*) FROM sqlite_schema")
      // Written into the file, which stays the one that is open.
      try SystemStorage().open(file, .readWrite)
        .write(Bytes(repeating: 0xEE, count: 42), at: 2048)
      let before = try file.contents()
      let outcome = try dbrescue("recover", file.description, "--choose", "salvage", "--yes")
      #expect(outcome.status == 75, "\(outcome)")
      #expect(outcome.errorText.contains("open"), "\(outcome)")
      #expect(try file.contents() == before)
      withExtendedLifetime(holder) {}
    }
  #endif

  private static func play(of action: String) throws -> Play {
    try Play(try #require(Action.all.first { $0.description == action }))
  }

  /// Leaves what a crash leaves when the damaged database has moved away, and no other is there.
  private func interrupted() throws -> Play {
    let play = try Self.play(of: "restore by moving files, WAL beside it")
    let disks = (0..<play.operations.count).lazy.map {
      play.start.crashed(after: play.operations.prefix($0), .everything)
    }
    try #require(disks.first { $0.files["app.db"] == nil }).write(to: stage.root)
    return play
  }

  // MARK: Links

  @Test(arguments: ["../log", "nowhere"])
  func `a link in the place of a journal moves away as it is`(_ target: String) throws {
    try build(.delete)
    try damage()
    #expect(unsafe symlink(target, stage.root.appending("app.db-wal").description) == 0)
    let ending = try dbrescue("recover", file.description, "--choose", "salvage", "--yes")
    #expect([0, 13, 14].contains(ending.status), "\(ending)")
    #expect(try dbrescue("check", file.description).status == 0)
    let names = try SystemStorage().names(in: stage.root)
    #expect(!names.contains("app.db-wal"))
  }

  // MARK: Neighbours

  @Test(arguments: journals)
  func `nobody can commit between the copy in quarantine and the replacement`(
    _ journal: DatabaseBuilder.JournalMode
  ) throws {
    try build(journal)
    let new = stage.root.appending("log/new.db")
    try DatabaseBuilder(pageSize: 1024, ["CREATE TABLE other (a)"]).build(at: new)
    let peer = try Connection(file, mode: .readWrite, schemaBy: .us)
    peer.wait(milliseconds: 0)
    try peer.execute("INSERT INTO notes VALUES (1000, 'just before')")
    var refused: SQLiteError?
    try OnlineBackup.copy(from: new, into: file) { () throws(RescueError) in
      do throws(SQLiteError) {
        try peer.execute("INSERT INTO notes VALUES (1001, 'too late')")
      } catch {
        refused = error
      }
    }
    #expect(refused?.cause == .busy)
    #expect(try Oracle(file).tables == ["other"])
  }

  @Test(arguments: journals)
  func `a writer that commits all the time loses nothing to a restore`(
    _ journal: DatabaseBuilder.JournalMode
  ) throws {
    try build(journal)
    _ = try stage.rescue(seed: 1).backUp(file)
    let committed = Mutex<[Int64]>([])
    let isDone = Atomic<Bool>(false)
    let database = file
    let ended = Mutex(false)
    let writer = Thread {
      var number: Int64 = 10_000
      while !isDone.load(ordering: .relaxed) {
        number += 1
        do {
          let connection = try Connection(database, mode: .readWrite, schemaBy: .us)
          connection.wait(milliseconds: 5000)
          for _ in 0..<5 {
            try connection.prepare("INSERT INTO notes VALUES (?, 'new')").run([.integer(number)])
            committed.withLock { $0.append(number) }
            number += 1
          }
        } catch {
          // Busy for too long; the next attempt has another number.
        }
      }
      ended.withLock { $0 = true }
    }
    writer.start()
    var restored = 0
    for _ in 0..<4 {
      let outcome = try dbrescue("restore", file.description, "--yes", "--wait", "20")
      #expect([0, 75].contains(outcome.status), "\(outcome)")
      if outcome.status == 0 { restored += 1 }
    }
    isDone.store(true, ordering: .relaxed)
    while !ended.withLock(\.self) { usleep(1000) }
    #expect(restored > 0)

    var found: Set<Int64> = []
    var places = [file]
    let quarantine = stage.rescueFolder.appending("quarantine")
    for code in try SystemStorage().names(in: quarantine) {
      places.append(quarantine.appending(code).appending(file.name))
    }
    for place in places {
      let oracle = try Oracle(place)
      #expect(try oracle.integrityErrors == [])
      found.formUnion(try oracle.rows(of: "notes").compactMap(\.rowID))
    }
    let lost = committed.withLock { $0.filter { !found.contains($0) } }
    #expect(lost == [], "\(lost.count) of \(committed.withLock(\.count)) commits are nowhere")
  }

  @Test func `a reader in WAL mode keeps its state, and then sees the new one`() throws {
    try build(.wal)
    _ = try stage.rescue(seed: 1).backUp(file)
    let reader = try Connection(file, mode: .readWrite, schemaBy: .us)
    try reader.execute("DELETE FROM notes WHERE id > 10; BEGIN; SELECT * FROM notes")
    let count = "SELECT count(*) FROM notes"
    #expect(try reader.value(count) == .integer(10))
    #expect(try dbrescue("restore", file.description, "--yes").status == 0)
    #expect(try reader.value(count) == .integer(10))
    try reader.execute("COMMIT")
    #expect(try reader.value(count) == .integer(60))
  }

  @Test func `a reader in a rollback mode keeps a restore waiting, and then out`() throws {
    try build(.delete)
    _ = try stage.rescue(seed: 1).backUp(file)
    let reader = try Connection(file, mode: .readWrite, schemaBy: .us)
    try reader.execute("DELETE FROM notes WHERE id > 10; BEGIN; SELECT * FROM notes")
    let before = try FolderContents(of: stage.rescueFolder)
    let outcome = try dbrescue("restore", file.description, "--yes", "--wait", "1")
    #expect(outcome.status == 75, "\(outcome)")
    #expect(try reader.value("SELECT count(*) FROM notes") == .integer(10))
    #expect(try before.changes(until: FolderContents(of: stage.rescueFolder)) == [])
  }

  @Test func `files do not move while a peer in WAL mode is idle`() throws {
    try build(.wal)
    _ = try stage.rescue(seed: 1).backUp(file)
    let peer = try Connection(file, mode: .readWrite, schemaBy: .us)
    try peer.execute("PRAGMA cache_size = 0; SELECT 1 FROM notes")
    try damageInPlace()
    let outcome = try dbrescue("restore", file.description, "--yes", "--wait", "0")
    #expect(outcome.status == 75, "\(outcome)")
    #expect(outcome.errorText.contains("another process has"))
    #expect(try stage.litter(expecting: []) == [])
  }

  /// Spoils a page without another inode: others have the file open.
  private func damageInPlace() throws {
    let storage = try SystemStorage().open(file, .readWrite)
    try storage.write(Bytes(repeating: 0xEE, count: 40), at: 2048)
    // Closing it here gives back no lock: the peer's are in this process and known to SQLite only
    // as long as it is open, and so it stays open.
    withExtendedLifetime(storage) { Self.openFiles.withLock { $0.append(storage) } }
  }

  private static let openFiles = Mutex<[any StoredFile]>([])

  @Test func `two runs do not replace at the same time`() throws {
    try build(.delete)
    _ = try stage.rescue(seed: 1).backUp(file)
    let other = try #require(try SystemStorage().lockFolder(stage.rescueFolder))
    let restore = try dbrescue("restore", file.description, "--yes")
    #expect(restore.status == 75, "\(restore)")
    #expect(restore.errorText.contains("another run of dbrescue"))
    // A backup changes nothing, and need not wait.
    #expect(try dbrescue("backup", file.description).status == 0)
    // Unless the other one is in the middle of it.
    let plan = stage.rescueFolder.appending("plan.json")
    try plan.replaceContents(with: [])
    #expect(try dbrescue("backup", file.description).status == 75)
    try SystemStorage().remove(plan)
    withExtendedLifetime(other) {}
  }

  // MARK: Files

  @Test func `another name of a sound database sees the new content`() throws {
    try build(.delete)
    _ = try stage.rescue(seed: 1).backUp(file)
    let other = stage.root.appending("log/other-name.db")
    #expect(try SystemStorage().link(file, to: other))
    try Connection(file, mode: .readWrite, schemaBy: .us).execute("DELETE FROM notes")
    #expect(try dbrescue("restore", file.description, "--yes").status == 0)
    #expect(try Oracle(other).count(of: "notes") == 60)
  }

  @Test func `a damaged database with another name is not replaced behind its back`() throws {
    try build(.delete)
    _ = try stage.rescue(seed: 1).backUp(file)
    try damage()
    let other = stage.root.appending("log/other-name.db")
    #expect(try SystemStorage().link(file, to: other))
    let before = try FolderContents(of: stage.root)
    let outcome = try dbrescue("restore", file.description, "--yes")
    #expect(outcome.status == 73, "\(outcome)")
    #expect(outcome.errorText.contains("1 other name"))
    #expect(outcome.errorText.contains("--output NEW"))
    let changes = try before.changes(until: FolderContents(of: stage.root))
    #expect(changes.allSatisfy { $0.contains("log/runs.jsonl") }, "\(changes)")
  }

  @Test(arguments: [false, true])
  func `mode and extended attributes stay`(_ isDamaged: Bool) throws {
    try build(.delete)
    _ = try stage.rescue(seed: 1).backUp(file)
    if isDamaged { try damage() }
    #expect(unsafe chmod(file.description, 0o640) == 0)
    let knowsAttributes = unsafe setAttribute(file.description, "user.owner", "notes app")
    #expect(try dbrescue("restore", file.description, "--yes").status == 0)
    #expect(try SystemStorage().status(of: file)?.mode == 0o640)
    if knowsAttributes { #expect(unsafe attribute(file.description, "user.owner") == "notes app") }
  }

  @Test func `a database that is gone comes back for those who could read it`() throws {
    try build(.delete)
    #expect(unsafe chmod(file.description, 0o640) == 0)
    let owner = try SystemStorage().status(of: file)?.access
    _ = try stage.rescue(seed: 1).backUp(file)
    try SystemStorage().remove(file)
    #expect(try dbrescue("restore", file.description, "--yes").status == 0)
    #expect(owner?.mode == "640")
    #expect(try SystemStorage().status(of: file)?.access == owner)
  }

  @Test func `a log under a name in capitals moves with its database`() throws {
    try build(.delete)
    _ = try stage.rescue(seed: 1).backUp(file)
    let content = stage.state(of: file)
    try Leftover.wal(["DELETE FROM notes WHERE id > 10"]).leave(at: file)
    let log = file.adding(suffix: "-WAL")
    try SystemStorage().rename(file.adding(suffix: "-wal"), to: log)
    let bytes = try log.contents()
    #expect(try dbrescue("restore", file.description, "--yes").status == 0)
    #expect(stage.state(of: file) == content)
    #expect(try !log.exists)
    let quarantine = stage.rescueFolder.appending("quarantine")
    let code = try #require(try SystemStorage().names(in: quarantine).first)
    #expect(try quarantine.appending(code).appending(log.name).contents() == bytes)
  }

  @Test func `an interrupted replacement is found through a link`() throws {
    let play = try interrupted()
    let link = stage.root.appending("log/link.db")
    #expect(unsafe symlink("../app.db", link.description) == 0)
    let check = try dbrescue("check", link.description)
    #expect(check.status == 66, "\(check)")
    let outcome = try dbrescue("restore", link.description, "--yes")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(stage.state(of: file) == play.new)
    #expect(try stage.quarantined().contains(play.old))
    #expect(try stage.litter(expecting: []) == [])
  }

  @Test func `a check says that a replacement was interrupted`() throws {
    try SystemStorage().createFolder(stage.rescueFolder)
    try stage.rescueFolder.appending("plan.json").replaceContents(with: [0])
    let outcome = try dbrescue("check", file.description)
    #expect(outcome.status == 66, "\(outcome)")
    #expect(outcome.errorText.contains("interrupted"))
    #expect(outcome.errorText.contains("dbrescue recover"))
  }

  @Test func `a dry run does not finish what was interrupted`() throws {
    try build(.delete)
    _ = try stage.rescue(seed: 1).backUp(file)
    try stage.rescueFolder.appending("plan.json").replaceContents(with: [0])
    let before = try FolderContents(of: stage.root)
    let outcome = try dbrescue("restore", file.description, "--dry-run")
    #expect(outcome.status == 20, "\(outcome)")
    #expect(try before.changes(until: FolderContents(of: stage.root)) == [])
  }

  @Test func `a code alone is enough in the folder of the database`() throws {
    try build(.delete)
    _ = try stage.rescue(seed: 1).backUp(file)
    let content = stage.state(of: file)
    try Connection(file, mode: .readWrite, schemaBy: .us).execute("DELETE FROM notes WHERE id > 10")
    let changed = stage.state(of: file)
    #expect(try dbrescue("restore", file.description, "--yes").status == 0)
    #expect(stage.state(of: file) == content)
    let quarantine = stage.rescueFolder.appending("quarantine")
    let code = try #require(try SystemStorage().names(in: quarantine).first).description
    func undo(in folder: FilePath) throws -> Command.Outcome {
      try Command(
        "/bin/sh",
        [
          "-c", "cd \"$0\" && \"$1\" undo \(code) --yes", folder.description,
          Products.dbrescue.description,
        ],
        environment: stage.environment
      ).run()
    }
    let elsewhere = try undo(in: stage.temporary)
    #expect(elsewhere.status == 66, "\(elsewhere)")
    #expect(elsewhere.errorText.contains("dbrescue undo \(code) FILE"))
    let outcome = try undo(in: stage.root)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(stage.state(of: file) == changed)
  }

  @Test func `an undo puts nothing in place that could not be read`() throws {
    let play = try Self.play(of: "undo of a reset")
    for (index, call) in play.calls.enumerated() where call.kind == .reading && call.isOurs {
      let found = try play.violations(with: Fault(call: index, errno: EIO)).violations
      #expect(found == [], "\(call)")
    }
  }

  @Test func `a database that was made while there was none is kept, too`() throws {
    let play = try interrupted()
    // The app starts before anybody finishes what was begun.
    try DatabaseBuilder(["CREATE TABLE fresh (a)", "INSERT INTO fresh VALUES (1)"]).build(at: file)
    let fresh = stage.state(of: file)
    #expect(try dbrescue("backup", file.description).status == 0)
    #expect(stage.state(of: file) == play.new)
    #expect(try stage.quarantined().contains(play.old))
    let quarantine = stage.rescueFolder.appending("quarantine")
    let code = try #require(try SystemStorage().names(in: quarantine).first)
    let newer = quarantine.appending(code).appending("app.db.newer")
    #expect(stage.state(of: newer) == fresh)
  }

  // MARK: Room

  @Test(arguments: [false, true])
  func `what does not fit is not begun`(_ isDamaged: Bool) throws {
    try build(.delete)
    _ = try stage.rescue(seed: 1).backUp(file)
    if isDamaged { try damage() }
    let backup = try #require(try Vault(of: file).latest())
    let before = try FolderContents(of: stage.root)
    let rescue = stage.rescue(seed: 2, storage: CrampedStorage(free: 1 << 20))
    let error = try #require(throws: RescueError.self) {
      try rescue.recover(
        .restore, file, backup: backup,
        choose: { _, options throws(RescueError) in
          guard let option = options.first(where: { $0.kind == .restore }) else {
            throw RescueError(.internal, "no option")
          }
          return option
        },
        approve: { _ throws(RescueError) in })
    }
    #expect(error.kind == .cannotWrite)
    #expect(error.message.contains("1048576 are free"), "\(error.message)")
    #expect(error.meaning == "nothing was changed")
    let changes = try before.changes(until: FolderContents(of: stage.root))
    #expect(changes.allSatisfy { $0.contains("log/runs.jsonl") }, "\(changes)")
  }

  // MARK: Unsynced rows

  @Test(arguments: journals)
  func `rows that came after the plan was shown are exported, too`(
    _ journal: DatabaseBuilder.JournalMode
  ) throws {
    try build(journal)
    let app = try Connection(file, mode: .readWrite, schemaBy: .us)
    let contract = Contract(
      name: "notes", freshSchema: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)"],
      unsynced: [Contract.UnsyncedEntry(name: "new", table: "notes", predicate: "id > 50")])
    let result = try stage.rescue(seed: 2).recover(
      .reset, file, contract: contract,
      choose: { examination, _ throws(RescueError) in examination.resetOption },
      approve: { _ throws(RescueError) in
        do {
          try app.execute("INSERT OR IGNORE INTO notes VALUES (77, 'while you read this')")
        } catch {
          throw RescueError(.internal, "\(error)")
        }
      })
    let export = try #require(result.value.exported.first)
    #expect(export.rows == 11)
    let text = String(decoding: try export.path.contents(), as: UTF8.self)
    #expect(text.contains("while you read this"))
  }
}

#if canImport(Darwin)
  @unsafe private func setAttribute(_ path: String, _ name: String, _ value: String) -> Bool {
    unsafe setxattr(path, name, value, value.utf8.count, 0, 0) == 0
  }

  @unsafe private func attribute(_ path: String, _ name: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe getxattr(path, name, &bytes, bytes.count, 0, 0)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
#else
  // Swift's view of the C library has no names for these.
  @_silgen_name("setxattr") private func setxattr(
    _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer,
    _ size: Int, _ flags: Int32
  ) -> Int32
  @_silgen_name("getxattr") private func getxattr(
    _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer,
    _ size: Int
  ) -> Int

  @unsafe private func setAttribute(_ path: String, _ name: String, _ value: String) -> Bool {
    unsafe setxattr(path, name, value, value.utf8.count, 0) == 0
  }

  @unsafe private func attribute(_ path: String, _ name: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe getxattr(path, name, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
#endif
