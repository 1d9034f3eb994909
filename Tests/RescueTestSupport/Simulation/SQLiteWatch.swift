// SPDX-License-Identifier: Apache-2.0
// SQLite's own file calls, handed to whoever records the folder that they concern.

import CWatchedVFS
import DatabaseRescue
import SQLiteFormat
import Synchronization

/// The recorders that SQLite's calls go to, by folder.
enum SQLiteWatch {
  private static let recorders = Mutex<[(root: [UInt8], recorder: DiskRecorder)]>([])
  /// Whether anybody watches: asked before anything else, as most connections concern nobody.
  private static let count = Atomic<Int>(0)

  /// Registered once, when first needed.
  private static let isRegistered: Bool =
    unsafe watched_vfs_register(
      { call in unsafe SQLiteWatch.failure(before: call) },
      { call in unsafe SQLiteWatch.succeeded(call) }) == 0

  /// Hands SQLite's calls in a folder to a recorder while a body runs.
  static func watch<Result>(
    _ root: FilePath, with recorder: DiskRecorder, _ body: () throws -> Result
  ) throws -> Result {
    guard isRegistered else { throw UnfitFixture("SQLite cannot be watched") }
    recorders.withLock { $0.append((root.bytes, recorder)) }
    count.add(1, ordering: .sequentiallyConsistent)
    defer {
      recorders.withLock { $0.removeAll { $0.recorder === recorder } }
      count.subtract(1, ordering: .sequentiallyConsistent)
    }
    return try body()
  }

  @unsafe private static func failure(before call: UnsafePointer<watched_call>?) -> Int32 {
    guard let call = unsafe call, let (recorder, call) = unsafe recorder(of: call) else { return 0 }
    return recorder.failure(before: call, isOurs: false) ?? 0
  }

  @unsafe private static func succeeded(_ call: UnsafePointer<watched_call>?) {
    guard let call = unsafe call, let (recorder, call) = unsafe recorder(of: call) else { return }
    recorder.succeeded(call)
  }

  /// Whoever records the folder of a call's file, and the call in our words.
  @unsafe private static func recorder(
    of pointer: UnsafePointer<watched_call>
  ) -> (DiskRecorder, SystemCall)? {
    guard count.load(ordering: .relaxed) > 0, let name = unsafe pointer.pointee.path else {
      return nil
    }
    let path = FilePath(unsafe String(cString: name))
    let recorder = recorders.withLock { recorders in
      recorders.first { path.bytes.starts(with: $0.root) }?.recorder
    }
    guard let recorder else { return nil }
    return (recorder, unsafe call(pointer.pointee, on: path))
  }

  @unsafe private static func call(_ call: watched_call, on path: FilePath) -> SystemCall {
    let file = unsafe call.file
    return switch unsafe call.operation {
    case watched_open:
      SystemCall("open", path, .open(file: file, creates: unsafe call.creates != 0))
    case watched_write:
      SystemCall(
        "write", path,
        .write(
          file: file,
          unsafe Bytes(UnsafeRawBufferPointer(start: call.bytes, count: Int(call.count))),
          offset: Int(unsafe call.offset)))
    case watched_truncate:
      SystemCall("truncate", path, .truncate(file: file, byteCount: Int(unsafe call.count)))
    case watched_sync: SystemCall("synchronize", path, .synchronize(file: file))
    case watched_delete: SystemCall("remove", path, .remove)
    case watched_sync_folder: SystemCall("synchronize", path.folder, .synchronizeFolder)
    default: SystemCall("look at", path)
    }
  }
}
