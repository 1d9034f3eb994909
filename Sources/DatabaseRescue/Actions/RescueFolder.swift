// SPDX-License-Identifier: Apache-2.0
// The folder beside a database that holds what this library keeps of it.
//
// app.db.rescue/backups/             backups
// app.db.rescue/quarantine/CODE/     displaced files, by the code of the run that displaced them
// app.db.rescue/plan.json            a replacement that has begun and is not finished

public import Diagnosis

/// The folder beside a database that holds its backups and its displaced files.
public struct RescueFolder: Hashable, Sendable {
  /// The database, with links followed.
  public let database: FilePath

  /// The folder of a database.
  ///
  /// - Throws: ``RescueError`` when the path's links cannot be followed.
  public init(of database: FilePath, storage: any Storage) throws(RescueError) {
    do {
      self.database =
        try storage.status(of: database) == nil ? database : storage.resolve(database)
    } catch {
      throw RescueError(error)
    }
  }

  /// The folder itself.
  public var path: FilePath { database.adding(suffix: ".rescue") }
  /// Where backups go unless told otherwise.
  public var backups: FilePath { Vault.defaultFolder(of: database) }
  /// The plan of an unfinished replacement.
  var plan: FilePath { path.appending("plan.json") }

  /// Where a run's displaced files are kept.
  public func quarantine(_ code: SupportCode) -> FilePath {
    path.appending("quarantine").appending(FilePath(code.description))
  }
}
