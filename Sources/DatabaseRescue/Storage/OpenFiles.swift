// SPDX-License-Identifier: Apache-2.0
// The files that processes have open, where the system tells. Linux does, in /proc/PID/fd.

import SQLiteFormat

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
}

/// The open files of processes.
package struct OpenFiles: Hashable, Sendable {
  /// The files.
  package var files: [OpenFile]
  /// At how many processes nobody may look.
  package var unseenProcesses: Int

  /// The other processes that have one of some files open and can write to it.
  func writers(where isWanted: (OpenFile) -> Bool) -> Set<Int32> {
    Set(
      files.filter { $0.isWritable && $0.process != getpid() && isWanted($0) }.map(\.process))
  }
}

extension Storage {
  /// The other processes that have a database open and can write to it, as far as the system tells.
  func writers(of main: FilePath) -> Set<Int32> {
    let identity = ((try? status(of: main)) ?? nil)?.identity
    let open = openFiles(ofUsersOf: main)
    return open?.writers { $0.status.identity == identity || $0.name == main } ?? []
  }
}

extension Storage {
  /// Nothing, as of storage whose users are not known.
  package func openFiles(ofUsersOf path: FilePath) -> OpenFiles? { nil }
}

#if os(Linux)
  extension SystemStorage {
    /// All files that those processes have open which have this one open, or one of its name, or
    /// its log or journal.
    ///
    /// These looks at `/proc` are no calls on files, and nobody who watches those sees them. There may
    /// be thousands of descriptors, so of most of them only the name is read.
    package func openFiles(ofUsersOf path: FilePath) -> OpenFiles? {
      guard let processes = Self.names(in: "/proc") else { return nil }
      let wanted = Self.status(of: path)?.identity
      let names = Set([path] + FilePath.journalSuffixes.map { path.adding(suffix: $0) })
      var found = OpenFiles(files: [], unseenProcesses: 0)
      for name in processes {
        guard let process = Int32(name.description) else { continue }
        let folder = FilePath("/proc").appending(name).appending("fd")
        guard let stream = unsafe folder.withCString({ unsafe opendir($0) }) else {
          if errno == EACCES || errno == EPERM { found.unseenProcesses += 1 }
          continue
        }
        defer { unsafe closedir(stream) }
        let files = unsafe Self.files(in: stream, of: folder, process)
        if files.contains(where: { $0.status.identity == wanted || names.contains($0.name) }) {
          found.files += files
        }
      }
      return found
    }

    /// The files that have a name, or had one, among the descriptors of a process.
    @unsafe private static func files(
      in stream: FolderStream, of folder: FilePath, _ process: Int32
    ) -> [OpenFile] {
      let descriptors = unsafe dirfd(stream)
      var files: [(number: Int32, file: OpenFile)] = []
      while let entry = unsafe readdir(stream) {
        var digits = unsafe entry.pointee.d_name
        unsafe withUnsafePointer(to: &digits) { digits in
          unsafe digits.withMemoryRebound(to: CChar.self, capacity: 256) { digits in
            guard let number = unsafe Int32(String(cString: digits)),
              let file = unsafe file(digits, in: descriptors, of: folder, process)
            else { return }
            files.append((number, file))
          }
        }
      }
      return files.sorted { $0.number < $1.number }.map(\.file)
    }

    @unsafe private static func file(
      _ digits: UnsafePointer<CChar>, in descriptors: Int32, of folder: FilePath, _ process: Int32
    ) -> OpenFile? {
      guard let link = unsafe target(of: digits, in: descriptors) else { return nil }
      var file = stat()
      var descriptor = stat()
      guard unsafe fstatat(descriptors, digits, &file, 0) == 0, file.st_mode & S_IFMT == S_IFREG
      else { return nil }
      let mark = Array(" (deleted)".utf8)
      let name =
        link.suffix(mark.count).elementsEqual(mark) ? link.dropLast(mark.count) : link[...]
      // The mode of the link is that of the descriptor.
      let isKnown = unsafe fstatat(descriptors, digits, &descriptor, AT_SYMLINK_NOFOLLOW) == 0
      return OpenFile(
        process: process, name: FilePath(bytes: name),
        path: folder.appending(unsafe FilePath(String(cString: digits))), status: FileStatus(file),
        isWritable: isKnown && descriptor.st_mode & S_IWUSR != 0)
    }

    /// The name of what a descriptor leads to; nil for what has none, and for devices.
    @unsafe private static func target(
      of digits: UnsafePointer<CChar>, in descriptors: Int32
    ) -> Bytes? {
      unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        guard let target = buffer.baseAddress else { return nil }
        let count = unsafe readlinkat(descriptors, digits, target, buffer.count)
        guard count > 0 else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(
          rebasing: UnsafeRawBufferPointer(buffer)[..<count])
        guard unsafe bytes[0] == UInt8(ascii: "/"), unsafe !bytes.starts(with: "/dev/".utf8) else {
          return nil
        }
        return unsafe Bytes(bytes)
      }
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
  }
#endif
