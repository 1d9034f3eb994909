// SPDX-License-Identifier: Apache-2.0
// A database as SQLite would see it, in a folder of our own: what is tried on it touches no evidence.

import Diagnosis
import SQLiteFormat

/// A private copy of a database, gone when this value is.
struct PrivateCopy {
  private let folder: HeldFolder
  /// The copy.
  let path: FilePath
  private let world: World

  /// The name of every copy.
  private static let name: FilePath = "app.db"

  /// Copies the pages that the files stand for, without their journals.
  ///
  /// - Throws: ``RescueError`` when there is no database in the files, or no room for the copy.
  init(of files: InputFiles, _ world: World) throws(RescueError) {
    try self.init(of: world.survey(files.open(in: world)), named: files.main, world)
  }

  /// Copies a database that was surveyed.
  init(of survey: Survey, named main: FilePath, _ world: World) throws(RescueError) {
    guard let image = survey.image else {
      throw RescueError(
        .invalidInput, "'\(main)' is no database", meaning: "nothing was changed",
        advice: "dbrescue diagnose \(main.shellQuoted)", verdict: .unreadable)
    }
    folder = HeldFolder(try PrivateFolder(world: world))
    path = folder.folder.path.appending(Self.name)
    self.world = world
    try image.write(to: path, storage: world.storage)
  }

  /// The copy with what lies beside it now.
  var files: InputFiles {
    get throws(RescueError) {
      var files = try InputFiles(path, storage: world.storage)
      files.hold(folder)
      return files
    }
  }
}
