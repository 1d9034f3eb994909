// SPDX-License-Identifier: Apache-2.0
// The files of a database at one moment, as the file system sees them: whether somebody wrote to
// them since is told by comparing two.

import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files of a database at one moment: which are there, how long, and when last written.
///
/// The main file stays open with it: closing it would give back the locks that SQLite holds in this
/// process, and two states are compared under such locks.
struct DatabaseState: Equatable {
  /// What is known of one file.
  private struct Mark: Equatable {
    let identity: [UInt64]
    let byteCount: Int
    let modified: Double
  }

  /// The files by what follows the name of the database in theirs, wherever links lead.
  private let marks: [[UInt8]: Mark]
  /// The change counter, as two commits can fall into one tick of a file system's clock; empty
  /// where it cannot be read.
  private let counters: Bytes?
  private let main: (any StoredFile)?
  /// Whether any write since this look would be seen: none came so shortly before it that the clock
  /// of the file system cannot tell the two apart.
  private(set) var isSettled: Bool
  /// Whether nobody wrote shortly before this look.
  private let isQuiet: Bool

  /// Looks at the files, those that are there and those that might come.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be looked at.
  init(of input: InputFiles, storage: any Storage) throws(RescueError) {
    var marks: [[UInt8]: Mark] = [:]
    let now = Date().timeIntervalSince1970
    do throws(StorageError) {
      let main = try storage.place(of: input.main)
      var files = ([""] + FilePath.journalSuffixes).map {
        (Array($0.utf8), main.adding(suffix: $0))
      }
      files += [input.wal, input.journal].compactMap(\.self).map { path in
        let isBeside = path.bytes.starts(with: input.main.bytes)
        return (Array(path.bytes.dropFirst(isBeside ? input.main.bytes.count : 0)), path)
      }
      for (name, path) in files {
        guard let status = try storage.status(of: path) else { continue }
        // Whoever only looks may leave an empty log, or take it away.
        guard name.isEmpty || status.byteCount > 0 else { continue }
        marks[name] = Mark(
          identity: status.identity, byteCount: status.byteCount, modified: status.modified)
      }
      self.main = try? storage.open(main, .read)
    } catch {
      throw RescueError(error)
    }
    self.marks = marks
    let isFresh = marks.values.contains { (-Self.step...Self.step).contains(now - $0.modified) }
    isQuiet = input.isPrivate || !isFresh
    isSettled = isQuiet
    counters = try? main?.read(at: 24, count: 4)
  }

  /// Whether nobody has written to the files since; false also where that would not be seen.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be looked at.
  func lasts(in input: InputFiles, storage: any Storage) throws(RescueError) -> Bool {
    try looksSame(in: input, storage: storage) && isSettled
  }

  /// Whether the files look as they did: nobody has written to them since, unless it was in the same
  /// tick of the file system's clock.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be looked at.
  func looksSame(in input: InputFiles, storage: any Storage) throws(RescueError) -> Bool {
    try DatabaseState(of: input, storage: storage) == self
  }

  /// Whether the files are one state as they lie, and any write since would be seen.
  ///
  /// A transaction that does not fit into a cache is written to the file before it ends. Its journal
  /// takes that back; where that is in memory, only a lock tells.
  func isAtRest(in input: InputFiles, storage: any Storage) -> Bool {
    guard isQuiet, !input.isPrivate, let main = try? storage.place(of: input.main) else {
      return isQuiet
    }
    // Where there are no locks, nobody can tell.
    guard (try? storage.isWritten(main)) == true else { return true }
    guard let journal = try? storage.open(main.adding(suffix: "-journal"), .read) else {
      return false
    }
    return (try? RollbackJournal(journal, databasePageSize: nil)) != nil
  }

  static func == (left: Self, right: Self) -> Bool {
    left.marks == right.marks
      && (left.counters == nil || right.counters == nil || left.counters == right.counters)
  }

  /// How long a write may go unseen: file systems tell times in steps of some milliseconds.
  private static let step = 0.02
  /// How often is waited for a moment without a write.
  private static let waitsMax = 5

  /// The files at a moment from which on every write is seen, where there is such a moment.
  ///
  /// Without a log there always is: each commit counts the change counter on, and what is written
  /// before it has a journal. A log that began anew is written over, and looks the same.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be looked at.
  static func settled(
    of input: InputFiles, in world: World
  ) throws(RescueError) -> DatabaseState {
    for _ in 0..<waitsMax {
      let state = try DatabaseState(of: input, storage: world.storage)
      if state.isSettled { return state }
      world.pause(.milliseconds(20))
    }
    var state = try DatabaseState(of: input, storage: world.storage)
    if state.marks.keys.allSatisfy({ $0 == [] || $0 == Array("-journal".utf8) }) {
      state.isSettled = true
    }
    return state
  }
}

extension InputFiles {
  /// The same database with the journals that lie beside it now; one that was named stays.
  func lookedForAgain(in storage: any Storage) throws(RescueError) -> InputFiles {
    guard !isPrivate else { return self }
    func named(_ path: FilePath?, _ suffix: String) -> FilePath? {
      guard let path, path != main.adding(suffix: suffix) else { return nil }
      return path
    }
    let files = try InputFiles(
      main, wal: named(wal, "-wal"), journal: named(journal, "-journal"), storage: storage)
    return part.map { files.part($0) } ?? files
  }
}

extension RescueError {
  /// The error of a reading under which the files changed.
  static func changing(_ database: FilePath) -> RescueError {
    RescueError(
      .busy, "'\(database)' changes while it is read: another process is writing to it",
      meaning: "nothing can be said of a mixture of two states; nothing was changed",
      advice: "close what uses it and try again, or make a backup, which sees one state: "
        + "dbrescue backup FILE")
  }
}
