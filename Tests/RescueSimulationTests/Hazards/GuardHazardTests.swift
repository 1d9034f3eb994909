// SPDX-License-Identifier: Apache-2.0
// What can go wrong around a migration under guard, apart from the migration.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct GuardHazardTests {
  private static func guarded(
    _ rescue: Rescue, _ stage: Stage, remedy: GuardReport.Remedy = .restore,
    _ migrate: @escaping (FilePath) -> ProcessEnd
  ) throws(RescueError) -> GuardReport {
    try rescue.guardMigration(
      of: stage.database, named: "test", onFailure: { _ throws(RescueError) in remedy },
      migrate: migrate
    ).value
  }

  private static func run(_ sql: String, on database: FilePath) {
    try? Connection(database, mode: .readWrite, schemaBy: .us).execute(sql)
  }

  @Test func `no migration begins where its backup would have no room to be put back`() throws {
    try Stage.with { stage in
      try stage.makeSmallDatabase()
      let bytes = try stage.database.contents()
      let wasRun = Mutex(false)
      let rescue = stage.rescue(seed: 2, storage: CrampedStorage(free: 1 << 20))
      let error = #expect(throws: RescueError.self) {
        try Self.guarded(rescue, stage) { _ in
          wasRun.withLock { $0 = true }
          return .exited(0)
        }
      }
      #expect(error?.kind == .cannotWrite)
      #expect(wasRun.withLock { !$0 })
      let isUntouched = try stage.database.contents() == bytes
      #expect(isUntouched)
      #expect(try stage.litter(expecting: []) == [])
      #expect(try !stage.isGuarded)
    }
  }

  @Test func `a migration that fills the disk does not keep its backup from being put back`()
    throws
  {
    try Stage.with { stage in
      try stage.makeSmallDatabase()
      let disk = FillingDisk(reserving: stage.rescueFolder.appending("guard.json"))
      let storage = FillingStorage(disk: disk)
      let report = try Self.guarded(stage.rescue(seed: 2, storage: storage), stage) { database in
        Self.run("DELETE FROM t", on: database)
        disk.fill()
        return .exited(1)
      }
      #expect(report.result == .restored)
      #expect(try Oracle(stage.database).count(of: "t") == 1)
      #expect(try !stage.isGuarded)
    }
  }

  @Test func `a backup that cannot be put back is named, and so is the migration`() throws {
    try Stage.with { stage in
      try stage.makeSmallDatabase()
      let rescue = stage.rescue(seed: 2)
      let error = #expect(throws: RescueError.self) {
        try Self.guarded(rescue, stage) { database in
          Self.run("DELETE FROM t", on: database)
          // Nobody can build a new file there.
          let folder = stage.rescueFolder.appending("quarantine")
          try? folder.replaceContents(with: [1])
          return .exited(1)
        }
      }
      #expect(error?.meaning.contains("the migration ran") == true, "\(error as Any)")
      #expect(error?.advice.contains("dbrescue restore") == true, "\(error as Any)")
      let record = try #require(try RunLog(at: stage.log, in: World()).records().records.last)
      #expect(!record.flags.restored)
      #expect(try stage.isGuarded)
      #expect(rescue.cutOffMigration(of: stage.database) != nil)
    }
  }

  @Test func `a journal mode that cannot be put back is told`() throws {
    try Stage.with { stage in
      try stage.makeSmallDatabase()
      let peer = Mutex<Peer?>(nil)
      let report = try Self.guarded(stage.rescue(seed: 2), stage) { database in
        Self.run("PRAGMA journal_mode = WAL; DELETE FROM t", on: database)
        peer.withLock { $0 = try? Peer(database) }
        return .exited(1)
      }
      #expect(report.result == .restored)
      #expect(report.remainders.contains { $0.contains("the journal mode is WAL") })
      #expect(try Oracle(stage.database).count(of: "t") == 1)
    }
  }

  @Test func `a guard without a folder of its own leaves none`() throws {
    try Stage.with { stage in
      try stage.makeSmallDatabase()
      let result = try stage.rescue(seed: 2).guardMigration(
        of: stage.database, vault: stage.root.appending("vault"), command: ["/bin/true"],
        onFailure: { _ throws(RescueError) in .stop })
      #expect(result.value.isKept)
      #expect(try !stage.rescueFolder.exists)
    }
  }
}

/// A disk that somebody fills: what was reserved on it before is all that there is then.
private final class FillingDisk: SystemCallWatch {
  private struct State {
    var isFull = false
    var isReserved = false
  }

  private let reserve: FilePath
  private let state = Mutex(State())

  init(reserving reserve: FilePath) { self.reserve = reserve }

  /// Leaves no room on the disk but what is reserved.
  func fill() { state.withLock { $0.isFull = true } }

  var free: Int {
    state.withLock { !$0.isFull ? 1 << 30 : $0.isReserved ? 0 : (1 << 20) + (1 << 14) }
  }

  func failure(before call: SystemCall) -> Int32? {
    guard case .write = call.effect, call.path.folder == reserve.folder, call.path != reserve,
      free == 0
    else { return nil }
    return ENOSPC
  }

  func succeeded(_ call: SystemCall) {
    guard call.path == reserve else { return }
    if call.operation == "reserve room for" { state.withLock { $0.isReserved = true } }
    if case .truncate = call.effect { state.withLock { $0.isReserved = false } }
  }
}

/// The file system of such a disk.
private struct FillingStorage: ForwardingStorage {
  let disk: FillingDisk
  let base: any Storage

  init(disk: FillingDisk) {
    self.disk = disk
    base = SystemStorage(watchedBy: disk)
  }

  func freeBytes(at path: FilePath) throws(StorageError) -> Int { disk.free }
}

/// A connection that stays open.
private final class Peer: Sendable {
  private let connection: Mutex<OpenConnection>

  private struct OpenConnection: ~Copyable {
    let connection: Connection
  }

  init(_ database: FilePath) throws {
    let opened = try Connection(database, mode: .readWrite, schemaBy: .us)
    _ = try opened.value("SELECT count(*) FROM t")
    connection = Mutex(OpenConnection(connection: opened))
  }
}
