// SPDX-License-Identifier: Apache-2.0
// An open file of the machine.

import CFileAttributes
import SQLiteFormat
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file of the machine.
final class SystemFile: StoredFile {
  private let descriptor: Int32
  private let path: FilePath
  private let storage: SystemStorage
  /// Tells this file from every other that was opened, for those who watch.
  let number: UInt64

  private static let numbers = Atomic<UInt64>(1)

  /// A number that no open file has yet.
  static func nextNumber() -> UInt64 { numbers.add(1, ordering: .relaxed).newValue }

  init(descriptor: Int32, path: FilePath, number: UInt64, storage: SystemStorage) {
    self.descriptor = descriptor
    self.path = path
    self.number = number
    self.storage = storage
    OwnDescriptors.all.add(descriptor)
  }

  deinit { OwnDescriptors.all.close(descriptor) }

  var byteCount: Int {
    var information = stat()
    return unsafe fstat(descriptor, &information) == 0 ? Int(information.st_size) : 0
  }

  /// Refuses a folder, which nobody can read or write as a file.
  func requireNoFolder() throws(StorageError) {
    try refuse(try kind(), [.folder])
  }

  /// Refuses what has no content that ends: only a file has.
  func requireContent() throws(StorageError) {
    try refuse(try kind(), [.folder, .link, .pipe, .other])
  }

  private func refuse(
    _ kind: FileStatus.Kind, _ refused: [FileStatus.Kind]
  ) throws(StorageError) {
    guard refused.contains(kind) else { return }
    throw StorageError(
      operation: "open", path: path, errno: kind == .folder ? EISDIR : StorageError.noFile)
  }

  private func kind() throws(StorageError) -> FileStatus.Kind {
    var information = stat()
    try storage.call(SystemCall("open", path)) { unsafe fstat(descriptor, &information) }
    return FileStatus(information).kind
  }

  func dataRange(from offset: Int) -> Range<Int>? {
    let (offset, end) = (max(0, offset), byteCount)
    guard offset < end else { return nil }
    let start = Int(lseek(descriptor, off_t(offset), Self.seekData))
    guard start >= offset else { return errno == ENXIO ? nil : offset..<end }
    let hole = Int(lseek(descriptor, off_t(start), Self.seekHole))
    guard start < end else { return nil }
    return start..<(hole > start ? min(hole, end) : end)
  }

  #if canImport(Darwin)
    private static let (seekHole, seekData): (Int32, Int32) = (3, 4)
  #else
    private static let (seekData, seekHole): (Int32, Int32) = (3, 4)
  #endif

  /// How often a read is tried that fails, or that ends before the file does.
  private static let readAttemptsMax = 4

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, count > 0 else { return [] }
    var last = ReadFailure(offset: offset, reason: "nothing was tried")
    // Where the file ends, as it was before the read: one that somebody writes to may go on growing.
    var size = Int.max
    for _ in 0..<Self.readAttemptsMax {
      do throws(ReadFailure) {
        let bytes = try readOnce(at: offset, count: count)
        if bytes.count == count { return bytes }
        let end = offset + bytes.count
        size = min(size, byteCount)
        if end >= size { return bytes }
        last = ReadFailure(offset: end, reason: "the read ends before the file does")
      } catch {
        last = error
      }
    }
    throw last
  }

  private func readOnce(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    var failure: StorageError?
    let bytes = unsafe Bytes(unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, failure == nil {
        let rest = unsafe UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        do throws(StorageError) {
          let call = SystemCall("read", path, .read(offset: offset + filled, count: rest.count))
          var got = try storage.call(call) {
            unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
          }
          if let altered = unsafe storage.altered(rest.prefix(got), readBy: call) {
            unsafe rest.copyBytes(from: altered.prefix(got))
            got = min(got, altered.count)
          }
          if got == 0 { return }
          filled += got
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw ReadFailure(offset: offset + bytes.count, reason: failure.reason) }
    return bytes
  }

  func write(_ bytes: Bytes, at offset: Int) throws(StorageError) {
    try unsafe writeAll(bytes, at: offset) { start, count, written in
      unsafe pwrite(self.descriptor, start, count, off_t(offset + written))
    }
  }

  func append(_ bytes: Bytes) throws(StorageError) {
    try unsafe writeAll(bytes, at: nil) { start, count, _ in
      unsafe systemWrite(self.descriptor, start, count)
    }
  }

  @unsafe private func writeAll(
    _ bytes: Bytes, at offset: Int?, _ body: (UnsafeRawPointer?, Int, Int) -> Int
  ) throws(StorageError) {
    var written = 0
    while written < bytes.count {
      let count = try storage.call(
        { count in
          let part = count.map { bytes[written..<(written + $0)] } ?? bytes[written...]
          return SystemCall(
            "write", path,
            .write(file: number, Bytes(part), offset: offset.map { $0 + written }))
        },
        {
          unsafe bytes.withUnsafeBytes { buffer in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
            return unsafe body(rest.baseAddress, rest.count, written)
          }
        })
      written += count
    }
  }

  func truncate(to byteCount: Int) throws(StorageError) {
    try storage.call(SystemCall("truncate", path, .truncate(file: number, byteCount: byteCount))) {
      ftruncate(descriptor, off_t(byteCount))
    }
  }

  func reserve(_ byteCount: Int) throws(StorageError) {
    try storage.call(SystemCall("reserve room for", path)) {
      dbrescue_reserve(descriptor, Int64(self.byteCount), Int64(byteCount))
    }
  }

  func synchronize() throws(StorageError) {
    try storage.call(SystemCall("synchronize", path, .synchronize(file: number))) {
      #if canImport(Darwin)
        // fsync on Apple systems does not reach the disk; F_FULLFSYNC does, where it exists.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return fsync(descriptor)
    }
  }

  func lock() throws(StorageError) -> Bool {
    do {
      try storage.call(SystemCall("lock", path)) { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch  where error.errno == EWOULDBLOCK {
      return false
    }
  }
}

// The C names that members of the types here would hide.
@unsafe func systemOpen(
  _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t
) -> Int32 { unsafe open(path, flags, mode) }

@unsafe func systemOpen(
  at folder: Int32, _ name: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t
) -> Int32 { unsafe openat(folder, name, flags, mode) }

@unsafe func systemRename(
  _ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>
) -> Int32 { unsafe rename(old, new) }

@unsafe func systemLink(
  _ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>
) -> Int32 { unsafe link(old, new) }

@unsafe func systemRead(
  _ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int
) -> Int { unsafe read(descriptor, start, count) }

@unsafe private func systemWrite(
  _ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int
) -> Int { unsafe write(descriptor, start, count) }

func systemClose(_ descriptor: Int32) { close(descriptor) }
