// SPDX-License-Identifier: Apache-2.0
// What processes have of a database open, and which of it nobody else can reach: what a process
// commits to a log that was deleted or moved away under it is in none of the files that others see.

/// What processes have of a database open.
package struct LiveUse: Hashable, Sendable {
  /// A file of the database that a process has open, and that is not the one beside it now.
  package struct HeldFile: Hashable, Sendable {
    /// What the file is to the database.
    package enum Role: String, Hashable, Sendable, CaseIterable {
      /// The database itself.
      case database
      /// Its write-ahead log.
      case log = "-wal"
      /// The index of its log.
      case index = "-shm"
      /// The journal of a transaction: SQLite closes it before it deletes it.
      case journal = "-journal"
    }

    /// What it is.
    package let role: Role
    /// The process.
    package let process: Int32
    /// Its length in bytes.
    package let byteCount: Int
    /// Whether it has no name any more.
    package let isDeleted: Bool

    /// Describes a file.
    package init(role: Role, process: Int32, byteCount: Int, isDeleted: Bool) {
      self.role = role
      self.process = process
      self.byteCount = byteCount
      self.isDeleted = isDeleted
    }
  }

  /// Something that is no file and lies where SQLite looks for one.
  package struct Obstruction: Hashable, Sendable {
    /// What its name has behind that of the database.
    package let suffix: String
    /// What it is, with an article.
    package let what: String

    /// Describes one.
    package init(suffix: String, what: String) {
      (self.suffix, self.what) = (suffix, what)
    }

    /// What that means, in one sentence without a full stop.
    package var message: String {
      "\(what) lies where SQLite looks for the \(suffix): it cannot "
        + (suffix == "-shm" ? "write to the database" : "open the database")
    }
  }

  /// A migration that was begun under guard and was cut off, and the two ways out, without folders.
  package struct CutOffMigration: Hashable, Sendable {
    /// What is to be said of it.
    package let message: String
    /// The file of the backup from before it; nil where its record does not tell.
    package let backup: String?
    /// When its command was to be stopped, by ISO 8601; nil where it had all the time it wanted.
    package let deadline: String?
    /// The command that goes back to before it.
    package let wayBack: String
    /// The command that keeps what is there.
    package let wayOn: String

    /// Describes a migration.
    package init(
      message: String, backup: String?, deadline: String?, wayBack: String, wayOn: String
    ) {
      (self.message, self.backup, self.deadline) = (message, backup, deadline)
      (self.wayBack, self.wayOn) = (wayBack, wayOn)
    }
  }

  /// The files that others cannot reach, by process.
  package let heldApart: [HeldFile]
  /// The processes that have the database open as it lies here, and can write to it.
  package let writers: [Int32]
  /// At how many processes that could write to it nobody may look; nil where nothing is known.
  package let unseenProcesses: Int?
  /// A migration that was cut off and may have changed something; nil where there is none.
  package var cutOffMigration: CutOffMigration?
  /// What is to be said of a migration that was cut off before it had changed anything for good.
  package var undoneMigration: String?
  /// Why nobody can tell whether a migration was cut off; nil where that is known.
  package var unreadMigration: String?
  /// The archive that the database came in; nil where it lies there as it is.
  package var packing: Packing?

  /// What has the name of a file beside the database and is none, such as a folder: SQLite opens no
  /// database beside it.
  package var obstruction: Obstruction?

  /// What a log or journal that is moved away gets behind its name: nothing beside the database has
  /// that name.
  package var asideEnding = Self.firstAsideEnding
  /// What it gets there when nothing has been moved away before.
  package static let firstAsideEnding = ".set-aside"

  /// Describes a use.
  package init(
    heldApart: [HeldFile] = [], writers: [Int32] = [], unseenProcesses: Int? = nil
  ) {
    self.heldApart = heldApart
    self.writers = writers
    self.unseenProcesses = unseenProcesses
  }

  /// What of it could not be looked at.
  var unchecked: [Unchecked] {
    var things: [Unchecked] = []
    if let unreadMigration {
      things.append(Unchecked(.migration, of: nil as String?, because: unreadMigration))
    }
    if let count = unseenProcesses, count > 0 {
      things.append(
        Unchecked(
          .process, of: nil as String?,
          because: counted(count, "process", "processes")
            + " of other users, which may have the database open"))
    }
    return things
  }

  /// The process whose files are worth to be captured.
  package var process: Int32? {
    (heldApart.first { $0.role == .log } ?? heldApart.first { $0.role == .database })?.process
  }

  /// The process that may be in the midst of a transaction, in words; nil where there is none.
  var writerInWords: String? {
    writers.first.map { first in
      "process \(first)" + (writers.count > 1 ? " and \(counted(writers.count - 1, "other"))" : "")
    }
  }

  /// The finding of a migration that was undone by itself.
  var undoneMigrationFinding: Finding? {
    undoneMigration.map { Finding(.migrationUnfinished, $0, severity: .notice) }
  }

  /// The findings, one for each file, for a migration, for an archive and for what lies in the way.
  var findings: [Finding] {
    let cutOff =
      (cutOffMigration.map { [Finding(.migrationUnfinished, $0.message)] } ?? [])
      + [undoneMigrationFinding].compactMap(\.self)
    return (packing?.findings ?? []) + cutOff
      + (obstruction.map { [Finding(.sidecarBlocked, $0.message)] } ?? [])
      + heldApart.map { held in
        let what =
          switch held.role {
          case .database: "a file that was this database"
          case .log: "a -wal of this database"
          case .index: "the -shm of this database"
          case .journal: "the -journal of a transaction of this database"
          }
        let fate = held.isDeleted ? "was deleted" : "lies elsewhere"
        return Finding(
          .fileHeldApart,
          "process \(held.process) has \(what) open that \(fate), with \(held.byteCount) bytes")
      }
  }
}

/// A log or journal that gets a name under which SQLite does not see it.
package struct SidecarMove: Hashable, Sendable {
  /// What its name has behind that of the database.
  package let suffix: String
  /// What its new name has there.
  package let newSuffix: String
}
