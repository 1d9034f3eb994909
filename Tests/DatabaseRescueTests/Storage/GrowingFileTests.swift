// SPDX-License-Identifier: Apache-2.0
// A file that somebody writes to while it is read.

@testable import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite struct GrowingFileTests {
  /// Somebody who adds a byte to a file whenever its end was read.
  private final class Writer: SystemCallWatch {
    private let path: FilePath
    private let byteCount: Mutex<Int>

    init(_ path: FilePath, _ byteCount: Int) {
      self.path = path
      self.byteCount = Mutex(byteCount)
    }

    func failure(before call: SystemCall) -> Int32? { nil }

    func succeeded(_ call: SystemCall) {
      guard call.path == path, case .read(let offset, _) = call.effect else { return }
      byteCount.withLock { count in
        guard offset == count else { return }
        do { try SystemStorage().open(path, .readWrite).write([0], at: count) } catch {
          Issue.record(error)
        }
        count += 1
      }
    }
  }

  @Test func `a read to the end of a file that goes on growing gives what was there`() throws {
    try ScratchFolder.with { scratch in
      let path = scratch["app.db-journal"]
      let bytes = Bytes(repeating: 7, count: 100)
      try path.replaceContents(with: bytes)
      let storage = SystemStorage(watchedBy: Writer(path, bytes.count))
      let read = try storage.open(path, .read).read(at: 0, count: 4096)
      #expect(read.starts(with: bytes))
    }
  }
}
