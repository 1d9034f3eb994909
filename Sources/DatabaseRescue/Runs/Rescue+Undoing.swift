// SPDX-License-Identifier: Apache-2.0
// Bringing back what an earlier run displaced.

package import Diagnosis
import SQLiteFormat

extension Rescue {
  func undo(
    _ code: SupportCode, of database: FilePath, wait: Duration, _ notes: inout RunNotes
  ) throws(RescueError) -> FilePath {
    notes.take(try finishPending(database))
    try world.requireNotHeldApart(database)
    let displaced = try displaced(by: code, of: database)
    let folder = try RescueFolder(of: database, storage: world.storage)
    let kept = displaced.appending(folder.database.name)
    let method = try method(ofReplacing: folder.database, by: kept, wait: wait)
    var run = PlanRun(
      [.buildFromQuarantine("\(code)"), method.step], in: world, on: folder,
      code: notes.publishCode(.succeeded), wait: wait)
    run.displaced = displaced
    try run.carryOut(&notes)
    return displaced
  }

  /// How a database is replaced by another file: from within, so that those who have it open see
  /// the new content, where SQLite can open both; else by moving files.
  private func method(
    ofReplacing database: FilePath, by other: FilePath, wait: Duration
  ) throws(RescueError) -> Replacement.Method {
    do {
      guard try world.storage.status(of: database) != nil else { return .move }
    } catch {
      throw RescueError(error)
    }
    let present = try world.examineInUse(database, nil, wait: wait).examination
    let wanted = try world.examine(InputFiles(other, storage: world.storage), nil).examination
    guard wanted.verdict == .healthy else { return .move }
    return Replacement.Method(
      replacing: present, in: try InputFiles(database, storage: world.storage),
      byPagesOf: wanted.survey.geometry?.geometry.pageSize ?? 0, storage: world.storage)
  }

  /// The folder of the files that a run displaced.
  ///
  /// - Throws: ``RescueError`` of the kind `.missing` when there are none.
  package func displaced(
    by code: SupportCode, of database: FilePath
  ) throws(RescueError) -> FilePath {
    let folder = try RescueFolder(of: database, storage: world.storage)
    let displaced = folder.quarantine(code)
    let kept = displaced.appending(folder.database.name)
    do {
      guard try world.storage.status(of: kept) != nil else {
        throw RescueError(
          .missing, "the run \(code) displaced no files of '\(database)'",
          advice: "look into '\(folder.path.appending("quarantine"))'")
      }
    } catch {
      throw RescueError(error, doing: "look at '\(kept)'")
    }
    return displaced
  }
}
