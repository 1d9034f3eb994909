// SPDX-License-Identifier: Apache-2.0
// A file system that cannot lock files: what needs a lock says so, and leaves nothing.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct LocklessTests {
  /// What NFS and FUSE answer.
  private final class NoLocks: SystemCallWatch {
    private let error: Int32

    init(_ error: Int32) { self.error = error }

    func failure(before call: SystemCall) -> Int32? { call.operation == "lock" ? error : nil }
    func succeeded(_ call: SystemCall) {}
  }

  enum Action: String, CaseIterable, Sendable { case firstBackup, backup, restore, prune, copy }

  private func run(_ action: Action, _ rescue: Rescue, _ stage: Stage) throws {
    switch action {
    case .firstBackup, .backup: _ = try rescue.backUp(stage.database)
    case .restore:
      _ = try rescue.recover(
        .restore, stage.database, backup: rescue.backups(of: stage.database).latest(),
        choose: { $1.first { $0.kind == .restore } ?? $1[0] }, approve: { _ in })
    case .prune:
      _ = try rescue.prune(
        rescue.backups(of: stage.database), keeping: Retention(last: 1), approve: { _ in })
    case .copy:
      let backup = try #require(try rescue.backups(of: stage.database).latest())
      _ = try rescue.restore(backup, toNewFile: stage.output)
    }
  }

  @Test(arguments: Action.allCases, [ENOTSUP, ENOLCK, EBADF])
  func `without locks nothing is done, nothing is left, and what is said is true`(
    _ action: Action, _ error: Int32
  ) throws {
    try Stage.with { stage in
      try stage.makeSmallDatabase()
      if action != .firstBackup { _ = try stage.rescue(seed: 1).backUp(stage.database) }
      let before = try FolderContents(of: stage.database.folder)
      let rescue = stage.rescue(seed: 2, storage: SystemStorage(watchedBy: NoLocks(error)))
      let failure = #expect(throws: RescueError.self) { try run(action, rescue, stage) }
      #expect(failure?.kind == .cannotWrite)
      #expect(failure?.message.contains("cannot lock") == true, "\(failure?.message ?? "")")
      #expect(failure?.meaning.contains("not finished") == false, "\(failure?.meaning ?? "")")
      let changes = try before.changes(until: FolderContents(of: stage.database.folder))
      #expect(changes.filter { !$0.hasSuffix("runs.jsonl") } == [])
    }
  }
}
