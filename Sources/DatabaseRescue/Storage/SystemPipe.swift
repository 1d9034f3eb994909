// SPDX-License-Identifier: Apache-2.0
// A pipe of the machine, read without ever waiting for longer than asked.

import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open pipe of the machine.
final class SystemPipe: StoredPipe {
  private static let byteCount = 1 << 16

  private let descriptor: Int32
  private let path: FilePath
  private let storage: SystemStorage

  init(descriptor: Int32, path: FilePath, storage: SystemStorage) {
    self.descriptor = descriptor
    self.path = path
    self.storage = storage
  }

  deinit { systemClose(descriptor) }

  func next(waiting milliseconds: Int32) throws(StorageError) -> PipeContent {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = unsafe poll(&request, 1, milliseconds)
    guard let bytes = try read() else { return .silence }
    // A pipe that nobody has opened for writing yet says the same as one at its end.
    return bytes.isEmpty ? (ready > 0 ? .end : .nobody) : .bytes(bytes)
  }

  /// What can be read at once; nil when whoever writes has not written yet.
  private func read() throws(StorageError) -> Bytes? {
    var bytes = Bytes(repeating: 0, count: Self.byteCount)
    do {
      let count = try storage.call(SystemCall("read", path)) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe systemRead(descriptor, buffer.baseAddress, buffer.count)
        }
      }
      return Bytes(bytes.prefix(count))
    } catch  where [EAGAIN, EWOULDBLOCK].contains(error.errno) {
      return nil
    }
  }
}

extension SystemStorage {
  /// Opens a pipe for reading.
  package func openPipe(_ path: FilePath) throws(StorageError) -> any StoredPipe {
    SystemPipe(
      descriptor: try call(SystemCall("open", path)) {
        unsafe path.withCString { unsafe systemOpen($0, OpenMode.read.flags, 0) }
      }, path: path, storage: self)
  }
}
