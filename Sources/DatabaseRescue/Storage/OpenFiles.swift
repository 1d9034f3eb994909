// SPDX-License-Identifier: Apache-2.0
// The files that processes have open, where the system tells. Linux does, in /proc/PID/fd.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that a process has open.
package struct OpenFile: Hashable, Sendable {
  /// The process.
  package var process: Int32
  /// The name by which it was opened, or that it has now; without a mark that it has none any more.
  package var name: FilePath
  /// Where it can be opened again, also without a name.
  package var path: FilePath
  /// What is known of it.
  package var status: FileStatus
  /// Whether the process can write to it.
  package var isWritable: Bool

  /// Describes an open file.
  package init(
    process: Int32, name: FilePath, path: FilePath, status: FileStatus, isWritable: Bool
  ) {
    self.process = process
    self.name = name
    self.path = path
    self.status = status
    self.isWritable = isWritable
  }
}

/// The open files of processes.
package struct OpenFiles: Hashable, Sendable {
  /// The files.
  package var files: [OpenFile]
  /// At how many processes nobody may look.
  package var unseenProcesses: Int

  /// Lists open files.
  package init(files: [OpenFile], unseenProcesses: Int) {
    self.files = files
    self.unseenProcesses = unseenProcesses
  }
}

extension Storage {
  /// Nothing, as of storage whose users are not known.
  package func openFiles(ofUsersOf path: FilePath) -> OpenFiles? { nil }
}

#if os(Linux)
  extension SystemStorage {
    /// All files that those processes have open which have this one open, or one of its name.
    ///
    /// These looks at `/proc` are no calls on files, and nobody who watches those sees them.
    package func openFiles(ofUsersOf path: FilePath) -> OpenFiles? {
      guard let processes = Self.names(in: "/proc") else { return nil }
      let wanted = Self.status(of: path)?.identity
      var found = OpenFiles(files: [], unseenProcesses: 0)
      for name in processes {
        guard let process = Int32(name.description) else { continue }
        let folder = FilePath("/proc").appending(name).appending("fd")
        guard let descriptors = Self.names(in: folder) else {
          if errno == EACCES || errno == EPERM { found.unseenProcesses += 1 }
          continue
        }
        let files = descriptors.compactMap { Self.file(folder.appending($0), of: process) }
        if files.contains(where: { $0.status.identity == wanted || $0.name == path }) {
          found.files += files
        }
      }
      return found
    }

    private static func file(_ path: FilePath, of process: Int32) -> OpenFile? {
      guard let link = target(of: path), link.bytes.first == UInt8(ascii: "/"),
        !link.bytes.starts(with: "/dev/".utf8), let status = status(of: path), status.kind == .file
      else { return nil }
      let mark = Array(" (deleted)".utf8)
      let name =
        link.bytes.suffix(mark.count).elementsEqual(mark)
        ? FilePath(bytes: link.bytes.dropLast(mark.count)) : link
      // The mode of the link is that of the descriptor.
      var information = stat()
      let isKnown = unsafe path.withCString { unsafe lstat($0, &information) } == 0
      return OpenFile(
        process: process, name: name, path: path, status: status,
        isWritable: isKnown && information.st_mode & S_IWUSR != 0)
    }

    private static func names(in folder: FilePath) -> [FilePath]? {
      guard let stream = unsafe folder.withCString({ unsafe opendir($0) }) else { return nil }
      defer { unsafe closedir(stream) }
      return try? unsafe names(in: stream, of: folder)
    }

    private static func status(of path: FilePath) -> FileStatus? {
      var information = stat()
      guard unsafe path.withCString({ unsafe stat($0, &information) }) == 0 else { return nil }
      return FileStatus(information)
    }

    private static func target(of path: FilePath) -> FilePath? {
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe path.withCString { unsafe readlink($0, &target, target.count) }
      guard count > 0 else { return nil }
      return FilePath(bytes: target[..<count].map { UInt8(bitPattern: $0) })
    }
  }
#endif
