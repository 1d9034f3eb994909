// SPDX-License-Identifier: Apache-2.0
// A program with all that it has started: those of its process group, and those that left it and
// still carry the mark that the program was given.

import CFileAttributes
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
/// What it inherits is the environment: there it carries the mark, which Linux shows. One that drops
/// that, too, is known by its parent where this process adopts orphans.
struct ProcessFamily: Sendable {
  /// The process group; nil where nothing is known of it any more.
  let group: pid_t?
  /// What stands in the environment of each of them, such as `NAME=value`.
  let mark: String
  /// The children that this process had before; nil unless all other ones are of the family, with
  /// all that they have started.
  var strangers: Set<pid_t>?

  /// Sends a signal to all of them, also to those that were stopped.
  ///
  /// Who waits for another one would go on as soon as that has ended: so all are held, told, and
  /// let go.
  func signal(_ number: Int32) {
    let others = others
    for number in [SIGSTOP, number, SIGCONT] {
      if let group { kill(-group, number) }
      for process in others { kill(process, number) }
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
    var members: [pid_t] { Array(states.keys) }

    /// Those that have left the group.
    private var others: [pid_t] {
      states.filter { group == nil || $0.value.group != group }.map(\.key)
    }

    /// The states of those that are at work.
    private var states: [pid_t: State] {
      let all = Self.all
      return all.filter { process, state in
        !["Z", "X"].contains(state.letter)
          && (group != nil && state.group == group || isAdopted(process, all) || hasMark(process))
      }
    }

    /// Whether a process descends from this one, and from no stranger.
    private func isAdopted(_ process: pid_t, _ all: [pid_t: State]) -> Bool {
      guard let strangers else { return false }
      var (process, steps) = (process, 0)
      while let state = all[process], !strangers.contains(process), steps <= all.count {
        if state.parent == getpid() { return true }
        (process, steps) = (state.parent, steps + 1)
      }
      return false
    }

    /// The children of this process.
    static var children: Set<pid_t> {
      Set(all.filter { $0.value.parent == getpid() }.keys)
    }

    /// What is known of a process: its state as one letter, its parent and its group.
    private typealias State = (letter: Character, parent: pid_t, group: pid_t)

    /// All processes but this one.
    private static var all: [pid_t: State] {
      let names = (try? SystemStorage().names(in: "/proc")) ?? []
      let processes = names.compactMap { pid_t($0.description) }.filter { $0 != getpid() }
      return Dictionary(
        processes.compactMap { process in state(of: process).map { (process, $0) } },
        uniquingKeysWith: { first, _ in first })
    }

    /// The state of a process: the first fields behind its name.
    private static func state(of process: pid_t) -> State? {
      guard let line = contents(FilePath("/proc/\(process)/stat")),
        let end = line.lastIndex(of: UInt8(ascii: ")"))
      else { return nil }
      let fields = String(decoding: line[(end + 1)...], as: UTF8.self).split(separator: " ")
      guard fields.count > 2, let letter = fields[0].first, let parent = pid_t(fields[1]),
        let group = pid_t(fields[2])
      else { return nil }
      return (letter, parent, group)
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

    /// The children of this process: not known.
    static var children: Set<pid_t> { [] }
  #endif
}

/// That what is orphaned becomes a child of this process: for as long as a program runs that may
/// start what leaves its group and drops its environment.
struct OrphanAdoption {
  /// The children that were there before.
  let strangers: Set<pid_t>

  /// Begins it; nil where the system has no such thing.
  init?() {
    #if os(Linux)
      guard dbrescue_adopt_orphans(1) == 0 else { return nil }
      strangers = ProcessFamily.children
    #else
      return nil
    #endif
  }

  /// Ends it, and takes note of those that have ended: nobody else does.
  func end() {
    _ = dbrescue_adopt_orphans(0)
    while waitpid(-1, nil, WNOHANG) > 0 {}
  }
}
