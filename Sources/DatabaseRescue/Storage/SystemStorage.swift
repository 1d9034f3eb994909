// SPDX-License-Identifier: Apache-2.0
// The real file system. The only file with system calls on files, apart from SQLite's own.

import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file system of the machine.
public struct SystemStorage: Storage {
  /// Makes the storage; it has no state.
  public init() {}

  /// Opens a file.
  public func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    let descriptor = try Self.call("open", path) {
      unsafe path.withCString { unsafe systemOpen($0, mode.flags, 0o600) }
    }
    let file = SystemFile(descriptor: descriptor, path: path)
    var information = stat()
    try Self.call("open", path) { unsafe fstat(descriptor, &information) }
    if information.st_mode & S_IFMT == S_IFDIR {
      throw StorageError(operation: "open", path: path, errno: EISDIR)
    }
    return file
  }

  /// What is known of a file without opening it; nil when there is none.
  public func status(of path: FilePath) throws(StorageError) -> FileStatus? {
    var information = stat()
    do {
      try Self.call("look at", path) { unsafe path.withCString { unsafe stat($0, &information) } }
    } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
      return nil
    }
    return FileStatus(information)
  }

  /// The path with all symbolic links followed.
  public func resolve(_ path: FilePath) throws(StorageError) -> FilePath {
    let resolved = unsafe path.withCString { unsafe realpath($0, nil) }
    guard let resolved = unsafe resolved else {
      throw StorageError(operation: "resolve", path: path, errno: errno)
    }
    defer { unsafe free(resolved) }
    return unsafe FilePath(
      bytes: UnsafeBufferPointer(start: resolved, count: strlen(resolved))
        .lazy.map { UInt8(bitPattern: $0) })
  }

  /// The names in a folder, sorted by their bytes.
  public func names(in folder: FilePath) throws(StorageError) -> [FilePath] {
    guard let stream = unsafe folder.withCString({ unsafe opendir($0) }) else {
      throw StorageError(operation: "list", path: folder, errno: errno)
    }
    defer { unsafe closedir(stream) }
    var names: [FilePath] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe FilePath(bytes: $0) }
      if name != "." && name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw StorageError(operation: "list", path: folder, errno: errno) }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Makes a folder and those above it.
  public func createFolder(_ path: FilePath) throws(StorageError) {
    if let status = try status(of: path) {
      if status.kind == .folder { return }
      throw StorageError(operation: "create folder", path: path, errno: ENOTDIR)
    }
    if path.folder != path { try createFolder(path.folder) }
    do {
      try Self.call("create folder", path) { unsafe path.withCString { unsafe mkdir($0, 0o700) } }
    } catch  where error.errno == EEXIST {
      return  // Another run made it in the meantime.
    }
    try synchronizeFolder(path.folder)
  }

  /// Renames a file, replacing what has the new name.
  public func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try Self.call("rename", path) {
      unsafe path.withCString { old in
        unsafe newPath.withCString { new in unsafe systemRename(old, new) }
      }
    }
  }

  /// Renames a file, refusing where the new name is taken.
  public func renameWithoutReplacing(
    _ path: FilePath, to newPath: FilePath
  ) throws(StorageError) {
    // link(2) fails where the name is taken, which rename(2) cannot promise. Some file
    // systems have no hard links: there the check and the rename are two steps.
    do {
      try Self.call("link", newPath) {
        unsafe path.withCString { old in unsafe newPath.withCString { unsafe link(old, $0) } }
      }
      try remove(path)
    } catch  where [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(error.errno) {
      if try status(of: newPath) != nil {
        throw StorageError(operation: "rename to", path: newPath, errno: EEXIST)
      }
      try rename(path, to: newPath)
    }
  }

  /// Removes a file; does nothing where there is none.
  public func remove(_ path: FilePath) throws(StorageError) {
    do {
      try Self.call("remove", path) { unsafe path.withCString { unsafe unlink($0) } }
    } catch  where error.errno == ENOENT {
      return
    }
  }

  /// Removes an empty folder; does nothing where there is none.
  public func removeFolder(_ path: FilePath) throws(StorageError) {
    do {
      try Self.call("remove", path) { unsafe path.withCString { unsafe rmdir($0) } }
    } catch  where error.errno == ENOENT {
      return
    }
  }

  /// Makes the names in a folder durable.
  public func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    let descriptor = try Self.call("open", path) {
      unsafe path.withCString { unsafe systemOpen($0, O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0) }
    }
    defer { systemClose(descriptor) }
    do {
      try Self.call("synchronize", path) { fsync(descriptor) }
    } catch  where [EINVAL, ENOTSUP, EOPNOTSUPP, ENOTTY].contains(error.errno) {
      return  // A file system on which folders cannot be synchronized.
    }
  }

  /// The bytes that this user can still write on the file system of `path`.
  public func freeBytes(at path: FilePath) throws(StorageError) -> Int {
    var information = statvfs()
    try Self.call("look at", path) {
      unsafe path.withCString { unsafe statvfs($0, &information) }
    }
    let (free, overflow) = Int(information.f_bavail)
      .multipliedReportingOverflow(by: Int(information.f_frsize))
    return overflow ? Int.max : free
  }

  /// Whether another process holds one of SQLite's locks on a database file.
  public func isLocked(_ database: FilePath) throws(StorageError) -> Bool {
    let descriptor = try Self.call("open", database) {
      unsafe database.withCString { unsafe systemOpen($0, O_RDONLY | O_CLOEXEC, 0) }
    }
    defer { systemClose(descriptor) }
    // SQLite locks bytes 2^30 to 2^30 + 511: pending, reserved, and 510 shared ones.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 1 << 30
    lock.l_len = 512
    try Self.call("look at the locks of", database) {
      unsafe fcntl(descriptor, F_GETLK, &lock)
    }
    return lock.l_type != Int16(F_UNLCK)
  }

  /// Gives a file the owner, where allowed, and the mode of another.
  public func copyAttributes(from path: FilePath, to other: FilePath) throws(StorageError) {
    var information = stat()
    try Self.call("look at", path) { unsafe path.withCString { unsafe stat($0, &information) } }
    try Self.call("set the mode of", other) {
      unsafe other.withCString { unsafe chmod($0, information.st_mode & 0o7777) }
    }
    do {
      try Self.call("set the owner of", other) {
        unsafe other.withCString { unsafe chown($0, information.st_uid, information.st_gid) }
      }
    } catch  where error.errno == EPERM {
      return  // Only the administrator may give files away; the mode has been kept.
    }
  }

  /// The system's words for an `errno`, lower case.
  static func message(of errno: Int32) -> String {
    guard let text = unsafe strerror(errno) else { return "error \(errno)" }
    let message = unsafe String(cString: text)
    return message.prefix(1).lowercased() + message.dropFirst()
  }

  /// Makes a call again while it is interrupted, and turns −1 into an error.
  @discardableResult
  static func call(
    _ operation: String, _ path: FilePath, _ body: () -> Int32
  ) throws(StorageError) -> Int32 {
    while true {
      let result = body()
      if result != -1 { return result }
      if errno != EINTR { throw StorageError(operation: operation, path: path, errno: errno) }
    }
  }
}

extension OpenMode {
  var flags: Int32 {
    switch self {
    case .read: O_RDONLY | O_CLOEXEC | O_NONBLOCK
    case .readWrite: O_RDWR | O_CLOEXEC
    case .createNew: O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
    case .append: O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC
    }
  }
}

extension FileStatus {
  init(_ information: stat) {
    let kind: Kind =
      switch information.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      default: .other
      }
    #if canImport(Darwin)
      let modified = information.st_mtimespec
    #else
      let modified = information.st_mtim
    #endif
    self.init(
      kind: kind, byteCount: Int(information.st_size),
      modified: Double(modified.tv_sec) + Double(modified.tv_nsec) / 1e9,
      mode: UInt32(information.st_mode) & 0o7777,
      identity: [UInt64(truncatingIfNeeded: information.st_dev), UInt64(information.st_ino)],
      linkCount: Int(information.st_nlink))
  }
}

extension FilePath {
  /// Calls `body` with the path as a C string.
  @unsafe func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    let characters = bytes.map { CChar(bitPattern: $0) } + [0]
    return unsafe characters.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("never empty") }
      return unsafe body(start)
    }
  }
}

/// An open file of the machine.
final class SystemFile: StoredFile {
  private let descriptor: Int32
  private let path: FilePath

  init(descriptor: Int32, path: FilePath) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { systemClose(descriptor) }

  var byteCount: Int {
    var information = stat()
    return unsafe fstat(descriptor, &information) == 0 ? Int(information.st_size) : 0
  }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, count > 0 else { return [] }
    var failure: Int32 = 0
    let bytes = unsafe Bytes(unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = unsafe UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let got = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
        if got == 0 { return }
        if got > 0 {
          filled += got
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    guard failure == 0 else {
      throw ReadFailure(offset: offset, reason: SystemStorage.message(of: failure))
    }
    return bytes
  }

  func write(_ bytes: Bytes, at offset: Int) throws(StorageError) {
    try unsafe writeAll(bytes) { start, count, written in
      unsafe pwrite(self.descriptor, start, count, off_t(offset + written))
    }
  }

  func append(_ bytes: Bytes) throws(StorageError) {
    try unsafe writeAll(bytes) { start, count, _ in
      unsafe systemWrite(self.descriptor, start, count)
    }
  }

  @unsafe private func writeAll(
    _ bytes: Bytes, _ body: (UnsafeRawPointer?, Int, Int) -> Int
  ) throws(StorageError) {
    var written = 0
    while written < bytes.count {
      let got = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
        return unsafe body(rest.baseAddress, rest.count, written)
      }
      if got >= 0 {
        written += got
      } else if errno != EINTR {
        throw StorageError(operation: "write", path: path, errno: errno)
      }
    }
  }

  func truncate(to byteCount: Int) throws(StorageError) {
    try SystemStorage.call("truncate", path) { ftruncate(descriptor, off_t(byteCount)) }
  }

  func synchronize() throws(StorageError) {
    #if canImport(Darwin)
      // fsync on Apple systems does not reach the disk; F_FULLFSYNC does, where it exists.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    try SystemStorage.call("synchronize", path) { fsync(descriptor) }
  }

  func lock() throws(StorageError) -> Bool {
    do {
      try SystemStorage.call("lock", path) { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch  where error.errno == EWOULDBLOCK {
      return false
    }
  }
}

// The C names that members of the types above would hide.
@unsafe private func systemOpen(
  _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t
) -> Int32 { unsafe open(path, flags, mode) }

@unsafe private func systemRename(
  _ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>
) -> Int32 { unsafe rename(old, new) }

@unsafe private func systemWrite(
  _ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int
) -> Int { unsafe write(descriptor, start, count) }

private func systemClose(_ descriptor: Int32) { close(descriptor) }

extension StorageError {
  /// The kinds of failure that are told apart.
  enum Cause: Hashable {
    case missing, permission, noSpace, readOnly, folder, exists, other
  }

  /// What kind of failure this is.
  var cause: Cause {
    switch errno {
    case ENOENT, ENOTDIR: .missing
    case EACCES, EPERM: .permission
    case ENOSPC, EDQUOT, EFBIG: .noSpace
    case EROFS: .readOnly
    case EISDIR: .folder
    case EEXIST: .exists
    default: .other
    }
  }
}
