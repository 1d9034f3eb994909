// SPDX-License-Identifier: Apache-2.0
// The real file system. System calls on files are in this folder alone, apart from SQLite's own.

import CFileAttributes
import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file system of the machine.
package struct SystemStorage: Storage {
  /// Who sees every call, and may make it fail; nobody outside tests.
  private let watch: (any SystemCallWatch)?

  /// Makes the storage; it has no state.
  package init() { watch = nil }

  /// Makes a storage whose calls are watched.
  package init(watchedBy watch: any SystemCallWatch) { self.watch = watch }

  /// Opens a file.
  package func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    if mode == .read, let file = try reopened(path) { return file }
    let number = SystemFile.nextNumber()
    let creates = mode == .createNew || mode == .append
    let descriptor = try call(SystemCall("open", path, .open(file: number, creates: creates))) {
      unsafe path.withCString { unsafe systemOpen($0, mode.flags, 0o600) }
    }
    let file = SystemFile(descriptor: descriptor, path: path, number: number, storage: self)
    switch mode {
    case .createNew: break
    // A log may go to /dev/null; everything else is a file that ends.
    case .append: try file.requireNoFolder()
    case .read, .readWrite: try file.requireContent()
    }
    return file
  }

  /// The file by a descriptor that could not be closed when it was last read.
  private func reopened(_ path: FilePath) throws(StorageError) -> SystemFile? {
    guard OwnDescriptors.all.keepsAny, let identity = try status(of: path)?.identity,
      let descriptor = OwnDescriptors.all.reuse(identity)
    else { return nil }
    return SystemFile(
      descriptor: descriptor, path: path, number: SystemFile.nextNumber(), storage: self)
  }

  /// What is known of a file without opening it; nil when there is none.
  package func status(of path: FilePath) throws(StorageError) -> FileStatus? {
    var information = stat()
    do {
      try call(SystemCall("look at", path)) {
        unsafe path.withCString { unsafe stat($0, &information) }
      }
    } catch  where [ENOENT, ENOTDIR, ENAMETOOLONG].contains(error.errno) {
      return nil
    }
    return FileStatus(information)
  }

  /// Seconds since 1970 at which a file was made; nil where nobody keeps that.
  package func born(_ path: FilePath) throws(StorageError) -> Double? {
    var born = 0.0
    try call(SystemCall("look at", path)) {
      unsafe path.withCString { unsafe dbrescue_birth_time($0, &born) }
    }
    return born > 0 ? born : nil
  }

  /// The path with all symbolic links followed, where there may be no file yet.
  package func place(of path: FilePath) throws(StorageError) -> FilePath {
    var path = path
    for _ in 0..<Self.linksMax {
      do {
        return try resolve(path)
      } catch  where error.errno == ENOENT {
        // The name may be free, or that of a link to a name that is.
        guard let target = try linkTarget(path) else {
          return try resolve(path.folder).appending(path.name)
        }
        path = path.folder.appending(target)
      }
    }
    throw StorageError(operation: "resolve", path: path, errno: ELOOP)
  }

  /// As many links as systems follow.
  private static let linksMax = 40

  /// The path with all symbolic links followed.
  package func resolve(_ path: FilePath) throws(StorageError) -> FilePath {
    var bytes: [UInt8] = []
    try call(SystemCall("resolve", path)) {
      guard let resolved = unsafe path.withCString({ unsafe realpath($0, nil) }) else { return -1 }
      defer { unsafe free(resolved) }
      bytes = unsafe UnsafeBufferPointer(start: resolved, count: strlen(resolved))
        .map { UInt8(bitPattern: $0) }
      return 0
    }
    return FilePath(bytes: bytes)
  }

  /// Where a symbolic link leads; nil when there is none of that name.
  private func linkTarget(_ path: FilePath) throws(StorageError) -> FilePath? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    do {
      let count = try call(SystemCall("resolve", path)) {
        unsafe path.withCString { unsafe readlink($0, &target, target.count) }
      }
      return FilePath(bytes: target[..<count].map { UInt8(bitPattern: $0) })
    } catch  where error.errno == EINVAL || error.errno == ENOENT {
      return nil
    }
  }

  /// The names in a folder, sorted by their bytes.
  package func names(in folder: FilePath) throws(StorageError) -> [FilePath] {
    var opened: FolderStream?
    try call(SystemCall("list", folder)) {
      unsafe opened = folder.withCString { unsafe opendir($0) }
      return unsafe opened == nil ? -1 : 0
    }
    guard let stream = unsafe opened else { return [] }
    defer { unsafe closedir(stream) }
    return try unsafe Self.names(in: stream, of: folder)
  }

  /// Reads all names from a stream, and sorts them by their bytes.
  @unsafe static func names(
    in stream: FolderStream, of folder: FilePath
  ) throws(StorageError) -> [FilePath] {
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
  package func createFolder(_ path: FilePath) throws(StorageError) {
    if let status = try status(of: path) {
      if status.kind == .folder { return }
      throw StorageError(operation: "create folder", path: path, errno: ENOTDIR)
    }
    if path.folder != path { try createFolder(path.folder) }
    do {
      try call(SystemCall("create folder", path, .createFolder)) {
        unsafe path.withCString { unsafe mkdir($0, 0o700) }
      }
    } catch  where error.errno == EEXIST {
      return  // Another run made it in the meantime.
    }
    try synchronizeFolder(path.folder)
  }

  /// Renames a file, replacing what has the new name.
  package func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try call(SystemCall("rename", path, .rename(to: newPath))) {
      unsafe path.withCString { old in
        unsafe newPath.withCString { new in unsafe systemRename(old, new) }
      }
    }
  }

  /// Renames a file, refusing where the new name is taken.
  package func renameWithoutReplacing(
    _ path: FilePath, to newPath: FilePath
  ) throws(StorageError) {
    // link(2) fails where the name is taken, which rename(2) cannot promise. Some file
    // systems have no hard links: there the check and the rename are two steps.
    if try link(path, to: newPath) { return try remove(path) }
    if try status(of: newPath) != nil {
      throw StorageError(operation: "rename to", path: newPath, errno: EEXIST)
    }
    try rename(path, to: newPath)
  }

  /// Gives a file a second name, refusing where it is taken; false where a file has only one.
  package func link(_ path: FilePath, to newPath: FilePath) throws(StorageError) -> Bool {
    do {
      try call(SystemCall("link", path, .link(to: newPath))) {
        unsafe path.withCString { old in
          unsafe newPath.withCString { new in unsafe systemLink(old, new) }
        }
      }
      return true
    } catch  where [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.errno) {
      return false
    }
  }

  /// Removes a file; does nothing where there is none.
  package func remove(_ path: FilePath) throws(StorageError) {
    do {
      try call(SystemCall("remove", path, .remove)) {
        unsafe path.withCString { unsafe unlink($0) }
      }
    } catch  where error.errno == ENOENT {
      return
    }
  }

  /// Removes an empty folder; does nothing where there is none.
  package func removeFolder(_ path: FilePath) throws(StorageError) {
    do {
      try call(SystemCall("remove", path, .removeFolder)) {
        unsafe path.withCString { unsafe rmdir($0) }
      }
    } catch  where error.errno == ENOENT {
      return
    }
  }

  /// Makes the names in a folder durable.
  package func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    let descriptor = try descriptor(ofFolder: path)
    defer { systemClose(descriptor) }
    do {
      try call(SystemCall("synchronize", path, .synchronizeFolder)) { fsync(descriptor) }
    } catch  where error.isOfFolderThatCannotBeSynchronized {
      return
    }
  }

  /// Opens a folder; follows links to it.
  package func openFolder(_ path: FilePath) throws(StorageError) -> any StoredFolder {
    SystemFolder(descriptor: try descriptor(ofFolder: path), path: path, storage: self)
  }

  func descriptor(ofFolder path: FilePath) throws(StorageError) -> Int32 {
    try call(SystemCall("open", path)) {
      unsafe path.withCString { unsafe systemOpen($0, O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0) }
    }
  }

  /// The bytes that this user can still write on the file system of `path`.
  package func freeBytes(at path: FilePath) throws(StorageError) -> Int {
    var information = statvfs()
    try call(SystemCall("look at", path)) {
      unsafe path.withCString { unsafe statvfs($0, &information) }
    }
    let (free, overflow) = Int(information.f_bavail)
      .multipliedReportingOverflow(by: Int(information.f_frsize))
    return overflow ? Int.max : free
  }

  /// The system's words for an `errno`, lower case.
  static func message(of errno: Int32) -> String {
    if errno == StorageError.noFile { return "it is a device, a pipe or a socket, and not a file" }
    guard let text = unsafe strerror(errno) else { return "error \(errno)" }
    let message = unsafe String(cString: text)
    return message.prefix(1).lowercased() + message.dropFirst()
  }

  /// What somebody who watches makes of bytes that were read; nil where nobody does.
  @unsafe func altered(
    _ bytes: Slice<UnsafeMutableRawBufferPointer>, readBy call: SystemCall
  ) -> Bytes? {
    guard let watch else { return nil }
    return watch.altered(unsafe Bytes(bytes), readBy: call)
  }

  /// Makes a call again while it is interrupted, and turns −1 into an error.
  @discardableResult
  func call<Result: FixedWidthInteger>(
    _ call: @autoclosure () -> SystemCall, _ body: () -> Result
  ) throws(StorageError) -> Result {
    try self.call({ _ in call() }, body)
  }

  /// Makes a call again while it is interrupted, and turns −1 into an error.
  ///
  /// What the call is can depend on its result, which is nil before it is made.
  func call<Result: FixedWidthInteger>(
    _ call: (Result?) -> SystemCall, _ body: () -> Result
  ) throws(StorageError) -> Result {
    while true {
      let failure = watch.flatMap { $0.failure(before: call(nil)) }
      if let failure { errno = failure }
      let result = failure == nil ? body() : -1
      let code = errno
      if result != -1 {
        if let watch { watch.succeeded(call(result)) }
        return result
      }
      guard code == EINTR else {
        let call = call(nil)
        throw StorageError(operation: call.operation, path: call.path, errno: code)
      }
    }
  }
}

#if canImport(Darwin)
  typealias FolderStream = UnsafeMutablePointer<DIR>
#else
  typealias FolderStream = OpaquePointer
#endif

extension OpenMode {
  var flags: Int32 {
    switch self {
    // A pipe that nobody writes to, or a line that is not connected, must not be waited for.
    case .read: O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    case .readWrite: O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
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
      case S_IFLNK: .link
      case S_IFIFO: .pipe
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
      linkCount: Int(information.st_nlink), isOwn: information.st_uid == geteuid(),
      access: FileAccess(
        mode: UInt32(information.st_mode), owner: information.st_uid, group: information.st_gid))
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
