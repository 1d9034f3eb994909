// SPDX-License-Identifier: Apache-2.0
// Everything that one run does to a folder, by our own system calls and by SQLite's, in one order.

package import DatabaseRescue
import SQLiteFormat
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A call that is made to fail.
///
/// It strikes the first call from that number on that can fail so: where threads take turns, the
/// numbers shift. What is interrupted inside SQLite, it tries again itself, below what is watched.
package struct Fault: Hashable, Sendable {
  /// The number of the call, from 0, among those that concern the folder.
  package var call: Int
  /// The `errno`.
  package var errno: Int32
  /// Whether more fails from there on: every write on a disk that is full, and every call on one
  /// that is gone.
  package var lasts: Bool

  /// Makes a fault.
  package init(call: Int, errno: Int32, lasts: Bool = false) {
    self.call = call
    self.errno = errno
    self.lasts = lasts
  }

  fileprivate func strikes(
    _ number: Int, _ kind: DiskRecorder.Kind, isOurs: Bool, hasFailed: Bool
  ) -> Bool {
    let canFailSo =
      switch errno {
      case EINTR: isOurs
      case ENOSPC: kind == .naming || kind == .writing
      case EACCES: kind == .naming || kind == .removing
      default: true
      }
    guard hasFailed else { return canFailSo && number >= call }
    return lasts && (errno != ENOSPC || kind == .writing)
  }
}

/// A recording of everything that is done to a folder.
package final class DiskRecorder: SystemCallWatch {
  /// What kind of call it was, as far as it matters for how it can fail.
  package enum Kind: Hashable, Sendable {
    /// It only looks.
    case reading
    /// It can make a file, or change a name.
    case naming
    /// It takes a name away, for which no room is needed.
    case removing
    /// It writes.
    case writing
    /// It makes something durable.
    case synchronizing
  }

  fileprivate struct State {
    var names: [FilePath: Int]
    var byteCounts: [Int: Int]
    var open: [UInt64: Int] = [:]
    var operations: [DiskOperation] = []
    var calls: [(kind: Kind, isOurs: Bool)] = []
    var hasFailed = false
  }

  private let root: FilePath
  private let fault: Fault?
  private let state: Mutex<State>
  /// What the folder held at first.
  package let start: SimulatedDisk

  /// Prepares to watch a folder as it is now.
  package init(_ root: FilePath, failing fault: Fault? = nil) throws {
    self.root = root
    self.fault = fault
    start = try SimulatedDisk(of: root)
    state = Mutex(State(names: start.files, byteCounts: start.byteCounts))
  }

  /// Watches SQLite, too, while a body runs.
  package func watch<Result>(_ body: () throws -> Result) throws -> Result {
    try SQLiteWatch.watch(root, with: self, body)
  }

  /// What was done, in order.
  package var operations: [DiskOperation] { state.withLock(\.operations) }
  /// The calls, in order, and whether each was one of ours or one of SQLite's.
  package var calls: [(kind: Kind, isOurs: Bool)] { state.withLock(\.calls) }
  /// Whether the fault has struck.
  package var hasFailed: Bool { state.withLock(\.hasFailed) }

  package func failure(before call: SystemCall) -> Int32? {
    failure(before: call, isOurs: true)
  }

  func failure(before call: SystemCall, isOurs: Bool) -> Int32? {
    guard relative(call.path) != nil else { return nil }
    return state.withLock { state in
      let number = state.calls.count
      state.calls.append((call.kind, isOurs))
      guard let fault,
        fault.strikes(number, call.kind, isOurs: isOurs, hasFailed: state.hasFailed)
      else { return nil }
      state.hasFailed = true
      return fault.errno
    }
  }

  package func succeeded(_ call: SystemCall) {
    guard let path = relative(call.path), !path.hasSuffix("-shm") else { return }
    state.withLock { $0.note(call, path, to: relative) }
  }

  /// The path inside the folder; nil for one outside it.
  private func relative(_ path: FilePath) -> FilePath? {
    let prefix = root.bytes + [UInt8(ascii: "/")]
    if path == root { return "." }
    return path.bytes.starts(with: prefix)
      ? FilePath(bytes: path.bytes.dropFirst(prefix.count)) : nil
  }
}

extension DiskRecorder.State {
  fileprivate mutating func note(
    _ call: SystemCall, _ path: FilePath, to relative: (FilePath) -> FilePath?
  ) {
    switch call.effect {
    case .none, .read: break
    case .open(let file, let creates):
      open[file] = nil
      if creates || names[path] != nil { open[file] = number(of: path) }
    case .openUnnamed(let file): open[file] = newNumber()
    case .name(let file):
      guard let number = open[file] else { return }
      names[path] = number
      operations.append(.rename(leaving: nil, entering: path, file: number))
    case .write(let file, let bytes, let offset):
      guard let number = open[file] else { return }
      let offset = offset ?? byteCounts[number, default: 0]
      byteCounts[number] = max(byteCounts[number, default: 0], offset + bytes.count)
      operations.append(.write(file: number, bytes, offset: offset))
    case .truncate(let file, let byteCount):
      guard let number = open[file] else { return }
      byteCounts[number] = byteCount
      operations.append(.truncate(file: number, byteCount: byteCount))
    case .synchronize(let file):
      if let number = open[file] { operations.append(.synchronize(file: number)) }
    case .rename(let new): move(path, to: relative(new), keeping: false)
    case .link(let new): move(path, to: relative(new), keeping: true)
    case .remove:
      guard let file = names.removeValue(forKey: path) else { return }
      operations.append(.rename(leaving: path, entering: nil, file: file))
    case .createFolder: operations.append(.createFolder(path))
    case .removeFolder: operations.append(.removeFolder(path))
    case .synchronizeFolder: operations.append(.synchronizeFolder(path))
    }
  }

  /// The number of a file, which is new when the name is.
  private mutating func number(of path: FilePath) -> Int {
    if let number = names[path] { return number }
    let number = newNumber()
    names[path] = number
    operations.append(.rename(leaving: nil, entering: path, file: number))
    return number
  }

  private mutating func newNumber() -> Int {
    let number = (byteCounts.keys.max() ?? 0) + 1
    byteCounts[number] = 0
    return number
  }

  private mutating func move(_ path: FilePath, to new: FilePath?, keeping: Bool) {
    guard let new, let file = names[path] else { return }
    if !keeping { names[path] = nil }
    names[new] = file
    operations.append(.rename(leaving: keeping ? nil : path, entering: new, file: file))
  }
}

extension SystemCall {
  fileprivate var kind: DiskRecorder.Kind {
    switch effect {
    case .none, .read: .reading
    case .open, .openUnnamed, .name, .rename, .link, .createFolder: .naming
    case .remove, .removeFolder: .removing
    case .write, .truncate: .writing
    case .synchronize, .synchronizeFolder: .synchronizing
    }
  }
}
