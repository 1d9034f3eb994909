// SPDX-License-Identifier: Apache-2.0
// The folder of backups: listing, finding, verifying, and sweeping what dead runs left.

import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@testable import DatabaseRescue

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct VaultTests {
  /// Backs up a database at a time, in seconds since 2026.
  static func backUp(
    _ database: FilePath, _ scratch: ScratchFolder, at seconds: Double, isRaw: Bool = false
  ) throws -> Backup {
    var options = BackupWriter.Options()
    options.isRaw = isRaw
    let now = Date(timeIntervalSince1970: 1_767_225_600 + seconds)
    return try BackupWriter(
      vault: scratch["vault"], tool: "test", options: options,
      world: World(storage: SystemStorage(), now: { now })
    ).backUp(database, describing: describe)
  }

  @Test func `backups are listed newest first, and found`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database(kibibytes: 4)
    let vault = Vault(scratch["vault"], of: database)
    #expect(try vault.list().isEmpty)
    #expect(try vault.latest() == nil)
    let old = try Self.backUp(database, scratch, at: 0)
    let new = try Self.backUp(database, scratch, at: 60)
    let raw = try Self.backUp(database, scratch, at: 120, isRaw: true)
    let other = try Self.backUp(try scratch.database("other.db", kibibytes: 4), scratch, at: 180)

    #expect(try vault.list().map(\.path) == [raw.path, new.path, old.path])
    #expect(try vault.latest()?.path == new.path)
    #expect(try vault.latest(where: { $0.manifest?.raw == true })?.path == raw.path)
    #expect(try vault.latest(where: { $0.name.userVersion == 8 }) == nil)
    #expect(try Vault(vault.folder).list().first?.path == other.path)
    #expect(try vault.backup(old.path.name.description).path == old.path)
    #expect(try vault.backup(new.name.id.description.lowercased()).path == new.path)
    #expect(try vault.backup("dbr-test").path == raw.path)
    let missing = #expect(throws: RescueError.self) { try vault.backup("nothing") }
    #expect(missing?.kind == .missing)
    #expect(Vault.defaultFolder(of: "a/app.db") == "a/app.db.rescue/backups")
  }

  @Test func `two backups of one second are told apart`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database(kibibytes: 4)
    let made = try (0..<4).map { _ in try Self.backUp(database, scratch, at: 5).path }
    #expect(try Vault(scratch["vault"]).list().map(\.path) == made.reversed())
  }

  @Test func `each backup is verified, also beside broken ones`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database(kibibytes: 4)
    let good = try Self.backUp(database, scratch, at: 0)
    let damaged = try Self.backUp(database, scratch, at: 1)
    let cut = try Self.backUp(database, scratch, at: 2)
    let noise = try Self.backUp(database, scratch, at: 3)
    var bytes = try damaged.path.contents()
    let member = try #require(try Archive.open(MemoryFile(bytes))?.members.first)
    bytes[member.position + 150] ^= 1
    try damaged.path.replaceContents(with: bytes)
    try cut.path.replaceContents(with: Bytes(try cut.path.contents().dropLast()))
    try noise.path.replaceContents(with: [1, 2, 3])

    let vault = Vault(scratch["vault"])
    #expect(try vault.list().map(\.state) == [.damaged, .incomplete, .complete, .complete])
    let verified = try vault.list().flatMap { vault.verify($0) }
    #expect(verified.map(\.path) == [noise, cut, damaged, good].map(\.path))
    #expect(verified.map(\.passed) == [false, false, false, true])
    #expect(verified.allSatisfy { !$0.checks.isEmpty })
    #expect(try vault.latest()?.path == damaged.path, "opening does not read the data")
  }

  @Test func `what a dead run left is swept, and what a live one writes is not`() throws {
    let scratch = try ScratchFolder()
    let folder = scratch["vault"]
    let storage = SystemStorage()
    try storage.createFolder(folder)
    let vault = Vault(folder)
    let live = try BackupRun.begin(in: folder, of: World())
    try live.path(.image).replaceContents(with: [1])
    let dead = BackupID(random: 77)
    let place = try storage.openFolder(folder)
    try Claim(FilePath(dead.description), in: place).write(id: 1)
    for content in [BackupRun.Content.container(.main), .image, .container(.wal)] {
      try BackupRun.path(of: content, of: dead, in: folder).replaceContents(with: [1])
    }
    let image = BackupRun.path(of: .image, of: dead, in: folder)
    try image.adding(suffix: "-wal").replaceContents(with: [1])
    // The file beside a raw backup that never got its own name.
    let lone = BackupName(
      database: "app.db", created: Date(timeIntervalSince1970: 0), userVersion: 1,
      id: BackupID(random: 78), part: .wal)
    try folder.appending(lone.path).replaceContents(with: [1])
    try Claim(FilePath(lone.id.description), in: place).write(id: 2)
    // What came with the folder from elsewhere has the names, and no claim that holds here.
    let sent = BackupID(random: 79)
    let sentFiles = [
      BackupRun.path(of: .image, of: sent, in: folder).name,
      BackupName(
        database: "app.db", created: Date(timeIntervalSince1970: 0), userVersion: 1, id: sent,
        part: .wal
      ).path, FilePath(".\(sent).claim"),
    ]
    for name in sentFiles { try folder.appending(name).replaceContents(with: [1]) }
    // Nobody else's files.
    for name in [".hidden", ".partial", "app.db", ".00000000x.partial"] {
      try folder.appending(FilePath(name)).replaceContents(with: [1])
    }

    let leftovers = try vault.leftovers()
    #expect(Set(leftovers.map(\.id)) == [dead, lone.id])
    #expect(leftovers.map(\.paths.count).sorted() == [1, 4])
    #expect(try vault.sweep() == leftovers)
    #expect(try vault.leftovers().isEmpty)
    let live2 =
      [live.path(.container(.main)).name, live.path(.image).name, FilePath(".\(live.id).claim")]
      .map(\.description) + sentFiles.map(\.description)
    #expect(
      Set(scratch.names("vault"))
        == Set(live2 + [".hidden", ".partial", "app.db", ".00000000x.partial"]))
    withExtendedLifetime(live) {}
  }

  @Test func `a run whose process is gone can be swept`() throws {
    let scratch = try ScratchFolder()
    let folder = scratch["vault"]
    try SystemStorage().createFolder(folder)
    do {
      let run = try BackupRun.begin(in: folder, of: World())
      #expect(try Vault(folder).leftovers().isEmpty)
      withExtendedLifetime(run) {}
    }
    #expect(try Vault(folder).sweep().count == 1)
    #expect(scratch.names("vault").isEmpty)
  }

  @Test func `an id that is taken is not used again`() throws {
    let scratch = try ScratchFolder()
    let numbers = Mutex<[UInt64]>([5, 5, 6])
    let world = World(
      storage: SystemStorage(), random: { numbers.withLock { $0.isEmpty ? 0 : $0.removeFirst() } })
    let first = try BackupRun.begin(in: scratch.path, of: world)
    let second = try BackupRun.begin(in: scratch.path, of: world)
    #expect([first.id, second.id] == [BackupID(random: 5), BackupID(random: 6)])
  }
}

extension Vault {
  /// What dead runs left behind; the files of runs that are still writing are not among it.
  func leftovers() throws(RescueError) -> [VaultLeftover] {
    var leftovers: [VaultLeftover] = []
    try forEachDeadRun { leftover, _ in
      if !leftover.paths.isEmpty { leftovers.append(leftover) }
    }
    return leftovers
  }
}
