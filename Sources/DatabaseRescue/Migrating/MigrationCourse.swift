// SPDX-License-Identifier: Apache-2.0
// Which files of a folder bring a database to a version, and why none may.

public import Diagnosis
import SQLiteFormat

/// What a migration with numbered SQL files is asked to do.
public struct MigrationOptions: Sendable {
  /// What the app expects of the result.
  public var contract: Contract?
  /// The folder of the backups; nil for the one beside the database.
  public var vault: FilePath?
  /// The version to go to; nil for that of the last file.
  public var target: Int?
  /// How many files share a transaction.
  public var transactions = MigrationTransactions.one
  /// How long the files may take, all together.
  public var timeout: Duration?
  /// How long locks of others are waited for.
  public var wait = Duration.seconds(5)
  /// How the backup before is made.
  public var backup = BackupWriter.Options()

  /// Makes options in which nothing is asked for.
  public init() {}
}

/// The files that bring a database from its version to another one.
struct MigrationCourse {
  /// The version of the database.
  let start: Int
  /// The version that it goes to.
  let end: Int
  /// The files between; none where nothing is to be done.
  let files: [MigrationFile]

  /// The version that files lead to.
  ///
  /// - Throws: ``RescueError`` of the kind `.invalidInput` when there is no such file, or the
  ///   contract expects another version.
  static func end(
    of folder: MigrationFolder, _ options: MigrationOptions
  ) throws(RescueError) -> Int {
    let end = options.target ?? folder.end
    guard folder.start...folder.end ~= end else {
      throw RescueError(
        .invalidInput, "there is no file for version \(end): the last one is for \(folder.end)",
        meaning: "nothing was done", advice: "name a version that there is a file for")
    }
    if let contract = options.contract, Int(contract.userVersion) != end {
      throw RescueError(
        .invalidInput,
        "the contract '\(contract.name)' expects version \(contract.userVersion), and the files "
          + "lead to version \(end)",
        meaning: "the result could not be verified; nothing was done",
        advice: "give the contract of version \(end), or a version with --to")
    }
    return end
  }

  /// Finds the files for a database of a version.
  ///
  /// - Throws: ``RescueError``: with the verdict `newer` when it is newer than the last file, and of
  ///   the kind `.invalidInput` when there is no way from its version to the other one.
  init(
    through folder: MigrationFolder, from version: Int, to end: Int, _ database: FilePath
  ) throws(RescueError) {
    guard version <= folder.end else {
      throw RescueError(
        .invalidInput,
        "'\(database)' has version \(version), and the last file is for version \(folder.end)",
        meaning: "it was written by a newer app; nothing was changed",
        advice: "install the newer app, or give the folder of its migrations", verdict: .newer)
    }
    guard version <= end else {
      throw RescueError(
        .invalidInput, "'\(database)' has version \(version), and a migration goes forward only",
        meaning: "nothing was changed",
        advice: "to go back to a state of version \(end), restore a backup")
    }
    guard version >= folder.start else {
      throw RescueError(
        .invalidInput,
        "'\(database)' has version \(version), and the first file is for version "
          + "\(folder.start + 1)",
        meaning: "there is no way from one to the other; nothing was changed",
        advice: "migrate it first with a release that still has the files between")
    }
    start = version
    self.end = end
    files = folder.files.filter { version < $0.version && $0.version <= end }
  }

  /// The files as something that can be undertaken.
  func undertaking(
    _ options: MigrationOptions, tell: @escaping (MigrationStep) -> Void
  ) -> Undertaking {
    MigrationRunner(
      files: files, start: start, transactions: options.transactions, timeout: options.timeout,
      wait: options.wait, tell: tell
    ).undertaking(onTo: end)
  }
}
