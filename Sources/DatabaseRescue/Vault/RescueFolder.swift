// SPDX-License-Identifier: Apache-2.0
// The folder beside a database that holds what this library keeps of it.
//
// app.db.rescue/backups/             backups
// app.db.rescue/quarantine/CODE/     displaced files, by the code of the run that displaced them
// app.db.rescue/plan.json            a replacement that has begun and is not finished
// app.db.rescue/guard.json           a migration under guard that has begun and has no end yet; it
//                                    keeps room on the disk for what was before
// app.db.rescue/.CODE.claim          the proof that a run with this code was here
// app.db.rescue/.CODE.…              the new file of that run, and what it is built from
//
// A run that is going to replace the database holds the lock of the folder. What neither a claim nor
// our log proves to be ours came with the database, as in an archive that was unpacked: it is
// evidence and stays.

package import Diagnosis
import SQLiteFormat

/// The folder beside a database that holds its backups and its displaced files.
package struct RescueFolder: Hashable, Sendable {
  /// How the name of a file ends that is not complete yet.
  static let partialSuffix = ".partial"

  /// The database, with links followed.
  package let database: FilePath

  /// The folder of a database, which may be missing.
  ///
  /// - Throws: ``RescueError`` when the path's links cannot be followed.
  package init(of database: FilePath, storage: any Storage) throws(RescueError) {
    do {
      self.database = try storage.place(of: database)
    } catch  where error.cause == .missing {
      self.database = database
    } catch {
      throw RescueError(error)
    }
  }

  /// The folder of a database that no link leads to.
  init(ofPlace database: FilePath) { self.database = database }

  /// The folder itself.
  package var path: FilePath { database.adding(suffix: ".rescue") }
  /// Where backups go unless told otherwise.
  package var backups: FilePath { Vault.defaultFolder(of: database) }
  /// The plan of an unfinished replacement.
  var plan: FilePath { path.appending("plan.json") }
  /// Where displaced files are kept.
  var quarantines: FilePath { path.appending("quarantine") }

  /// Where a run's displaced files are kept.
  package func quarantine(_ code: SupportCode) -> FilePath {
    quarantines.appending(FilePath(code.description))
  }

  /// Where a run builds its new file.
  func newFile(_ code: String) -> FilePath { path.appending(FilePath(".\(code).new")) }
  /// Where a run writes its plan before it counts.
  func partialPlan(_ code: String) -> FilePath {
    path.appending(FilePath(".\(code).plan\(Self.partialSuffix)"))
  }
}
