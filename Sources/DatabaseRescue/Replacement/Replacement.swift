// SPDX-License-Identifier: Apache-2.0
// Putting a new database in the place of a live one, so that a kill at any moment leaves the old
// one or the new one, complete, and the old one is kept in any case.
//
// A sound database is replaced from within, through SQLite's backup API, as one transaction:
// whoever has it open sees the new content. A damaged one is evidence: its files move to
// quarantine together, by a plan that is on disk before the first move, and the new file takes
// their place. Whoever comes next finishes or undoes a plan that was begun.

package import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The replacement of a live database by a new file that was built and verified beside it.
package struct Replacement: Sendable {
  /// How the new content gets in.
  package enum Method: String, Sendable, Codable {
    /// Through SQLite, as one transaction.
    case transaction
    /// By moving files.
    case move

    /// The step of a plan that does so.
    var step: Plan.Step { self == .transaction ? .replaceContent : .replaceFiles }

    /// How many bytes have to be free for so many new ones in the place of so many old ones.
    func room(for new: Int, over old: Int) -> Int {
      // From within, the old content is kept as a copy, and one of the two goes through a journal.
      new + (self == .transaction ? old + max(old, new) : 0) + (1 << 20)
    }
  }

  /// The plan, which is on disk before the first change.
  struct WrittenPlan: Codable, Sendable {
    /// The layout of this document that is written.
    static let schema = 1

    /// The layout of this document.
    private(set) var schema = Self.schema
    /// The code of the run.
    let code: String
    /// How the new content gets in.
    let method: Method
  }

  let world: World
  let folder: RescueFolder
  private let method: Method
  /// The code of the run.
  package let code: SupportCode
  /// Keeps other runs from the rescue folder.
  private let lock: HeldLock
  /// The file that is replaced: its device and inode; nil when there is none.
  let old: [UInt64]?
  /// Whether the new database begins empty: then no row of it is one of the old ones.
  var beginsEmpty = false

  /// Begins a replacement: nothing of the database is changed yet, and no other run can begin one.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when another run is at work, and `.cannotWrite`
  ///   when so many bytes of a new file, and what is kept of the old ones, do not fit.
  package init(
    of folder: RescueFolder, code: SupportCode, by method: Method, newByteCount: Int, world: World
  ) throws(RescueError) {
    self.folder = folder
    self.code = code
    self.method = method
    self.world = world
    do {
      let database = try world.storage.status(of: folder.database)
      old = database?.identity
      // What a migration that was cut off has been kept from using.
      folder.giveReserveBack(world.storage)
      if method == .move, let database { try Self.requireOneName(database, folder.database) }
      try Self.requireSpace(newByteCount, database?.byteCount ?? 0, method, folder, world)
      try folder.requireNoLinks(world.storage)
      try world.storage.createFolder(folder.path)
      guard let lock = try world.storage.lockFolder(folder.path) else { throw folder.isBusy }
      self.lock = lock
      guard try world.storage.status(of: folder.quarantine(code)) == nil else {
        throw RescueError(
          .busy, "the folder '\(folder.quarantine(code))' is taken", meaning: "nothing was changed",
          advice: "run the command again")
      }
      try folder.claim(code, world)
    } catch {
      throw RescueError(error, doing: "prepare '\(folder.path)'", meaning: "nothing was changed")
    }
  }

  /// Refuses a file that has other names: they would go on leading to the old one.
  private static func requireOneName(
    _ status: FileStatus, _ database: FilePath
  ) throws(RescueError) {
    guard status.linkCount > 1 else { return }
    let others = status.linkCount - 1
    throw RescueError(
      .cannotWrite,
      "'\(database)' has \(others) other name\(others == 1 ? "" : "s"), as a hard link",
      meaning: "a new file would have only this one, and the others would go on leading to the "
        + "damaged one; nothing was changed",
      advice: "build a new database beside it, and decide about each name: "
        + "dbrescue salvage FILE --output NEW")
  }

  /// Requires that a backup of a database has room to be put back, whatever a migration leaves.
  ///
  /// - Throws: ``RescueError`` of the kind `.cannotWrite`.
  static func requireRoom(
    toPutBack backup: Backup, in folder: RescueFolder, _ world: World
  ) throws(RescueError) {
    let byteCount = backup.manifest?.image.byteCount ?? 0
    do {
      try requireSpace(byteCount, byteCount, .transaction, folder, world)
    } catch let error as RescueError where error.kind == .cannotWrite {
      throw RescueError(
        .cannotWrite, "to put the backup back: \(error.message)",
        meaning: "the migration was not started", advice: "free some space, then try again")
    } catch {
      throw RescueError(
        error, doing: "see whether the backup could be put back",
        meaning: "the migration was not started")
    }
  }

  /// How many bytes a migration must leave for a backup to be put back, by moving files where there
  /// are no more.
  static func reserve(for backup: Backup) -> Int {
    // What is written meanwhile, such as a line of the log, has its room too.
    Method.move.room(for: backup.manifest?.image.byteCount ?? 0, over: 0) + (1 << 20)
  }

  private static func requireSpace(
    _ new: Int, _ old: Int, _ method: Method, _ folder: RescueFolder, _ world: World
  ) throws {
    let needed = method.room(for: new, over: old)
    let free = try world.storage.freeBytes(at: folder.database.folder)
    guard needed <= free else {
      throw RescueError(
        .cannotWrite,
        "replacing '\(folder.database)' may need \(needed) bytes, and \(free) are free",
        meaning: "nothing was changed",
        advice:
          "free some space, or have the new database written elsewhere: restore and salvage take "
          + "--output NEW")
    }
  }

  /// Where the new file is to be built: beside the old one.
  package var newFile: FilePath { folder.newFile(code.description) }

  /// Puts the new file in place, of a state of the database where one is given, and of no other; the
  /// old files are in quarantine afterwards.
  ///
  /// `last` is called when nobody can write to the old database any more, and nothing has been
  /// changed yet: with a path where its rows can still be read, if SQLite can read it. After it,
  /// nothing stops the replacement. Where it matters whether the database is in WAL mode afterwards,
  /// it is brought back to its mode, unless another process has it open.
  ///
  /// - Throws: ``RescueError`` with what has become of the database; the old one is then in place,
  ///   or a plan is on disk that ``finishPending(_:world:)`` carries to its end. It is of the kind
  ///   `.busy` when somebody has written to that state since: ``RescueError/isOverdue``.
  func install(
    over state: DatabaseState?, asWAL isWAL: Bool?, wait: Duration,
    last: (FilePath?) throws(RescueError) -> Void
  ) throws(RescueError) {
    switch method {
    case .transaction: try installThroughSQLite(over: state, asWAL: isWAL, wait, last)
    case .move: try installByMoving(over: state, last)
    }
  }

  /// The state of the database under the lock; it is to be kept as long as the lock.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when it is not the one that the plan is for.
  func require(_ state: DatabaseState?) throws(RescueError) -> DatabaseState? {
    guard let state else { return nil }
    let input = try InputFiles(folder.database, storage: world.storage)
    let present = try DatabaseState(of: input, storage: world.storage)
    guard present == state else {
      var error = RescueError(
        .busy, "another process has written to '\(folder.database)' since it was looked at",
        meaning: Change.nothing.meaning, advice: "close what uses it, or try again")
      error.isOverdue = true
      throw error
    }
    return present
  }

  /// Builds the new file from files that an earlier run displaced.
  func build(displacedBy quarantine: FilePath) throws(RescueError) {
    let input = try InputFiles(
      quarantine.appending(folder.database.name), storage: world.storage)
    do {
      // One file stands for the whole set: its journals are part of the image.
      if input.all.count > 1,
        let image = try world.survey(input.open(in: world)).image
      {
        try image.write(to: newFile, storage: world.storage)
        // What cannot be read is not as it was.
        try image.files.failures.requireNone()
      } else {
        try copy(world.storage.open(input.main, .read), to: newFile)
      }
      try world.storage.open(newFile, .readWrite).synchronize()
    } catch {
      throw RescueError(error, doing: "bring back '\(quarantine)'", meaning: "nothing was changed")
    }
  }

  /// Removes what a run has made that failed before its new file was put in place.
  package func discard() {
    // The error that led here is the one to report, and a plan is more than litter.
    guard ((try? world.storage.status(of: folder.plan)) ?? nil) == nil else { return }
    folder.sweep(world)
  }

  /// Writes all of a file to a new one, durably.
  func copy(_ source: any StoredFile, to copy: FilePath) throws {
    try world.storage.copy(source, to: copy) { try world.requireGoingOn() }.synchronize()
  }

  /// Notes what the files of the database in a folder are, where they are kept.
  ///
  /// - Returns: What keeps them open.
  func noteDisplaced(in folder: FilePath) throws -> DisplacedFiles {
    let displaced = try DisplacedFiles(
      of: self.folder.database.name, in: folder, beganEmpty: beginsEmpty, world)
    try world.storage.createFolder(self.folder.quarantine(code))
    try displaced.write(to: self.folder.quarantine(code), world.storage)
    return displaced
  }

  /// Writes the plan, durably; what the folder holds is durable then, too.
  func writePlan() throws {
    let partial = folder.partialPlan(code.description)
    let file = try world.storage.open(partial, .createNew)
    let plan = WrittenPlan(code: code.description, method: method)
    try file.write(Bytes(JSONEncoder().encode(plan)), at: 0)
    try file.synchronize()
    try world.storage.rename(partial, to: folder.plan)
    do { try world.storage.synchronizeFolder(folder.path) } catch {
      // Nothing was begun by this plan.
      try? world.storage.remove(folder.plan)
      throw error
    }
  }

  func clear() throws(StorageError) {
    try folder.clear(code.description, world.storage)
  }
}
