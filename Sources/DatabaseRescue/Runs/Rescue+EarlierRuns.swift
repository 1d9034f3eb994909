// SPDX-License-Identifier: Apache-2.0
// What earlier runs have begun on a database, and whether it is there.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Run {
  /// Finishes what an earlier run began on a database.
  mutating func finishPending(_ database: FilePath) throws(RescueError) {
    let start = world.now()
    PrivateFolder.sweep(PrivateFolder.place(in: world), world.storage)
    let folder = try RescueFolder(of: database, storage: world.storage)
    try world.requireGoingOn()
    let code = try Replacement.finishPending(folder, world: world)
    _ = try rescue.settleCutOffMigration(of: folder)
    guard code != nil else { return }
    notes.note(
      Change(.something, "the replacement that an earlier run had begun was finished or undone"))
    notes.note(
      RunRecord.Step(
        name: "finish-earlier-replacement", outcome: "done",
        seconds: world.now().timeIntervalSince(start)))
  }
}

extension Rescue {
  /// Whether there is a database in its place, or one on its way to it.
  package func exists(_ database: FilePath) throws(RescueError) -> Bool {
    let folder = try RescueFolder(of: database, storage: world.storage)
    do throws(StorageError) {
      if try world.storage.status(of: folder.database) != nil { return true }
    } catch {
      throw RescueError(error)
    }
    return try isReplacing(database)
  }

  /// Whether a replacement has begun that is not finished.
  package func isReplacing(_ database: FilePath) throws(RescueError) -> Bool {
    let folder = try RescueFolder(of: database, storage: world.storage)
    do throws(StorageError) {
      return try world.storage.status(of: folder.plan) != nil
    } catch {
      throw RescueError(error)
    }
  }
}

extension Rescue {
  /// The migration on a database that was begun under guard and was cut off, where it may have
  /// changed something; nil when there is none.
  package func cutOffMigration(of database: FilePath) -> CutOffMigration? {
    anyCutOffMigration(of: database).flatMap { $0.hasChangedNothing ? nil : $0.migration }
  }

  /// What is to be said of a migration on a database that was cut off before it had changed anything;
  /// nil when there is none.
  ///
  /// The next run that changes something forgets it.
  package func undoneMigration(of database: FilePath) -> String? {
    anyCutOffMigration(of: database).flatMap {
      $0.hasChangedNothing ? $0.migration.undoneMessage : nil
    }
  }

  private func anyCutOffMigration(
    of database: FilePath
  ) -> (migration: CutOffMigration, hasChangedNothing: Bool)? {
    guard let folder = try? RescueFolder(of: database, storage: world.storage),
      let migration = (try? world.guardedMigration(of: folder))?.cutOff
    else { return nil }
    let survey = try? world.survey(
      InputFiles(folder.database, storage: world.storage).open(in: world))
    return (migration, survey.map(migration.hasChangedNothing) ?? false)
  }

  /// What is to be said of a link in the place of a database that has backups beside it.
  ///
  /// Whatever is done by its name is done to another file. Nil where there is no such link.
  package func supplanted(at path: FilePath) -> String? {
    do {
      let folder = try world.storage.openFolder(path.folder)
      guard try folder.status(of: path.name)?.kind == .link,
        try folder.status(of: path.adding(suffix: ".rescue").name)?.kind == .folder,
        !(try world.storage.names(in: Vault.defaultFolder(of: path))).isEmpty
      else { return nil }
      let target = try world.storage.place(of: path)
      guard target != path else { return nil }
      return "'\(path.name)' is a link, which leads to '\(target)': this is about that file; the "
        + "backups beside the link are of a database that was in its place; to go back to it: "
        + "\(path.movingAway) && dbrescue restore \(path.shellQuoted)"
    } catch {
      return nil
    }
  }

  /// Forgets a migration that was cut off before it had changed anything.
  ///
  /// - Returns: The one that may have changed something.
  func settleCutOffMigration(of folder: RescueFolder) throws(RescueError) -> CutOffMigration? {
    do throws(StorageError) {
      guard try world.guardedMigration(of: folder).cutOff != nil else { return nil }
      if let migration = cutOffMigration(of: folder.database) { return migration }
      try folder.removeGuardRecord(world.storage)
      return nil
    } catch {
      throw RescueError(error)
    }
  }
}
