// SPDX-License-Identifier: Apache-2.0
// The files of a database as a process has them open: also those that have no name any more.

import Diagnosis
import SQLiteFormat

extension InputFiles {
  /// How often files are copied that a process writes to meanwhile.
  private static let copiesMax = 20

  /// Copies the files of a database that a process has open to private ones, which go with this
  /// value.
  ///
  /// They are copied until the log has the same last commit before and after: then its frames, over
  /// what a checkpoint may have written meanwhile, are one state. No file of the database is made
  /// or changed.
  ///
  /// - Throws: ``RescueError`` of the kind `.missing` when the process has no such file open, and
  ///   `.busy` when it never rests.
  package init(
    of database: FilePath, asHeldBy process: Int32, world: World
  ) throws(RescueError) {
    let storage = world.storage
    let folder = HeldFolder(try PrivateFolder(world: world))
    let copy = folder.folder.file(database.name)
    do {
      let main = try storage.place(of: database)
      let set = HeldSet(main, storage: storage)
      let files = storage.openFiles(ofUsersOf: main)?.files.filter { $0.process == process } ?? []
      let databases = set.databases(in: files)
      let log = set.log(in: files)
      // A database that was deleted has its last state where it is still open.
      guard
        let held = databases.first(where: { $0.status.linkCount == 0 }) ?? databases.first
      else {
        throw RescueError(
          .missing, "process \(process) does not have '\(database)' open, as far as can be seen",
          meaning: "nothing was read",
          advice: "ask for the process again: dbrescue diagnose \(database.shellQuoted)")
      }
      try Self.copy(held, log, to: copy, world)
      try self.init(copy, storage: storage)
      hold(folder)
    } catch {
      throw RescueError(
        error, doing: "read the files of process \(process)", meaning: "nothing was changed")
    }
  }

  /// Copies the files of a database as they are at one moment to private ones, which go with this
  /// value.
  ///
  /// A log is copied after the database: as long as it does not begin anew meanwhile, it holds every
  /// page that a checkpoint may have written. A copy with a frame that was written by half is made
  /// again, until nobody writes. Without a log the lock of a reader keeps writers waiting; where it
  /// cannot be had, nobody may have written at all.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when they never rest.
  init(momentOf input: InputFiles, world: World) throws(RescueError) {
    let storage = world.storage
    let folder = HeldFolder(try PrivateFolder(world: world))
    let copy = folder.folder.file(input.main.name)
    do {
      for round in 1...Self.copiesMax {
        try world.requireGoingOn()
        if try Self.copyUnderLock(input, to: copy, tries: round == 1 ? Self.lockingsMax : 1, world)
        {
          try self.init(copy, storage: storage)
          hold(folder)
          if let part = input.part { self = self.part(part) }
          return
        }
        let before = try DatabaseState.settled(of: input, in: world)
        // A journal may have come since the files were looked for.
        let input = try input.lookedForAgain(in: storage)
        let logHeader = input.journal == nil ? try LogHeader(at: input.wal, storage) : nil
        let isAtRest = before.isAtRest(in: input, storage: storage)
        guard isAtRest || logHeader != nil else { continue }
        try Self.copy(input, to: copy, world)
        let isSame = try isAtRest && before.lasts(in: input, storage: storage)
        let goesOn = try logHeader != nil && logHeader == LogHeader(at: input.wal, storage)
        guard isSame || goesOn else { continue }
        let isTorn = !isSame && Self.isTorn(copy.adding(suffix: "-wal"), storage)
        guard !isTorn || round == Self.copiesMax else { continue }
        try self.init(copy, storage: storage)
        hold(folder)
        if let part = input.part { self = self.part(part) }
        return
      }
    } catch {
      throw RescueError(error, doing: "copy '\(input.main)'", meaning: "nothing was changed")
    }
    throw RescueError.changing(input.main)
  }

  /// Copies a database in a rollback mode while writers wait; false where that is not possible.
  private static func copyUnderLock(
    _ input: InputFiles, to copy: FilePath, tries: Int, _ world: World
  ) throws -> Bool {
    let storage = world.storage
    let main = try storage.place(of: input.main)
    guard try !isWAL(main, storage) else { return false }
    for _ in 0..<tries {
      try world.requireGoingOn()
      // Where there are no locks, only time tells.
      guard let lock = try? storage.shareDatabase(main) else { return false }
      switch lock {
      case .own: return false
      case .busy: world.pause(.milliseconds(1))
      case .held(let lock):
        // To open and close the file gives the lock back, and so it is copied at once.
        let input = try input.lookedForAgain(in: storage)
        guard input.wal == nil else { return false }
        try withExtendedLifetime(lock) { try Self.copy(input, to: copy, world) }
        return try !isWAL(copy, storage)
      }
    }
    return false
  }

  /// How often a writer is waited for.
  private static let lockingsMax = 1000

  private static func isWAL(_ path: FilePath, _ storage: any Storage) throws -> Bool {
    let file = try storage.open(path, .read)
    return DatabaseHeader(try file.read(at: 0, count: DatabaseHeader.byteCount))?.isWAL == true
  }

  /// Copies the files that are there, the log last.
  private static func copy(_ input: InputFiles, to copy: FilePath, _ world: World) throws {
    let storage = world.storage
    let files: [(path: FilePath?, suffix: String)] = [
      (input.journal, "-journal"), (input.main, ""), (input.wal, "-wal"),
    ]
    for file in files { try storage.remove(copy.adding(suffix: file.suffix)) }
    let byteCount = try files.reduce(0) { count, file in
      try count + (file.path.flatMap { try storage.status(of: $0) }?.byteCount ?? 0)
    }
    let free = try storage.freeBytes(at: copy.folder)
    guard byteCount + reserve <= free else {
      throw RescueError(
        .cannotWrite,
        "a private copy of '\(input.main)' needs \(byteCount + reserve) bytes, and \(free) are free",
        meaning: "nothing was changed",
        advice: "free some space, or set TMPDIR to a folder on a disk with enough")
    }
    for file in files {
      let newPath = copy.adding(suffix: file.suffix)
      do {
        if let path = file.path { try storage.copy(storage.open(path, .read), to: newPath) }
      } catch let error as StorageError where error.cause == .missing && file.suffix != "" {
        continue  // It was deleted just now, as the next look shows.
      }
    }
  }

  /// Whether a log has frames behind one whose checksum does not hold.
  private static func isTorn(_ path: FilePath, _ storage: any Storage) -> Bool {
    guard let log = try? WriteAheadLog(storage.open(path, .read)) else { return false }
    return !log.unverified.isEmpty
  }

  /// What is left free on the disk of a copy.
  private static let reserve = 1 << 24

  /// The header of a log: it gets another one when it begins anew.
  private struct LogHeader: Equatable {
    let bytes: Bytes

    init?(at path: FilePath?, _ storage: any Storage) throws {
      guard let path, let file = try? storage.open(path, .read) else { return nil }
      let header = try file.read(at: 0, count: WriteAheadLog.headerSize)
      guard header.count == WriteAheadLog.headerSize else { return nil }
      bytes = header
    }
  }

  private static func copy(
    _ held: OpenFile, _ log: OpenFile?, to copy: FilePath, _ world: World
  ) throws {
    let storage = world.storage
    let wal = copy.adding(suffix: "-wal")
    for _ in 0..<copiesMax {
      try world.requireGoingOn()
      let before = try Moment(held, log, storage)
      for path in [copy, wal] { try storage.remove(path) }
      try storage.copy(storage.open(held.path, .read), to: copy)
      if let log { try storage.copy(storage.open(log.path, .read), to: wal) }
      let after = try Moment(held, log, storage)
      if before == after, try log == nil || after.lastCommit == LastCommit(at: wal, storage) {
        return
      }
      world.pause(.milliseconds(20))
    }
    throw RescueError(
      .busy, "process \(held.process) writes to its files all the time",
      meaning: "no state of them could be copied as a whole; nothing was changed",
      advice: "try again when it writes less")
  }

  /// The files of a process at one moment.
  private struct Moment: Equatable {
    let lastCommit: LastCommit?
    /// Without a log, whether somebody has written is told by the file itself.
    let main: FileStatus?

    init(_ held: OpenFile, _ log: OpenFile?, _ storage: any Storage) throws {
      lastCommit = try log.flatMap { try LastCommit(at: $0.path, storage) }
      main = try log == nil ? storage.status(of: held.path) : nil
    }
  }

  /// The last commit of a log: by its generation, its place, and the checksum of all before it.
  private struct LastCommit: Equatable {
    let salts: [UInt32]
    let index: Int
    let checksum: Bytes

    init?(at path: FilePath, _ storage: any Storage) throws {
      let file = try storage.open(path, .read)
      guard let log = try? WriteAheadLog(file), let last = log.committed.last else { return nil }
      salts = log.salts
      index = last.index
      checksum = try file.read(at: last.offset - 8, count: 8)
    }
  }
}
