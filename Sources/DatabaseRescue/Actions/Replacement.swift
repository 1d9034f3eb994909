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
  }

  /// What is on disk before the first change.
  struct Plan: Codable, Sendable {
    /// The layout of this document.
    var schema = 1
    /// The code of the run.
    let code: String
    /// How the new content gets in.
    let method: Method
  }

  /// The files of a database that move together.
  private static let suffixes = ["", "-wal", "-shm", "-journal"]

  private let world: World
  private let folder: RescueFolder
  /// The code of the run.
  package let code: SupportCode

  /// Prepares the replacement of a database in a run.
  package init(of folder: RescueFolder, code: SupportCode, world: World) {
    self.folder = folder
    self.code = code
    self.world = world
  }

  /// Where the new file is to be built: beside the old one.
  package var newFile: FilePath { Self.newFile(folder, code.description) }

  private static func newFile(_ folder: RescueFolder, _ code: String) -> FilePath {
    folder.path.appending(FilePath(".\(code).new"))
  }

  /// Makes the folder that the new file is built in.
  ///
  /// - Throws: ``RescueError`` when it cannot be made.
  package func prepare() throws(RescueError) {
    do {
      try world.storage.createFolder(folder.path)
      guard try world.storage.status(of: folder.quarantine(code)) == nil else {
        throw RescueError(
          .busy, "the folder '\(folder.quarantine(code))' is taken", advice: "run the command again"
        )
      }
    } catch {
      throw RescueError(error, doing: "prepare '\(folder.path)'", meaning: "nothing was changed")
    }
  }

  /// Puts the new file in place; the old files are in quarantine afterwards.
  ///
  /// - Throws: ``RescueError``; the old database is then in place, or a plan is on disk that
  ///   ``finishPending(_:world:)`` carries to its end.
  package func install(_ method: Method, wait: Duration) throws(RescueError) {
    switch method {
    case .transaction: try installThroughSQLite(wait)
    case .move: try installByMoving()
    }
  }

  /// Puts files back that an earlier run displaced; the present ones are displaced instead.
  ///
  /// - Throws: ``RescueError`` as ``install(_:wait:)``.
  package func install(
    displacedBy quarantine: FilePath, _ method: Method, wait: Duration
  ) throws(RescueError) {
    let input = try InputFiles(
      quarantine.appending(folder.database.name), storage: world.storage)
    // One file stands for the whole set: its journals are part of the image.
    let survey = Survey(try input.open(in: world), parser: SandboxParser())
    do {
      if let image = survey.image {
        try image.write(to: newFile, storage: world.storage)
      } else {
        try copy(input.main, to: newFile)
      }
      try install(method, wait: wait)
    } catch {
      discardNewFile()
      throw RescueError(error, doing: "bring back '\(quarantine)'", meaning: "nothing was changed")
    }
  }

  private func copy(_ path: FilePath, to copy: FilePath) throws {
    let source = try world.storage.open(path, .read)
    let file = try world.storage.open(copy, .createNew)
    var offset = 0
    while offset < source.byteCount {
      let bytes = try source.read(at: offset, count: 1 << 20)
      if bytes.isEmpty { break }
      try file.write(bytes, at: offset)
      offset += bytes.count
    }
  }

  /// Removes the new file where a run failed before it was put in place.
  package func discardNewFile() {
    guard ((try? world.storage.status(of: folder.plan)) ?? nil) == nil else { return }
    try? world.storage.remove(newFile)
  }

  private func installThroughSQLite(_ wait: Duration) throws(RescueError) {
    let quarantine = folder.quarantine(code)
    let kept = quarantine.appending(folder.database.name)
    try write(Plan(code: code.description, method: .transaction))
    do {
      try world.storage.createFolder(quarantine)
      try OnlineBackup.image(of: folder.database, into: kept, wait: wait)
      try world.storage.open(kept, .readWrite).synchronize()
      try world.storage.synchronizeFolder(quarantine)
      try OnlineBackup.copy(from: newFile, into: folder.database, wait: wait)
    } catch {
      // Nothing has changed: SQLite's transaction did not happen. The copy is of no use then.
      try? world.storage.remove(kept)
      try? world.storage.removeFolder(quarantine)
      try? Self.clear(folder, code.description, world)
      throw RescueError(
        error, doing: "replace '\(folder.database)'", meaning: "the database is unchanged")
    }
    do { try Self.clear(folder, code.description, world) } catch { throw RescueError(error) }
  }

  private func installByMoving() throws(RescueError) {
    do {
      let exists = try world.storage.status(of: folder.database) != nil
      if exists, try world.storage.isLocked(folder.database) {
        throw RescueError(
          .busy, "another process has '\(folder.database)' open",
          meaning: "nothing was changed", advice: "close the app that uses it, then try again")
      }
      if exists { try world.storage.copyAttributes(from: folder.database, to: newFile) }
      try world.storage.open(newFile, .readWrite).synchronize()
      try write(Plan(code: code.description, method: .move))
      try Self.carryOut(folder, code.description, world)
    } catch {
      throw RescueError(
        error, doing: "replace '\(folder.database)'",
        meaning: "the replacement is not finished; the next command finishes or undoes it")
    }
  }

  private func write(_ plan: Plan) throws(RescueError) {
    let partial = folder.plan.adding(suffix: ".partial")
    do {
      try world.storage.remove(partial)
      let file = try world.storage.open(partial, .createNew)
      try file.write(Bytes(JSONEncoder().encode(plan)), at: 0)
      try file.synchronize()
      try world.storage.rename(partial, to: folder.plan)
      try world.storage.synchronizeFolder(folder.path)
    } catch {
      throw RescueError(error, doing: "write the plan", meaning: "nothing was changed")
    }
  }

  /// The moves of a plan: each is done once, however often this runs.
  private static func carryOut(
    _ folder: RescueFolder, _ code: String, _ world: World
  ) throws(StorageError) {
    let storage = world.storage
    let quarantine = folder.path.appending("quarantine").appending(FilePath(code))
    let new = newFile(folder, code)
    if try storage.status(of: new) != nil {
      try storage.createFolder(quarantine)
      for suffix in suffixes {
        let old = folder.database.adding(suffix: suffix)
        let kept = quarantine.appending(old.name)
        if try storage.status(of: old) != nil, try storage.status(of: kept) == nil {
          try storage.renameWithoutReplacing(old, to: kept)
        }
      }
      try storage.synchronizeFolder(quarantine)
      try storage.synchronizeFolder(folder.database.folder)
      try storage.renameWithoutReplacing(new, to: folder.database)
    } else if try storage.status(of: folder.database) == nil {
      // The new file is gone and the old ones are displaced: they come back.
      for suffix in suffixes {
        let old = folder.database.adding(suffix: suffix)
        let kept = quarantine.appending(old.name)
        if try storage.status(of: kept) != nil {
          try storage.renameWithoutReplacing(kept, to: old)
        }
      }
    }
    try storage.synchronizeFolder(folder.database.folder)
    try clear(folder, code, world)
  }

  private static func clear(
    _ folder: RescueFolder, _ code: String, _ world: World
  ) throws(StorageError) {
    try world.storage.remove(newFile(folder, code))
    try world.storage.remove(folder.plan)
    try world.storage.synchronizeFolder(folder.path)
  }

  /// Finishes or undoes a replacement that an earlier run began; doing so twice changes nothing.
  ///
  /// - Returns: The code of that run; nil when there was none.
  /// - Throws: ``RescueError`` when the plan cannot be read or carried out.
  @discardableResult
  package static func finishPending(
    _ folder: RescueFolder, world: World
  ) throws(RescueError) -> String? {
    do {
      guard try world.storage.status(of: folder.plan) != nil else { return nil }
      let file = try world.storage.open(folder.plan, .read)
      let bytes = try file.read(at: 0, count: min(file.byteCount, 1 << 16))
      let plan = try JSONDecoder().decode(Plan.self, from: Data(bytes))
      guard SupportCode(plan.code) != nil else {
        throw RescueError(.invalidInput, "the plan '\(folder.plan)' names no support code")
      }
      switch plan.method {
      // SQLite's own journal has made the database all old or all new.
      case .transaction: try clear(folder, plan.code, world)
      case .move: try carryOut(folder, plan.code, world)
      }
      return plan.code
    } catch let error as StorageError {
      throw RescueError(error, meaning: "an earlier replacement is not finished yet")
    } catch let error as RescueError {
      throw error
    } catch {
      throw RescueError(
        .invalidInput, "the plan '\(folder.plan)' cannot be read",
        meaning: "an earlier replacement is not finished; its files are in '\(folder.path)'",
        advice: "keep that folder, and ask for help with the support code of that run")
    }
  }
}

extension SupportCode {
  /// A code from its own text; nil when it is none.
  fileprivate init?(_ text: String) {
    guard let code = try? SupportCode(parsing: text), code.description == text else { return nil }
    self = code
  }
}
