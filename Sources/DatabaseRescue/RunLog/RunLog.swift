// SPDX-License-Identifier: Apache-2.0
// The run log: one line of JSON for each run, which no crash and no other process can garble.

import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The log of all runs: a file of JSON Lines.
///
/// A run is one line, when it has ended; one that replaces a database is noted before, too.
/// A line is written whole, under a lock, and made durable. Should a line have been
/// torn all the same, the next one starts afresh, and readers skip what they cannot
/// read and count it. A log that cannot be written must not stop a rescue: callers
/// show the error of ``append(_:)`` as a warning and go on.
package struct RunLog: Sendable {
  /// The file.
  package let path: FilePath

  let storage: any Storage
  private let pause: @Sendable () -> Void

  /// The log at a path.
  package init(at path: FilePath, in world: World) {
    self.init(at: path, in: world) { usleep(Self.pauseMicroseconds) }
  }

  /// The log where the environment puts it.
  ///
  /// - Throws: ``RescueError`` when the environment names no place for it.
  package init(in world: World) throws(RescueError) {
    guard let path = Self.path(in: world.environment) else {
      throw RescueError(
        .cannotWrite, "there is no place for the run log", meaning: Self.unaffected,
        advice: "set DBRESCUE_LOG to the path of a file, or set HOME")
    }
    self.init(at: path, in: world)
  }

  init(at path: FilePath, in world: World, pause: @escaping @Sendable () -> Void) {
    self.path = path
    storage = world.storage
    self.pause = pause
  }

  /// Where the log lies; nil when the environment names no place.
  ///
  /// `$DBRESCUE_LOG`, else `$XDG_STATE_HOME/dbrescue/runs.jsonl`, else
  /// `$HOME/.local/state/dbrescue/runs.jsonl`. Empty variables count as unset, and so
  /// does an `XDG_STATE_HOME` that is not absolute, as its standard demands.
  package static func path(in environment: [String: String]) -> FilePath? {
    func folder(_ name: String) -> FilePath? {
      environment[name].flatMap { $0.isEmpty ? nil : FilePath($0) }
    }
    if let path = folder("DBRESCUE_LOG") { return path }
    if let state = folder("XDG_STATE_HOME"), state.isAbsolute {
      return state.appending("dbrescue/runs.jsonl")
    }
    return folder("HOME")?.appending(".local/state/dbrescue/runs.jsonl")
  }

  /// Adds a run, durably.
  ///
  /// - Throws: ``RescueError`` when it could not be written, or when another process
  ///   held the log for too long. The rescue itself goes on.
  package func append(_ record: RunRecord) throws(RescueError) {
    try append(line: line(for: record.shortened))
  }

  /// Notes, durably, that a run is going to replace a database.
  ///
  /// - Throws: ``RescueError`` as ``append(_:)-(RunRecord)``.
  func append(_ beginning: RunBeginning) throws(RescueError) {
    try append(line: line(for: beginning))
  }

  /// Notes, durably, that a run has ended in another status than its line says.
  ///
  /// - Throws: ``RescueError`` as ``append(_:)-(RunRecord)``.
  func append(_ correction: RunCorrection) throws(RescueError) {
    try append(line: line(for: correction))
  }

  private func append(line: Bytes) throws(RescueError) {
    let isWritten: Bool
    do {
      isWritten = try write(line)
    } catch {
      throw RescueError(error, meaning: Self.unaffected)
    }
    guard isWritten else {
      throw RescueError(
        .busy, "another process holds the run log '\(path)'", meaning: Self.unaffected,
        advice: "find out which process holds the file, or set DBRESCUE_LOG to another one")
    }
  }

  /// Writes a line durably; false when another process held the log all the time.
  private func write(_ line: Bytes) throws(StorageError) -> Bool {
    try storage.createFolder(path.folder)
    // What is written to a pipe is gone when nobody reads it.
    if try storage.status(of: path)?.kind == .pipe {
      throw StorageError(operation: "open", path: path, errno: StorageError.noFile)
    }
    let file = try storage.open(path, .append)
    guard try storage.status(of: path)?.kind == .file else {
      try file.append(line)  // Such as /dev/null, for those who want no log.
      return true
    }
    guard try lock(file) else { return false }
    let byteCount = file.byteCount
    try file.append(isTorn(file, byteCount) ? [Self.newline] + line : line)
    try file.synchronize()
    // The file may be new, or its maker may have died before this.
    if byteCount == 0 { try storage.synchronizeFolder(path.folder) }
    return true
  }

  private func line(for line: some LogLine) throws(RescueError) -> Bytes {
    do throws(RescueError) {
      return Bytes(try line.document.compact.utf8) + [Self.newline]
    } catch {
      throw RescueError(
        .internal, "the run record cannot be written as JSON", meaning: Self.unaffected,
        advice: "please report this with the support code")
    }
  }

  /// Whether the last line lacks its end.
  ///
  /// One that cannot be read is taken for torn: an empty line does no harm.
  private func isTorn(_ file: any StoredFile, _ byteCount: Int) -> Bool {
    guard byteCount > 0 else { return false }
    do {
      return try file.read(at: byteCount - 1, count: 1) != [Self.newline]
    } catch {
      return true
    }
  }

  /// Locks the log; false when another process held it all the time.
  ///
  /// As long as it grows, many add to it by turns, and none holds it.
  private func lock(_ file: any StoredFile) throws(StorageError) -> Bool {
    do throws(StorageError) {
      var (attempts, byteCount) = (0, file.byteCount)
      for _ in 0..<(Self.turnsMax * Self.lockAttempts) where attempts < Self.lockAttempts {
        if try file.lock() { return true }
        pause()
        let now = file.byteCount
        attempts = now == byteCount ? attempts + 1 : 0
        byteCount = now
      }
      return false
    } catch  where error.cause == .noLocks {
      return true  // A line is added in one piece all the same.
    }
  }

  static let newline = UInt8(ascii: "\n")
  private static let unaffected =
    "the database is not affected; only the line of this run is missing in the log"

  /// Ten seconds in which nothing is added to it.
  static let lockAttempts = 2000
  /// How many times as long it is waited for at most.
  private static let turnsMax = 10
  private static let pauseMicroseconds: UInt32 = 5000
}
