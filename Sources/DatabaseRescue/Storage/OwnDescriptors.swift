// SPDX-License-Identifier: Apache-2.0
// The descriptors of this library among those of its process. POSIX takes away every lock that a
// process holds on a file when it closes any descriptor of it: those of SQLite too, in an app that
// has the database open.

import SQLiteFormat
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The open descriptors of this library, and those that it cannot close yet.
///
/// A descriptor of a file that somebody else in this process has open stays open until that is no
/// longer so, and is used again where the file is read again.
final class OwnDescriptors: Sendable {
  /// Those of this process.
  static let all = OwnDescriptors()

  private struct State {
    var open: Set<Int32> = []
    /// Those that nobody here uses any more, by the file.
    var kept: [[UInt64]: [Int32]] = [:]
  }

  private let state = Mutex(State())

  /// Takes in a descriptor that was just opened.
  func add(_ descriptor: Int32) {
    state.withLock { _ = $0.open.insert(descriptor) }
  }

  /// A descriptor of a file that was kept.
  func reuse(_ identity: [UInt64]) -> Int32? {
    state.withLock { state in
      guard let descriptor = state.kept[identity]?.popLast() else { return nil }
      if state.kept[identity]?.isEmpty == true { state.kept[identity] = nil }
      state.open.insert(descriptor)
      return descriptor
    }
  }

  /// Whether any descriptor is kept.
  var keepsAny: Bool { state.withLock { !$0.kept.isEmpty } }

  /// Whether somebody else in this process has a file open.
  func isOpenElsewhere(_ descriptor: Int32) -> Bool {
    guard let identity = Self.identity(of: descriptor) else { return false }
    return state.withLock { Self.others(than: $0).contains(identity) }
  }

  /// Closes a descriptor, at once or as soon as that takes no lock from anybody.
  func close(_ descriptor: Int32) {
    state.withLock { state in
      let identity = Self.identity(of: descriptor)
      let others = Self.others(than: state)
      state.open.remove(descriptor)
      if let identity, others.contains(identity) {
        state.kept[identity, default: []].append(descriptor)
      } else {
        systemClose(descriptor)
      }
      for (file, descriptors) in state.kept where !others.contains(file) {
        descriptors.forEach(systemClose)
        state.kept[file] = nil
      }
    }
  }

  /// The files that others in this process have open.
  private static func others(than state: State) -> Set<[UInt64]> {
    let own = state.open.union(state.kept.values.joined())
    return Set(descriptors.filter { !own.contains($0) }.compactMap { identity(of: $0) })
  }

  /// The device and inode of a file; nil where the descriptor is that of something else.
  private static func identity(of descriptor: Int32) -> [UInt64]? {
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else { return nil }
    let status = FileStatus(information)
    return status.kind == .file ? status.identity : nil
  }

  /// All descriptors of this process, and perhaps numbers that are none.
  private static var descriptors: [Int32] {
    #if os(Linux)
      if let stream = unsafe opendir("/proc/self/fd") {
        defer { unsafe closedir(stream) }
        let names = (try? unsafe SystemStorage.names(in: stream, of: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0.description) }
      }
    #endif
    return Array(0..<min(getdtablesize(), 65536))
  }
}
