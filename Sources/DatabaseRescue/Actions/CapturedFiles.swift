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
  public init(
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

  private static func copy(
    _ held: OpenFile, _ log: OpenFile?, to copy: FilePath, _ world: World
  ) throws {
    let storage = world.storage
    let wal = copy.adding(suffix: "-wal")
    for _ in 0..<copiesMax {
      try world.requireGoingOn()
      let before = try Moment(held, log, storage)
      for path in [copy, wal] { try storage.remove(path) }
      try Self.copy(held.path, to: copy, storage)
      if let log { try Self.copy(log.path, to: wal, storage) }
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

  private static func copy(
    _ path: FilePath, to newPath: FilePath, _ storage: any Storage
  ) throws {
    let (source, file) = (try storage.open(path, .read), try storage.open(newPath, .createNew))
    var offset = 0
    while true {
      let bytes = try source.read(at: offset, count: 1 << 20)
      if bytes.isEmpty { return }
      try file.write(bytes, at: offset)
      offset += bytes.count
    }
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
