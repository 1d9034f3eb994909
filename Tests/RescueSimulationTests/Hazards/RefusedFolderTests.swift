// SPDX-License-Identifier: Apache-2.0
// A file system that makes no folder more: what was begun for it is undone at once.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct RefusedFolderTests {
  /// Makes no folder in quarantine.
  private final class NoQuarantine: SystemCallWatch {
    private let error: Int32

    init(_ error: Int32) { self.error = error }

    func failure(before call: SystemCall) -> Int32? {
      guard case .createFolder = call.effect, call.path.folder.name == "quarantine" else {
        return nil
      }
      return error
    }

    func succeeded(_ call: SystemCall) {}
  }

  /// Fails once to make a folder durable: the one with this ending, at this call of its kind.
  private final class FailingOnce: SystemCallWatch {
    private let suffix: String
    private let left: Mutex<Int>

    init(_ suffix: String, call: Int) {
      self.suffix = suffix
      left = Mutex(call)
    }

    var hasFailed: Bool { left.withLock { $0 <= 0 } }

    func failure(before call: SystemCall) -> Int32? {
      guard case .synchronizeFolder = call.effect, call.path.hasSuffix(suffix) else { return nil }
      return left.withLock { left in
        left -= 1
        return left == 0 ? EIO : nil
      }
    }

    func succeeded(_ call: SystemCall) {}
  }

  @Test func `what a run that succeeds has made for itself goes when a disk fails once`() throws {
    var succeeded = 0
    for call in 1...20 {
      let hasFailed = try Stage.with { stage in
        try stage.makeSmallDatabase()
        let backup = try stage.rescue(seed: 1).backUp(stage.database).value
        let once = FailingOnce("app.db.rescue", call: call)
        let rescue = stage.rescue(seed: 2, storage: SystemStorage(watchedBy: once))
        do {
          _ = try rescue.recover(
            .restore, stage.database, backup: backup,
            choose: { $1.first { $0.kind == .restore } ?? $1[0] }, approve: { _ in })
        } catch {
          return once.hasFailed
        }
        if once.hasFailed { succeeded += 1 }
        #expect(try stage.litter(expecting: []) == [], "call \(call)")
        return once.hasFailed
      }
      if !hasFailed { break }
    }
    #expect(succeeded > 0)
  }

  @Test(arguments: [ENOSPC, EIO, EACCES])
  func `a replacement that gets no folder in quarantine leaves nothing behind`(
    _ error: Int32
  ) throws {
    try Stage.with { stage in
      try stage.makeSmallDatabase()
      _ = try stage.rescue(seed: 1).backUp(stage.database)
      let bytes = try stage.database.contents()
      try stage.database.replaceContents(
        with: bytes.prefix(4096) + Bytes(repeating: 0xEE, count: bytes.count - 4096))
      let before = try FolderContents(of: stage.database.folder)
      let rescue = stage.rescue(seed: 2, storage: SystemStorage(watchedBy: NoQuarantine(error)))
      let failure = #expect(throws: RescueError.self) {
        _ = try rescue.recover(
          .restore, stage.database, backup: rescue.backups(of: stage.database).latest(),
          choose: { $1.first { $0.kind == .restore } ?? $1[0] }, approve: { _ in })
      }
      #expect(failure?.message.contains("cannot create folder") == true)
      #expect(failure?.change?.extent == .nothing)
      #expect(failure?.meaning.contains("next command") == false, "\(failure?.meaning ?? "")")
      let changes = try before.changes(until: FolderContents(of: stage.database.folder))
      #expect(changes.filter { !$0.hasSuffix("runs.jsonl") && !$0.hasSuffix("quarantine") } == [])
    }
  }
}
