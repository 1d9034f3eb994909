// SPDX-License-Identifier: Apache-2.0
// A new file that says something to other runs: they find it whole and locked, or not at all.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite struct NewFileTests {
  /// Looks at a file whenever anything was done to it, as another run might.
  private final class Onlooker: SystemCallWatch {
    let sight = Mutex<[String]>([])
    let path: FilePath

    init(_ path: FilePath) { self.path = path }

    func failure(before call: SystemCall) -> Int32? { nil }

    func succeeded(_ call: SystemCall) {
      guard call.path == path, let file = try? SystemStorage().open(path, .read),
        let content = try? file.read(at: 0, count: 64), let isFree = try? file.lock()
      else { return }
      sight.withLock { $0.append(isFree ? "free" : String(decoding: content, as: UTF8.self)) }
    }
  }

  @Test func `it is locked and whole as soon as it has its name`() throws {
    let scratch = try ScratchFolder()
    let onlooker = Onlooker(scratch["note"])
    let folder = try SystemStorage(watchedBy: onlooker).openFolder(scratch.path)
    let file = try folder.create("note", holding: Bytes("all of it".utf8))
    try withExtendedLifetime(file) { try folder.synchronize() }
    let sight = onlooker.sight.withLock { $0 }
    #expect(!sight.isEmpty && sight.allSatisfy { $0 == "all of it" }, "\(sight)")
  }
}
