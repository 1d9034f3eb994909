// SPDX-License-Identifier: Apache-2.0
// Making backups: what they hold, what they say, and that a failure leaves nothing behind.

import Diagnosis
import Dispatch
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@testable import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a caller would say of a database, from its header.
func describe(
  _ image: any PageSource, _ earlier: EarlierBackup?
) throws(RescueError) -> BackupDescription {
  let header: Bytes
  do { header = try image.read(at: 0, count: 100) } catch {
    throw RescueError(.inputOutput, error.reason)
  }
  guard header.starts(with: Bytes("SQLite format 3\0".utf8)) else {
    throw RescueError(.invalidInput, "not a database")
  }
  let size = Int(header[16]) << 8 | Int(header[17])
  return BackupDescription(
    BackupContent(
      pageSize: size == 1 ? 65536 : size, userVersion: Int32(header[63]), journalMode: "delete",
      supportCode: "DBR-TEST"))
}

@Suite(.timeLimit(.minutes(30))) struct BackupWriterTests {
  static func options(_ change: (inout BackupWriter.Options) -> Void) -> BackupWriter.Options {
    var options = BackupWriter.Options()
    change(&options)
    return options
  }

  static func writer(
    _ scratch: ScratchFolder, _ options: BackupWriter.Options = BackupWriter.Options(),
    storage: any Storage = SystemStorage()
  ) -> BackupWriter {
    BackupWriter(
      vault: scratch["vault"], tool: "test", options: options, world: World(storage: storage))
  }

  /// The image that a backup holds, restored and removed again.
  static func image(of backup: Backup, _ scratch: ScratchFolder) throws -> Bytes {
    let path = scratch[FilePath("restored-\(backup.name.id).db")]
    try BackupReader(backup.path).restore(to: path)
    defer { try? SystemStorage().remove(path) }
    return try path.contents()
  }

  @Test(arguments: [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
  func `every page size comes back byte for byte`(pageSize: Int) throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database(pageSize: pageSize)
    let backup = try Self.writer(scratch).backUp(database, describing: describe)
    #expect(backup.state == .complete && backup.isGood && backup.flaws.isEmpty)
    let manifest = try #require(backup.manifest)
    #expect(manifest.clean && !manifest.raw)
    #expect(
      manifest.checks.map(\.name)
        == ["read back", "restored on trial", "integrity_check", "foreign_key_check"])
    #expect(manifest.content.pageSize == pageSize && backup.name.userVersion == 7)
    #expect(manifest.database == "app.db" && manifest.tool == "test")
    let image = try Self.image(of: backup, scratch)
    #expect(manifest.image.sha256 == SHA256.digest(of: image))
    #expect(scratch.names("vault") == [backup.path.name.description])
    let restored = scratch["again.db"]
    try restored.replaceContents(with: image)
    #expect(try OnlineBackupTests.content(restored) == OnlineBackupTests.content(database))
  }

  @Test func `an empty database, and a file of no bytes`() throws {
    let scratch = try ScratchFolder()
    _ = try Connection(scratch["empty.db"], mode: .create, schemaBy: .us).execute("VACUUM")
    try scratch["nothing.db"].replaceContents(with: [])
    for name in ["empty.db", "nothing.db"] {
      let backup = try Self.writer(scratch).backUp(scratch[FilePath(name)]) {
        (_, _) throws(RescueError) in BackupDescription(BackupContent())
      }
      #expect(backup.isGood, "\(name)")
      #expect(try Self.image(of: backup, scratch).count == backup.manifest?.image.byteCount)
    }
  }

  private static let hasGunzip = (try? SystemStorage().status(of: "/bin/gunzip")) != nil

  @Test(.enabled(if: hasGunzip, "there is no gunzip")) func `gunzip gives the exact database`()
    throws
  {
    let scratch = try ScratchFolder()
    let database = try scratch.database(kibibytes: 1200)
    let backup = try Self.writer(scratch, Self.options { $0.verification = .quick })
      .backUp(database, describing: describe)
    #expect((try BackupReader(backup.path).memberCount) > 3)
    let output = scratch["gunzipped.db"]
    #expect(unsafe system("exec /bin/gunzip -c '\(backup.path)' > '\(output)'") == 0)
    #expect(unsafe system("exec /bin/gunzip -t '\(backup.path)'") == 0)
    #expect(try output.contents() == Self.image(of: backup, scratch))
    #expect(try OnlineBackupTests.content(output) == OnlineBackupTests.content(database))
  }

  @Test func `what was found and what failed is in the manifest, and it is not clean`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database()
    try Connection(database, mode: .readWrite, schemaBy: .us).execute(
      "INSERT INTO tag VALUES (9999, 'none')")
    let backup = try Self.writer(scratch).backUp(database, describing: describe) {
      (copy) throws(RescueError) in
      [BackupManifest.Check("contract", passed: true, detail: "\(copy.name.bytes.count) bytes")]
    }
    let manifest = try #require(backup.manifest)
    #expect(!manifest.clean && backup.isGood)
    #expect(manifest.checks.filter { !$0.passed }.map(\.name) == ["foreign_key_check"])
    #expect(manifest.checks.last?.name == "contract")

    let other = try Self.writer(scratch).backUp(database) { (image, _) throws(RescueError) in
      var description = try describe(image, nil)
      description.content.findings = [
        BackupContent.FoundThing(Finding(.indexMismatch, "an index"))
      ]
      return description
    }
    #expect(other.manifest?.clean == false)
    #expect(other.manifest?.content.findings.map(\.code) == [FindingCode.indexMismatch.name])
  }

  @Test func `a damaged database that SQLite can open is stored, with the failed check`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database(kibibytes: 200)
    var bytes = try database.contents()
    bytes.replaceSubrange(10 * 4096..<12 * 4096, with: Bytes(repeating: 0xAA, count: 8192))
    try database.replaceContents(with: bytes)
    let backup = try Self.writer(scratch).backUp(database, describing: describe)
    #expect(backup.state == .complete && !backup.isGood)
    let check = backup.manifest?.checks.first { $0.name == "integrity_check" }
    #expect(check?.passed == false)
    #expect(backup.manifest?.clean == false && backup.manifest?.raw == false)
    #expect(try Self.image(of: backup, scratch).count == bytes.count)
  }

  @Test(arguments: [10, 32 + 24 + 100])
  func `a database with a broken log is stored raw, and its log stays as it is`(_ byte: Int) throws
  {
    let scratch = try ScratchFolder()
    let database = scratch["app.db"]
    try DatabaseBuilder(
      journal: .wal, ["CREATE TABLE t (a)"],
      leftover: .wal((1...9).map { "INSERT INTO t VALUES (\($0))" })
    ).build(at: database)
    let log = database.adding(suffix: "-wal")
    var bytes = try log.contents()
    bytes[byte] ^= 0x21
    try log.replaceContents(with: bytes)
    let backup = try Self.writer(scratch).backUp(database, describing: describe)
    let manifest = try #require(backup.manifest)
    #expect(manifest.raw && !backup.isGood)
    #expect(manifest.sidecars.map(\.suffix) == ["-wal"])
    #expect(try log.contents() == bytes)
  }

  @Test func `what SQLite cannot read is stored raw, with its other files`() throws {
    let scratch = try ScratchFolder()
    let database = scratch["noise.db"]
    let noise = ArchiveTests.image(300_000)
    try database.replaceContents(with: noise)
    try database.adding(suffix: "-wal").replaceContents(with: [1, 2, 3])
    try database.adding(suffix: "-journal").replaceContents(with: [4, 5])
    let backup = try Self.writer(scratch).backUp(database, describing: describe)
    let manifest = try #require(backup.manifest)
    #expect(manifest.raw && !manifest.clean && !backup.isGood && backup.state == .complete)
    #expect(try Self.image(of: backup, scratch) == noise)
    #expect(manifest.sidecars.map(\.suffix) == ["-wal", "-journal"])
    #expect(
      manifest.checks.map(\.name)
        == ["readable by SQLite", "content", "read back", "source unchanged"])
    for (suffix, bytes) in [("-wal", [1, 2, 3]), ("-journal", [4, 5])] as [(String, Bytes)] {
      let part = try #require(BackupName.Part(rawValue: suffix))
      let path = scratch["vault"].appending(backup.name.with(part).path)
      let output = scratch[FilePath("part\(suffix)")]
      try BackupReader(path).restore(to: output)
      #expect(try output.contents() == bytes)
    }
    #expect(scratch.names("vault").count == 3)
    #expect(scratch.names().filter { $0.hasPrefix("noise.db") }.count == 3)
    let vault = Vault(scratch["vault"])
    #expect(try vault.list().count == 1)
    #expect(try vault.list().flatMap { vault.verify($0) }.map(\.passed) == [true, true, true])
    #expect(try vault.leftovers().isEmpty)
  }

  /// Makes the files of a database whose user was killed in the middle of a transaction.
  static func crash(_ scratch: ScratchFolder) throws -> FilePath {
    let live = try scratch.database("live.db", kibibytes: 200)
    let connection = try Connection(live, mode: .readWrite, schemaBy: .us)
    // A cache of a few pages, so that changed pages reach the file before the commit.
    try connection.execute(
      "PRAGMA cache_size = 5; BEGIN; UPDATE note SET body = 'changed'; DELETE FROM tag")
    let crashed = scratch["crashed.db"]
    for suffix in ["", "-journal"] {
      try crashed.adding(suffix: suffix).replaceContents(
        with: live.adding(suffix: suffix).contents())
    }
    try connection.execute("ROLLBACK")
    return crashed
  }

  @Test func `a crashed transaction is rolled back in the backup, and not in the database`()
    throws
  {
    let scratch = try ScratchFolder()
    let database = try Self.crash(scratch)
    let journal = database.adding(suffix: "-journal")
    let before = try (database.contents(), journal.contents())
    let backup = try Self.writer(scratch).backUp(database, describing: describe)
    #expect(backup.isGood && backup.manifest?.clean == true)
    #expect(try (database.contents(), journal.contents()) == before)
    #expect(scratch.names("vault").count == 1)
    let restored = scratch["restored.db"]
    try BackupReader(backup.path).restore(to: restored)
    #expect(
      try OnlineBackupTests.content(restored)
        == OnlineBackupTests.content(scratch["live.db"]))
  }

  @Test func `an empty database does not cost its WAL`() throws {
    let scratch = try ScratchFolder()
    let database = scratch["empty.db"]
    try database.replaceContents(with: [])
    let wal = database.adding(suffix: "-wal")
    try wal.replaceContents(with: [1, 2, 3])
    let backup = try Self.writer(scratch).backUp(database, describing: describe)
    #expect(backup.manifest?.raw == true)
    #expect(backup.manifest?.sidecars.map(\.image.byteCount) == [3])
    #expect(try wal.contents() == [1, 2, 3])
  }

  @Test func `raw can be asked for, and a missing file is named so`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database()
    let writer = Self.writer(scratch, Self.options { $0.isRaw = true })
    let backup = try writer.backUp(database, describing: describe)
    #expect(backup.manifest?.raw == true)
    #expect(try Self.image(of: backup, scratch) == database.contents())
    let error = #expect(throws: RescueError.self) {
      try writer.backUp(scratch["missing.db"], describing: describe)
    }
    #expect(error?.kind == .missing)
    let folder = #expect(throws: RescueError.self) {
      try writer.backUp(scratch.path, describing: describe)
    }
    #expect(folder?.kind == .invalidInput)
  }

  @Test func `too little space is said before anything is made`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database()
    let writer = Self.writer(scratch, storage: FailingStorage(free: 70_000))
    let error = #expect(throws: RescueError.self) {
      try writer.backUp(database, describing: describe)
    }
    #expect(error?.kind == .cannotWrite)
    #expect(error?.message.contains("70000 are free") == true)
    #expect(scratch.names() == ["app.db"])
  }

  @Test func `a locked database gives busy, and leaves the vault as it was`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database()
    let holder = try Connection(database, mode: .readWrite, schemaBy: .us)
    try holder.execute("BEGIN EXCLUSIVE")
    let writer = Self.writer(scratch, Self.options { $0.wait = .milliseconds(100) })
    let error = #expect(throws: RescueError.self) {
      try writer.backUp(database, describing: describe)
    }
    #expect(error?.kind == .busy)
    #expect(scratch.names("vault").isEmpty)
    try holder.execute("ROLLBACK")
  }

  @Test(arguments: [false, true]) func `whatever call fails, the vault is as it was before`(
    isRaw: Bool
  ) throws {
    let scratch = try ScratchFolder()
    let database = try isRaw ? scratch.database(kibibytes: 20) : Self.crash(scratch)
    if isRaw { try database.adding(suffix: "-wal").replaceContents(with: [1]) }
    let options = Self.options { $0.isRaw = isRaw }
    let counting = FailingStorage()
    let good = try Self.writer(scratch, options, storage: counting)
      .backUp(database, describing: describe)
    let before = scratch.names("vault")
    #expect(counting.callCount > 20)
    for call in 1...counting.callCount {
      let storage = FailingStorage(failing: call)
      let result = Result {
        try Self.writer(scratch, options, storage: storage)
          .backUp(database, describing: describe)
      }
      switch result {
      case .success(let backup):
        // The call was one that may fail, such as looking whether a lock file is still there.
        #expect(backup.state == .complete, "call \(call)")
        for part in BackupName.Part.allCases {
          try SystemStorage().remove(
            scratch["vault"].appending(backup.name.with(part).path))
        }
      case .failure: break
      }
      // One file may stay where its removal is the call that failed; a sweep then finds it.
      try Vault(scratch["vault"]).sweep()
      #expect(scratch.names("vault") == before, "call \(call)")
    }
    #expect(try BackupReader(good.path).verify().passed)
  }

  @Test func `a caller that gives up leaves nothing behind`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database()
    let writer = Self.writer(scratch)
    #expect(throws: RescueError.self) {
      try writer.backUp(database) { (_, _) throws(RescueError) -> BackupDescription in
        throw RescueError(.declined, "no")
      }
    }
    #expect(throws: RescueError.self) {
      try writer.backUp(database, describing: describe) {
        (_) throws(RescueError) -> [BackupManifest.Check] in throw RescueError(.declined, "no")
      }
    }
    #expect(scratch.names("vault").isEmpty)
  }

  @Test(arguments: ["wal", "delete"])
  func `two writers at once, while the database is written to`(journalMode: String) throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database(journalMode: journalMode, kibibytes: 300)
    let backups = Mutex<[Backup]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { index in
      if index == 0 {
        guard let connection = try? Connection(database, mode: .readWrite, schemaBy: .us) else {
          return
        }
        for _ in 0..<200 { try? connection.execute("INSERT INTO note(body) VALUES ('new')") }
      } else if let backup = try? Self.writer(scratch).backUp(database, describing: describe) {
        backups.withLock { $0.append(backup) }
      }
    }
    let made = backups.withLock { $0 }
    #expect(made.count == 2 && made.allSatisfy { $0.isGood && $0.manifest?.clean == true })
    #expect(scratch.names("vault").count == 2)
    for backup in made { #expect(try BackupReader(backup.path).verify().passed) }
  }
}

extension BackupReader {
  /// How many data members were found.
  fileprivate var memberCount: Int { archive?.members.count ?? 0 }
}
