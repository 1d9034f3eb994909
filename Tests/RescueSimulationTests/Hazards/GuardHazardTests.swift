// SPDX-License-Identifier: Apache-2.0
// What can go wrong around a migration under guard, apart from the migration.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

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
