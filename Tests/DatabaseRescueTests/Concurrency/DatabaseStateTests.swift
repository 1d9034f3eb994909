// SPDX-License-Identifier: Apache-2.0
// Whether a write to a database would be seen by whoever has looked at it before.

@testable import DatabaseRescue
import Foundation
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite struct DatabaseStateTests {
  /// Looks at a database to one of whose files somebody writes all the time, and never changes its
  /// size.
  private func stateBesideWriter(to suffix: String) throws -> DatabaseState {
    try ScratchFolder.with { folder in
      let main = folder["app.db"]
      try DatabaseBuilder(["CREATE TABLE t (a)"]).build(at: main)
      let file = main.adding(suffix: suffix)
      if suffix != "" { try file.replaceContents(with: Bytes([UInt8](repeating: 0, count: 32))) }
      let isDone = Mutex(false)
      let writer = Thread {
        while !isDone.withLock({ $0 }) {
          try? FileManager.default.setAttributes(
            [.modificationDate: Date()], ofItemAtPath: file.description)
          Thread.sleep(forTimeInterval: 0.001)
        }
      }
      writer.start()
      defer { isDone.withLock { $0 = true } }
      Thread.sleep(forTimeInterval: 0.05)
      return try .settled(of: InputFiles(main, storage: SystemStorage()), in: World())
    }
  }

  @Test func `each commit without a log is seen by its change counter`() throws {
    #expect(try stateBesideWriter(to: "").isSettled)
  }

  @Test func `a log that is written to all the time never rests`() throws {
    #expect(try !stateBesideWriter(to: "-wal").isSettled)
  }

  @Test func `a database that rests is settled`() throws {
    try ScratchFolder.with { folder in
      try DatabaseBuilder(["CREATE TABLE t (a)"]).build(at: folder["app.db"])
      let (storage, world) = (SystemStorage(), World())
      let files = try InputFiles(folder["app.db"], storage: storage)
      #expect(try !DatabaseState(of: files, storage: storage).lasts(in: files, storage: storage))
      #expect(try DatabaseState.settled(of: files, in: world).lasts(in: files, storage: storage))
    }
  }
}
