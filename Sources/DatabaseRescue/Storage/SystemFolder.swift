// SPDX-License-Identifier: Apache-2.0
// An open folder of the machine, in which nothing is reached by a path.

import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open folder of the machine.
final class SystemFolder: StoredFolder {
  let path: FilePath
  private let descriptor: Int32
  private let storage: SystemStorage

  init(descriptor: Int32, path: FilePath, storage: SystemStorage) {
    self.descriptor = descriptor
    self.path = path
    self.storage = storage
  }

  deinit { systemClose(descriptor) }

  private func file(_ name: FilePath) -> FilePath { path.appending(name) }

  func status() throws(StorageError) -> FileStatus {
    var information = stat()
    try storage.call(SystemCall("look at", path)) { unsafe fstat(descriptor, &information) }
    return FileStatus(information)
  }

  func status(of name: FilePath) throws(StorageError) -> FileStatus? {
    var information = stat()
    do {
      try storage.call(SystemCall("look at", file(name))) {
        unsafe name.withCString {
          unsafe fstatat(descriptor, $0, &information, AT_SYMLINK_NOFOLLOW)
        }
      }
    } catch  where [ENOENT, ENAMETOOLONG].contains(error.errno) {
      return nil
    }
    return FileStatus(information)
  }

  func names() throws(StorageError) -> [FilePath] {
    // A descriptor of its own, as the stream takes it and moves in it.
    let listed = try open(".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, "list", path)
    guard let stream = unsafe fdopendir(listed) as FolderStream? else {
      let code = errno
      systemClose(listed)
      throw StorageError(operation: "list", path: path, errno: code)
    }
    defer { unsafe closedir(stream) }
    return try unsafe SystemStorage.names(in: stream, of: path)
  }

  func folder(_ name: FilePath) throws(StorageError) -> any StoredFolder {
    SystemFolder(
      descriptor: try open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, "open", file(name)),
      path: file(name), storage: storage)
  }

  func createFolder(_ name: FilePath) throws(StorageError) {
    try storage.call(SystemCall("create folder", file(name), .createFolder)) {
      unsafe name.withCString { unsafe mkdirat(descriptor, $0, 0o700) }
    }
  }

  func create(_ name: FilePath, holding content: Bytes) throws(StorageError) -> any StoredFile {
    if let file = try createUnnamed(name, holding: content) { return file }
    let file = try create(name)
    do throws(StorageError) {
      try file.begin(holding: content)
    } catch {
      try? remove(name)
      throw error
    }
    return file
  }

  /// Makes a file that gets its name when it is complete; nil where every file needs a name.
  private func createUnnamed(
    _ name: FilePath, holding content: Bytes
  ) throws(StorageError) -> SystemFile? {
    #if canImport(Darwin)
      return nil
    #else
      let number = SystemFile.nextNumber()
      do throws(StorageError) {
        let created = try storage.call(
          SystemCall("open", file(name), .openUnnamed(file: number))
        ) {
          unsafe systemOpen(at: descriptor, ".", Self.unnamed | O_RDWR | O_CLOEXEC, 0o600)
        }
        let file = SystemFile(
          descriptor: created, path: file(name), number: number, storage: storage)
        try file.begin(holding: content)
        try storage.call(SystemCall("name", self.file(name), .name(file: number))) {
          unsafe name.withCString {
            unsafe linkat(
              AT_FDCWD, "/proc/self/fd/\(created)", descriptor, $0, AT_SYMLINK_FOLLOW)
          }
        }
        return file
      } catch  where Self.needingName.contains(error.errno) {
        return nil
      }
    #endif
  }

  #if !canImport(Darwin)
    /// O_TMPFILE, which is not among the macros that are imported.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY
    /// What systems say that know no file without a name, or cannot name it later.
    private static let needingName = [
      EOPNOTSUPP, EISDIR, EINVAL, ENOSYS, EPERM, EMLINK, ENOENT,
    ]
  #endif

  private func create(_ name: FilePath) throws(StorageError) -> SystemFile {
    let number = SystemFile.nextNumber()
    let created = try storage.call(
      SystemCall("open", file(name), .open(file: number, creates: true))
    ) {
      unsafe name.withCString {
        unsafe systemOpen(at: descriptor, $0, OpenMode.createNew.flags | O_NOFOLLOW, 0o600)
      }
    }
    return SystemFile(descriptor: created, path: file(name), number: number, storage: storage)
  }

  func open(_ name: FilePath) throws(StorageError) -> any StoredFile {
    let number = SystemFile.nextNumber()
    let opened = try open(name, OpenMode.read.flags | O_NOFOLLOW, "open", file(name))
    let file = SystemFile(
      descriptor: opened, path: file(name), number: number, storage: storage)
    try file.requireContent()
    return file
  }

  func remove(_ name: FilePath) throws(StorageError) {
    try remove(name, 0, .remove)
  }

  func removeFolder(_ name: FilePath) throws(StorageError) {
    try remove(name, AT_REMOVEDIR, .removeFolder)
  }

  private func remove(
    _ name: FilePath, _ flags: Int32, _ effect: SystemCall.Effect
  ) throws(StorageError) {
    do {
      try storage.call(SystemCall("remove", file(name), effect)) {
        unsafe name.withCString { unsafe unlinkat(descriptor, $0, flags) }
      }
    } catch  where error.errno == ENOENT {
      return
    }
  }

  func synchronize() throws(StorageError) {
    do {
      try storage.call(SystemCall("synchronize", path, .synchronizeFolder)) { fsync(descriptor) }
    } catch  where error.isOfFolderThatCannotBeSynchronized {
      return
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

  private func open(
    _ name: FilePath, _ flags: Int32, _ operation: String, _ path: FilePath
  ) throws(StorageError) -> Int32 {
    try storage.call(SystemCall(operation, path)) {
      unsafe name.withCString { unsafe systemOpen(at: descriptor, $0, flags | O_CLOEXEC, 0) }
    }
  }
}

extension StorageError {
  /// Whether this is what a file system says on which folders cannot be synchronized.
  var isOfFolderThatCannotBeSynchronized: Bool {
    [EINVAL, ENOTSUP, EOPNOTSUPP, ENOTTY].contains(errno)
  }
}

extension StoredFile {
  /// Takes the lock of a new file, where there are locks, and writes what it holds, durably.
  fileprivate func begin(holding content: Bytes) throws(StorageError) {
    do throws(StorageError) { _ = try lock() } catch  where error.cause == .noLocks {}
    try write(content, at: 0)
    try synchronize()
  }
}
