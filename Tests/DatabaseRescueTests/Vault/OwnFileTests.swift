// SPDX-License-Identifier: Apache-2.0
// What SQLite says of files that were just made: it tells of the disk as long as that does not hand
// out their bytes, and of the database only after that.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@testable import DatabaseRescue

@Suite struct OwnFileTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// A disk that hands out nothing more of a file, from some moment on.
  private final class Unreadable: SystemCallWatch {
    private let suffix: String
    private let hasFailed: Mutex<Bool>

    init(_ suffix: String, fromStart: Bool) {
      self.suffix = suffix
      hasFailed = Mutex(fromStart)
    }

    func fail() { hasFailed.withLock { $0 = true } }

    func failure(before call: SystemCall) -> Int32? {
      guard call.path.hasSuffix(suffix), case .read = call.effect else { return nil }
      return hasFailed.withLock(\.self) ? 5 : nil
    }

    func succeeded(_ call: SystemCall) {}
  }

  private func damagedDatabase() throws -> FilePath {
    let path = try scratch.database(kibibytes: 100)
    var bytes = try path.contents()
    bytes.replaceSubrange(20480..<24576, with: Bytes(repeating: 0xEE, count: 4096))
    try path.replaceContents(with: bytes)
    return path
  }

  private func failure(ofVerifying path: FilePath, _ storage: SystemStorage) -> RescueError? {
    let world = World(storage: storage)
    return #expect(throws: RescueError.self) { try Verification.requireSound(path, in: world) }
  }

  @Test func `a new database that cannot be opened is a matter of the disk, not of its owner`() {
    let error = failure(ofVerifying: scratch["missing/new.db"], SystemStorage())
    #expect(error?.kind == .inputOutput)
    #expect(error?.advice.contains("owns") == false)
  }

  @Test func `a new database is malformed only if it can be read`() throws {
    let path = try damagedDatabase()
    #expect(failure(ofVerifying: path, SystemStorage())?.kind == .invalidInput)
    let storage = SystemStorage(watchedBy: Unreadable("app.db", fromStart: true))
    #expect(failure(ofVerifying: path, storage)?.kind == .inputOutput)
  }

  @Test func `a copy that cannot be read is no finding`() throws {
    let path = try damagedDatabase()
    let disk = Unreadable("trial.partial", fromStart: false)
    let descriptions = Mutex(0)
    func backUp(_ storage: SystemStorage) throws -> Backup {
      try BackupWriter(
        vault: scratch["vault"], tool: "test", world: World(storage: storage)
      ).backUp(
        path,
        describing: { _, _ in
          // The second time it is that of what was restored on trial.
          let isTrial = descriptions.withLock { count in
            count += 1
            return count == 2
          }
          if isTrial { disk.fail() }
          return BackupDescription(BackupContent())
        })
    }
    let error = #expect(throws: RescueError.self) {
      try backUp(SystemStorage(watchedBy: disk))
    }
    #expect(error?.kind == .inputOutput)
    #expect(scratch.names("vault") == [])
    #expect(try !backUp(SystemStorage()).isGood)
  }
}
