// SPDX-License-Identifier: Apache-2.0
// A program with all that it has started: those of its process group, and those that left it and
// still carry the mark that the program was given.

import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A program with all that it has started.
///
/// A process that starts a session of its own leaves the group, and its parents may end before it.
/// What it inherits is the environment: there it carries the mark, which Linux shows.
struct ProcessFamily: Sendable {
  /// The process group; nil where nothing is known of it any more.
  let group: pid_t?
  /// What stands in the environment of each of them, such as `NAME=value`.
  let mark: String

  /// Sends a signal to all of them, also to those that were stopped.
  func signal(_ number: Int32) {
    if let group {
      kill(-group, number)
      kill(-group, SIGCONT)
    }
    for process in others {
      kill(process, number)
      kill(process, SIGCONT)
    }
  }

  /// Whether any of them is still at work.
  var isAtWork: Bool {
    #if os(Linux)
      !members.isEmpty
    #else
      group.map { kill(-$0, 0) == 0 } ?? false
    #endif
  }

  /// Waits until all have ended, for so long at most.
  ///
  /// - Returns: Whether they have.
  func hasEnded(within patience: Duration) -> Bool {
    let end = ContinuousClock.now.advanced(by: patience)
    while isAtWork {
      guard ContinuousClock.now < end else { return false }
      usleep(20_000)
    }
    return true
  }

  #if os(Linux)
    /// Those that are at work, wherever they went.
    var members: [pid_t] {
      Self.processes.filter { process in
        guard let state = Self.state(of: process), state.letter != "Z", state.letter != "X" else {
          return false
        }
        return (group != nil && state.group == group) || hasMark(process)
      }
    }

    /// Those that have left the group.
    private var others: [pid_t] {
      members.filter { process in
        group == nil || Self.state(of: process)?.group != group
      }
    }

    /// All processes but this one.
    private static var processes: [pid_t] {
      let names = (try? SystemStorage().names(in: "/proc")) ?? []
      return names.compactMap { pid_t($0.description) }.filter { $0 != getpid() }
    }

    /// The state of a process as one letter, and its group: the first fields behind its name.
    private static func state(of process: pid_t) -> (letter: Character, group: pid_t)? {
      guard let line = contents(FilePath("/proc/\(process)/stat")),
        let end = line.lastIndex(of: UInt8(ascii: ")"))
      else { return nil }
      let fields = String(decoding: line[(end + 1)...], as: UTF8.self).split(separator: " ")
      guard fields.count > 2, let letter = fields[0].first, let group = pid_t(fields[2]) else {
        return nil
      }
      return (letter, group)
    }

    private func hasMark(_ process: pid_t) -> Bool {
      guard let environment = Self.contents(FilePath("/proc/\(process)/environ")) else {
        return false
      }
      return environment.split(separator: 0).contains { $0.elementsEqual(mark.utf8) }
    }

    /// What such a file holds, which has no length until it is read.
    private static func contents(_ path: FilePath) -> Bytes? {
      let descriptor = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var contents = Bytes()
      var piece = Bytes(repeating: 0, count: 4096)
      while contents.count < contentsMax {
        let count = unsafe piece.withUnsafeMutableBytes {
          unsafe read(descriptor, $0.baseAddress, $0.count)
        }
        guard count > 0 else { break }
        contents.append(contentsOf: piece[..<count])
      }
      return contents
    }

    /// The longest environment that is read.
    private static let contentsMax = 1 << 21
  #else
    /// Those at work: not known.
    var members: [pid_t] { [] }

    private var others: [pid_t] { [] }
  #endif
}
