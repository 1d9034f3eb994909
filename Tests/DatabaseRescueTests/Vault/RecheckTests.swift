// SPDX-License-Identifier: Apache-2.0
// A disk that fails for a moment, and what the next backups make of it: nothing. And how long what
// was found out once is believed.

import Diagnosis
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

@Suite(.timeLimit(.minutes(30))) struct RecheckTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }
  private let clock = Clock()

  private final class Clock: Sendable {
    let now = Mutex(Date(timeIntervalSince1970: 1_790_000_000))
  }

  private func backUp(
    _ database: FilePath, storage: any Storage = SystemStorage(), days: Int = 7,
    finding: FindingCode? = nil
  ) throws -> Backup {
    var options = BackupWriter.Options()
    options.recheckAfter = .seconds(days * 86_400)
    let now = clock.now.withLock(\.self)
    let writer = BackupWriter(
      vault: scratch["vault"], tool: "test", options: options,
      world: World(storage: storage, now: { now }))
    let code = try SupportCode(parsing: "DBR-5K293-G1020-10NHA-85902")
    return try writer.backUp(
      database,
      describing: { (pages, earlier) throws(RescueError) in
        var description = try BackupDescription(of: pages, since: earlier, supportCode: code)
        if let finding {
          description.content.findings = [BackupContent.FoundThing(Finding(finding, "seen once"))]
        }
        return description
      })
  }

  private func pass(days: Double) {
    clock.now.withLock { $0 = $0.addingTimeInterval(days * 86_400) }
  }

  private func basis(of backup: Backup) -> BackupID? {
    backup.manifest?.checks.first { $0.name == ImageChecks.integrityCheck }?.basis
  }

  @Test func `a verdict that is not good is never taken over`() throws {
    let database = try scratch.database(kibibytes: 300)
    let first = try backUp(database, finding: .bytesNotRead)
    #expect(!first.isGood)
    let second = try backUp(database)
    #expect(second.isGood && second.manifest?.content.findings == [])
    #expect(basis(of: second) == nil)
    #expect(try basis(of: backUp(database)) == second.name.id)
  }

  @Test func `what did not hold when it was proven is no basis`() throws {
    let database = try scratch.database(kibibytes: 300)
    let first = try backUp(database)
    try ProofLog(in: scratch["vault"], SystemStorage())
      .add([BackupProof(first.name.id, at: Date(), passed: false)])
    #expect(try basis(of: backUp(database)) == nil)
  }

  @Test func `a read that fails once makes an error or a good backup, and spoils no later one`()
    throws
  {
    let database = try scratch.database(kibibytes: 200)
    let counter = FailingStorage()
    _ = try backUp(database, storage: counter)
    var failures = 0
    for call in stride(from: 1, through: counter.callCount, by: max(counter.callCount / 60, 1)) {
      for path in try Vault(scratch["vault"]).list().map(\.path) {
        try SystemStorage().remove(path)
      }
      do {
        let backup = try backUp(database, storage: FailingStorage(failing: call))
        #expect(backup.isGood, "call \(call): \(backup.manifest?.content.findings ?? [])")
      } catch let error as RescueError {
        failures += 1
        #expect(error.kind != .invalidInput && error.kind != .internal, "call \(call): \(error)")
      }
      #expect(try backUp(database).isGood, "after call \(call)")
    }
    #expect(failures > 0)
  }

  @Test func `after some days everything is looked at again`() throws {
    let database = try scratch.database(kibibytes: 300)
    let first = try backUp(database)
    pass(days: 4)
    let second = try backUp(database)
    #expect(basis(of: second) == first.name.id)
    // Counted from the first: what lies between rested on it.
    pass(days: 4)
    let third = try backUp(database)
    #expect(third.isGood && basis(of: third) == nil && third.manifest?.examined == nil)
    pass(days: 1)
    #expect(try basis(of: backUp(database)) == third.name.id)
    #expect(try basis(of: backUp(database, days: 0)) == nil)
  }

  @Test func `a basis that is dated in the future vouches for nothing`() throws {
    let database = try scratch.database(kibibytes: 300)
    _ = try backUp(database)
    pass(days: -2)
    #expect(try basis(of: backUp(database)) == nil)
  }

  @Test func `an older backup is never taken because the newest could not be read`() throws {
    let database = try scratch.database(kibibytes: 20)
    _ = try backUp(database)
    pass(days: 1)
    let newest = try backUp(database)
    let counter = FailingStorage()
    #expect(try Vault(scratch["vault"], in: counter).latest()?.path == newest.path)
    for call in 1...counter.callCount {
      let vault = Vault(scratch["vault"], in: FailingStorage(failing: call))
      #expect(try vault.latest()?.path == newest.path, "call \(call)")
    }
    let vault = Vault(
      scratch["vault"], in: SystemStorage(watchedBy: Unreadable(newest.path)))
    let error = #expect(throws: RescueError.self) { try vault.latest() }
    #expect(error?.kind == .inputOutput)
    #expect(try vault.latest(skippingUnread: true) != nil)
  }
}

/// A disk that does not hand out a file.
private final class Unreadable: SystemCallWatch {
  private let path: FilePath

  init(_ path: FilePath) { self.path = path }

  func failure(before call: SystemCall) -> Int32? {
    guard call.path == path, case .read = call.effect else { return nil }
    return 5
  }

  func succeeded(_ call: SystemCall) {}
}
