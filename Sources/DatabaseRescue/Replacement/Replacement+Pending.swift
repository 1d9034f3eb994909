// SPDX-License-Identifier: Apache-2.0
// What an earlier run began: whoever comes next finishes or undoes it.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Replacement {
  /// Finishes or undoes a replacement that an earlier run began, and removes what runs have left
  /// that were killed before they began one; doing so twice changes nothing.
  ///
  /// - Returns: The code of that run; nil when there was none.
  /// - Throws: ``RescueError`` when the plan cannot be read or carried out.
  @discardableResult
  package static func finishPending(
    _ folder: RescueFolder, world: World
  ) throws(RescueError) -> String? {
    let storage = world.storage
    do {
      guard try storage.status(of: folder.path)?.kind == .folder else { return nil }
      guard let lock = try storage.lockFolder(folder.path) else {
        if try storage.status(of: folder.plan) == nil { return nil }
        throw folder.isBusy
      }
      return try withExtendedLifetime(lock) {
        let code = try finish(folder, world)
        folder.sweep(world)
        return code
      }
    } catch {
      guard ((try? storage.status(of: folder.plan)) ?? nil) != nil else {
        throw RescueError(
          error, doing: "look for what an earlier run began on '\(folder.database)'",
          meaning: "nothing was changed")
      }
      throw RescueError(
        error, doing: "finish what an earlier run began on '\(folder.database)'",
        meaning: "an earlier replacement is not finished; its files are in '\(folder.path)'")
    }
  }

  private static func finish(_ folder: RescueFolder, _ world: World) throws -> String? {
    let storage = world.storage
    guard try storage.status(of: folder.plan) != nil else { return nil }
    let file = try storage.open(folder.plan, .read)
    let bytes = try file.read(at: 0, count: min(file.byteCount, 1 << 16))
    if case .integer(let schema) = JSON(reading: bytes)?["schema"], schema > WrittenPlan.schema {
      throw RescueError.newer(
        folder.plan,
        meaning: "an earlier replacement is not finished; its files are in '\(folder.path)'")
    }
    guard let plan = try? JSONDecoder().decode(WrittenPlan.self, from: Data(bytes)),
      SupportCode(plan.code) != nil
    else {
      throw RescueError(
        .invalidInput, "the plan '\(folder.plan)' cannot be read",
        meaning: "an earlier replacement is not finished; its files are in '\(folder.path)'",
        advice: "keep that folder, and ask for help with the support code of that run")
    }
    try folder.requireNoLinks(storage)
    guard try folder.isOurs(plan.code, world) else {
      throw RescueError(
        .invalidInput, "the plan '\(folder.plan)' was not written here: it came with the database",
        meaning: "a replacement was interrupted elsewhere, and the old files may be in "
          + "'\(folder.quarantines.appending(FilePath(plan.code)))'; nothing was changed",
        advice: "move '\(folder.path)' to another folder, and diagnose what is in it")
    }
    switch plan.method {
    // SQLite's own journal makes the database all old or all new.
    case .transaction: try folder.clear(plan.code, storage)
    case .move:
      let exists = try storage.status(of: folder.database) != nil
      let lock = exists ? try folder.lockDatabase(world) : nil
      try withExtendedLifetime(lock) {
        try Displacement(folder, plan.code, storage).resume()
      }
    }
    return plan.code
  }
}

extension RescueError {
  /// The error of a file that a later version has written, in a layout that this one does not know.
  static func newer(_ path: FilePath, meaning: String) -> RescueError {
    RescueError(
      .invalidInput, "'\(path)' was written by a later version of dbrescue", meaning: meaning,
      advice: "run the command again with that version")
  }
}

extension SupportCode {
  /// A code from its own text; nil when it is none.
  fileprivate init?(_ text: String) {
    guard let code = try? SupportCode(parsing: text), code.description == text else { return nil }
    self = code
  }
}
