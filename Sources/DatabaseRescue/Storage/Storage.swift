// SPDX-License-Identifier: Apache-2.0
// Every system call on files, as one protocol, so that tests can fail or crash any of them.

package import Diagnosis
package import SQLiteFormat

/// The file system, as far as this library uses it.
///
/// One real implementation, ``SystemStorage``; tests bring simulated ones. Names
/// are absolute or relative to the working folder. No call follows the last
/// symbolic link unless it says so.
package protocol Storage: Sendable {
  /// Opens a file.
  func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile

  /// What is known of a file without opening it; nil when there is none. Follows links.
  func status(of path: FilePath) throws(StorageError) -> FileStatus?

  /// Seconds since 1970 at which a file was made; nil where nobody keeps that. Follows links.
  func born(_ path: FilePath) throws(StorageError) -> Double?

  /// The path with all symbolic links followed.
  func resolve(_ path: FilePath) throws(StorageError) -> FilePath

  /// The path with all symbolic links followed, where there may be no file yet.
  func place(of path: FilePath) throws(StorageError) -> FilePath

  /// The names in a folder, sorted by their bytes, without `.` and `..`.
  func names(in folder: FilePath) throws(StorageError) -> [FilePath]

  /// Makes a folder and those above it; does nothing where it exists.
  func createFolder(_ path: FilePath) throws(StorageError)

  /// Renames a file, replacing what has the new name.
  func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError)

  /// Renames a file, refusing where the new name is taken.
  func renameWithoutReplacing(_ path: FilePath, to newPath: FilePath) throws(StorageError)

  /// Gives a file a second name, refusing where it is taken; false where a file has only one.
  func link(_ path: FilePath, to newPath: FilePath) throws(StorageError) -> Bool

  /// Removes a file; does nothing where there is none.
  func remove(_ path: FilePath) throws(StorageError)

  /// Removes an empty folder; does nothing where there is none.
  func removeFolder(_ path: FilePath) throws(StorageError)

  /// Opens a folder, for what must be done in it and nowhere else. Follows links to it.
  func openFolder(_ path: FilePath) throws(StorageError) -> any StoredFolder

  /// Opens a pipe for reading.
  func openPipe(_ path: FilePath) throws(StorageError) -> any StoredPipe

  /// Makes the names in a folder durable.
  func synchronizeFolder(_ path: FilePath) throws(StorageError)

  /// The bytes that this user can still write on the file system of `path`.
  func freeBytes(at path: FilePath) throws(StorageError) -> Int

  /// The file system of `path`; nil where it is not known. Follows links.
  func fileSystem(at path: FilePath) throws(StorageError) -> Circumstances.FileSystem?

  /// Takes the lock of a folder for as long as the result lives; nil when another run has it.
  func lockFolder(_ path: FilePath) throws(StorageError) -> HeldLock?

  /// Keeps the connections of other processes from a database for as long as the result lives;
  /// nil when one of them is using it, or this process has it open itself.
  ///
  /// A connection in WAL mode uses it for as long as it is open; one in a rollback mode only
  /// while it reads or writes. In the meantime this process must not open the file and close it
  /// again: that would give the lock back.
  func lockDatabase(_ path: FilePath) throws(StorageError) -> HeldLock?

  /// Takes the lock that a reader takes, for as long as the result lives: then nobody writes to a
  /// database in a rollback mode.
  ///
  /// In the meantime this process must not open the file and close it again.
  func shareDatabase(_ path: FilePath) throws(StorageError) -> SharedLock

  /// Whether another process has locked a database in order to write to it.
  func isWritten(_ path: FilePath) throws(StorageError) -> Bool

  /// Gives a file the mode, the extended attributes, and where allowed the owner of another.
  func copyAttributes(from path: FilePath, to other: FilePath) throws(StorageError)

  /// Sets the permissions of a file, and where allowed its owner.
  func setAccess(of path: FilePath, to access: FileAccess) throws(StorageError)

  /// All files that those processes have open which have this one open, or one of its name, or its
  /// log or journal; nil where the system does not tell.
  func openFiles(ofUsersOf path: FilePath) -> OpenFiles?
}

/// How a file is opened.
package enum OpenMode: Hashable, Sendable {
  /// For reading only.
  case read
  /// For reading and writing; the file must exist.
  case readWrite
  /// For reading and writing, made new; it must not exist. Mode 0600.
  case createNew
  /// For writing at the end, made where there is none. Mode 0600.
  case append
}

/// What is known of a file without opening it.
package struct FileStatus: Hashable, Sendable {
  /// The kinds of file that matter here.
  package enum Kind: Hashable, Sendable {
    /// An ordinary file.
    case file
    /// A folder.
    case folder
    /// A symbolic link, where links are not followed.
    case link
    /// A pipe, with or without a name.
    case pipe
    /// A device or socket.
    case other

    /// What it is, where that can be no database; nil for a file, and for a link, which may lead to
    /// one.
    var obstacle: String? {
      switch self {
      case .file, .link: nil
      case .folder: "a folder"
      case .pipe: "a pipe"
      case .other: "a device or a socket"
      }
    }
  }

  /// What it is.
  package var kind: Kind
  /// The size in bytes.
  package var byteCount: Int
  /// Seconds since 1970 at which the content last changed.
  package var modified: Double
  /// The permission bits.
  package var mode: UInt32
  /// The device and inode: equal for two names of one file.
  package var identity: [UInt64]
  /// The number of names (hard links).
  package var linkCount: Int
  /// Whether it belongs to the user that this process acts for.
  package var isOwn: Bool
  /// Who may read and write it.
  package var access: FileAccess
}

/// An open file; closed when the last reference goes.
package protocol StoredFile: AnyObject, PageSource {
  /// Writes bytes at an offset, all of them or an error.
  func write(_ bytes: Bytes, at offset: Int) throws(StorageError)

  /// Writes bytes at the end, in one call where the system can.
  func append(_ bytes: Bytes) throws(StorageError)

  /// Cuts or extends the file.
  func truncate(to byteCount: Int) throws(StorageError)

  /// Takes room on the disk behind the end, without making the file longer, until it is cut or
  /// removed; does nothing where the file system cannot.
  func reserve(_ byteCount: Int) throws(StorageError)

  /// Makes the content durable.
  func synchronize() throws(StorageError)

  /// Takes an exclusive advisory lock for as long as the file is open; false when another has it.
  func lock() throws(StorageError) -> Bool
}

/// An open folder.
///
/// Names in it are reached from the folder itself, and never through a symbolic link: what is put
/// in the place of it, or of a folder above it, leads nothing elsewhere.
package protocol StoredFolder: AnyObject, Sendable {
  /// The path by which it was opened.
  var path: FilePath { get }

  /// What is known of the folder.
  func status() throws(StorageError) -> FileStatus

  /// What is known of a name; nil when there is none. `..` is the folder that this one lies in.
  func status(of name: FilePath) throws(StorageError) -> FileStatus?

  /// The names in it, sorted by their bytes, without `.` and `..`.
  func names() throws(StorageError) -> [FilePath]

  /// Opens a folder in it.
  func folder(_ name: FilePath) throws(StorageError) -> any StoredFolder

  /// Makes a folder that only this user can use, refusing where the name is taken.
  func createFolder(_ name: FilePath) throws(StorageError)

  /// Makes a file that only this user can use, refusing where the name is taken.
  ///
  /// What it holds is durable, and its lock is taken where there are locks: before the file has its
  /// name, where the system can do that. Then a kill leaves all of it or nothing, and nobody finds it
  /// without its lock as long as it is open.
  func create(_ name: FilePath, holding content: Bytes) throws(StorageError) -> any StoredFile

  /// Opens a file for reading.
  func open(_ name: FilePath) throws(StorageError) -> any StoredFile

  /// Removes a file or a symbolic link; does nothing where there is none.
  func remove(_ name: FilePath) throws(StorageError)

  /// Removes an empty folder; does nothing where there is none.
  func removeFolder(_ name: FilePath) throws(StorageError)

  /// Makes the names in it durable.
  func synchronize() throws(StorageError)

  /// Takes its lock for as long as it is open; false when another has it.
  func lock() throws(StorageError) -> Bool
}

/// An open pipe: what is read of it is gone from it.
package protocol StoredPipe: AnyObject {
  /// What comes next, which is waited for no longer than this.
  func next(waiting milliseconds: Int32) throws(StorageError) -> PipeContent
}

/// What comes out of a pipe.
package enum PipeContent: Hashable, Sendable {
  /// Some bytes.
  case bytes(Bytes)
  /// Nothing in that time.
  case silence
  /// Nothing, as nobody has it open for writing.
  case nobody
  /// Nothing more.
  case end
}

extension StoredFile {
  /// Does nothing, as files that are on no disk.
  package func reserve(_ byteCount: Int) {}
}

extension Storage {
  /// Nothing, as storage that does not keep it says.
  package func born(_ path: FilePath) throws(StorageError) -> Double? { nil }

  /// Nothing, as storage that is none of a machine says.
  package func fileSystem(at path: FilePath) throws(StorageError) -> Circumstances.FileSystem? {
    nil
  }

  /// The locks of the machine, as storage has them that leads to its files.
  package func shareDatabase(_ path: FilePath) throws(StorageError) -> SharedLock {
    try SystemStorage().shareDatabase(path)
  }

  /// The locks of the machine, as storage has them that leads to its files.
  package func isWritten(_ path: FilePath) throws(StorageError) -> Bool {
    try SystemStorage().isWritten(path)
  }

  /// Refuses, as storage without pipes does.
  package func openPipe(_ path: FilePath) throws(StorageError) -> any StoredPipe {
    throw StorageError(operation: "open", path: path, errno: StorageError.noFile)
  }
}

extension Storage {
  /// Reads all of a file that SQLite finds fault with: what the disk does not hand out is damage to
  /// SQLite, and says nothing of the database.
  ///
  /// - Throws: ``RescueError`` when it cannot be read; `doing` reads like `check the copy`.
  func requireReadable(
    _ path: FilePath, doing: String, meaning: String
  ) throws(RescueError) {
    do {
      try open(path, .read).forEachPiece { _, _ in }
    } catch {
      throw RescueError(error, doing: doing, meaning: meaning)
    }
  }
}

/// A system call that failed.
package struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried, such as `read` or `rename`.
  package let operation: String
  /// On which file.
  package let path: FilePath
  /// The `errno`.
  package let errno: Int32

  /// Makes an error.
  package init(operation: String, path: FilePath, errno: Int32) {
    self.operation = operation
    self.path = path
    self.errno = errno
  }

  /// The reason in the system's words, lower case.
  package var reason: String { SystemStorage.message(of: errno) }

  /// What failed, on which file, and why.
  package var description: String { "cannot \(operation) '\(path)': \(reason)" }
}
