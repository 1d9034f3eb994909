// SPDX-License-Identifier: Apache-2.0
// A backup is restored on trial before it counts: what that finds that no digest does, and that
// nothing is left of it.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@testable import DatabaseRescue

@Suite(.timeLimit(.minutes(30))) struct TrialRestoreTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func backUp(
    _ database: FilePath, _ verification: BackupWriter.Verification = .full,
    in world: World = World(), describing say: BackupWriter.Describe = describe
  ) throws -> Backup {
    let options = BackupWriterTests.options { $0.verification = verification }
    return try BackupWriter(
      vault: scratch["vault"], tool: "test", options: options, world: world
    ).backUp(database, describing: say)
  }

  private func trial(of backup: Backup) -> BackupManifest.Check? {
    backup.manifest?.checks.first { $0.name == TrialRestore.name }
  }

  /// How an attempt fails, where nothing of it may be left in the vault.
  private func failure(
    _ database: FilePath, in world: World = World(),
    describing say: BackupWriter.Describe = describe
  ) -> RescueError? {
    let error = #expect(throws: RescueError.self) {
      try backUp(database, in: world, describing: say)
    }
    #expect(scratch.names("vault").isEmpty)
    return error
  }

  @Test func `a backup counts once its finished file was restored on trial`() throws {
    let database = try scratch.database(kibibytes: 300)
    let backup = try backUp(database)
    let trial = try #require(self.trial(of: backup))
    #expect(backup.isGood && trial.passed && trial.basis == nil)
    #expect(
      trial.detail.hasPrefix("SQLite opens the \(backup.manifest?.image.byteCount ?? 0) bytes"))
    #expect(scratch.names("vault") == [backup.path.name.description])
    // Also where all else is as in the backup before.
    let next = try backUp(database)
    #expect(next.isGood && self.trial(of: next)?.passed == true)
    #expect(self.trial(of: next)?.basis == nil)
    #expect(try self.trial(of: backUp(database, .quick)) == nil)
  }

  @Test func `a file that is good by its digests and does not open is not proven`() throws {
    let database = try scratch.database(kibibytes: 100)
    // The copy has been compared with the database when it gets a schema format of the future.
    let watch = Meddler(with: "image.partial", at: 44, [0, 0, 0, 9]) { call, count in
      if case .open = call.effect { count == 3 } else { false }
    }
    let backup = try backUp(database, in: World(storage: SystemStorage(watchedBy: watch)))
    #expect(watch.hasMeddled)
    #expect(try BackupReader(backup.path).verify().passed)
    #expect(backup.manifest?.checks.contains { $0.name == ExaminedImage.asExamined } == false)
    let trial = try #require(self.trial(of: backup))
    #expect(!trial.passed && trial.detail.contains("SQLite does not open"))
    #expect(!backup.isGood && backup.manifest?.clean == false)
    #expect(scratch.names("vault") == [backup.path.name.description])
  }

  @Test func `what lies on the disk is compared, and not what was handed to it`() throws {
    let database = try scratch.database(kibibytes: 300)
    let watch = Meddler(with: "trial.partial", at: 100_000, [1, 2, 3, 4]) { call, _ in
      if case .synchronize = call.effect { true } else { false }
    }
    let error = failure(database, in: World(storage: SystemStorage(watchedBy: watch)))
    #expect(watch.hasMeddled && error?.kind == .inputOutput)
    #expect(error?.message.contains("pages 17 to 32 of what was restored") == true)
    #expect(error?.meaning.contains("no backup was made") == true)
  }

  @Test func `tables that are not those that were stored are no proof`() throws {
    let database = try scratch.database()
    let calls = Mutex(0)
    let error = failure(database) { (pages, earlier) throws(RescueError) in
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      var description = try describe(pages, earlier)
      description.content.tables = [BackupContent.Table(name: "note", rows: call)]
      return description
    }
    #expect(calls.withLock(\.self) == 2 && error?.kind == .inputOutput)
    #expect(error?.message.contains("its tables are not those") == true)
  }

  @Test func `too little space for the trial is said before it begins`() throws {
    let database = try scratch.database()
    let storage = FailingStorage(free: 1 << 40, thenFree: 70_000)
    let error = failure(database, in: World(storage: storage))
    #expect(error?.kind == .cannotWrite)
    #expect(error?.message.hasPrefix("to restore the backup on trial") == true)
    #expect(error?.message.contains("70000 are free") == true)
    #expect(error?.advice.contains("--verify quick") == true)
  }

  @Test func `whoever wishes to stop during the trial is heard, and nothing is left`() throws {
    let database = try scratch.database(kibibytes: 300)
    let hasBegun = Mutex(false)
    let world = World(isCancelled: { [scratch] in
      hasBegun.withLock { begun in
        begun = begun || scratch.names("vault").contains { $0.contains(".trial.") }
        return begun
      }
    })
    #expect(failure(database, in: world)?.kind == .interrupted)
  }
}

/// Somebody who writes into a file behind everybody's back, once.
private final class Meddler: SystemCallWatch {
  private struct State {
    var count = 0
    var hasMeddled = false
  }

  private let end: String
  private let offset: Int
  private let bytes: Bytes
  private let isTime: @Sendable (SystemCall, Int) -> Bool
  private let state = Mutex(State())

  /// Writes into the file whose name ends so, after the call for which it is time; calls that open
  /// the file are counted.
  init(
    with end: String, at offset: Int, _ bytes: Bytes,
    when isTime: @escaping @Sendable (SystemCall, Int) -> Bool
  ) {
    self.end = end
    self.offset = offset
    self.bytes = bytes
    self.isTime = isTime
  }

  var hasMeddled: Bool { state.withLock(\.hasMeddled) }

  func failure(before call: SystemCall) -> Int32? { nil }

  func succeeded(_ call: SystemCall) {
    guard call.path.hasSuffix(end) else { return }
    let isNow = state.withLock { state in
      if case .open = call.effect { state.count += 1 }
      guard !state.hasMeddled, isTime(call, state.count) else { return false }
      state.hasMeddled = true
      return true
    }
    if isNow { try? SystemStorage().open(call.path, .readWrite).write(bytes, at: offset) }
  }
}
