// SPDX-License-Identifier: Apache-2.0
// What is known of a database from around its files: nothing of it lies in their bytes.

package import SQLiteFormat

/// What is known of a database from around its files.
package struct Circumstances: Hashable, Sendable {
  /// Where files lie.
  package enum FileSystem: Hashable, Sendable {
    /// On a disk of this machine.
    case local
    /// On another machine, or behind a program, by the name of the system.
    case shared(String)
  }

  /// A backup of this program that was given in place of a database.
  package struct OwnBackup: Hashable, Sendable {
    /// The name of the database that it holds.
    package let database: String
    /// When it was made, in words.
    package let made: String
    /// The version of the schema.
    package let userVersion: Int
    /// How many bytes the database has; nil where that is not known.
    package let byteCount: Int?
    /// Whether it is complete.
    package let isComplete: Bool
    /// Whether it can stand in for the database: complete, and proven when it was made.
    package let isGood: Bool

    /// Describes a backup.
    package init(
      database: String, made: String, userVersion: Int, byteCount: Int?, isComplete: Bool,
      isGood: Bool
    ) {
      self.database = database
      self.made = made
      self.userVersion = userVersion
      self.byteCount = byteCount
      self.isComplete = isComplete
      self.isGood = isGood
    }

    /// What it is, in one sentence without a full stop.
    var meaning: String {
      "this is a backup of '\(database)' that dbrescue made on \(made)"
        + (isGood
          ? ", complete and proven when it was made; it is not the database itself"
          : isComplete
            ? ", which was not proven to be good; it is not the database itself"
            : ", which is not complete; it is not the database itself")
    }
  }

  /// A file of the set, or a backup, with when it last changed.
  package struct Moment: Hashable, Sendable {
    /// What it is, such as `the database` or a backup by name.
    package let what: String
    /// Seconds since 1970.
    package let time: Double

    /// Notes a moment.
    package init(_ what: String, at time: Double) {
      self.what = what
      self.time = time
    }
  }

  /// What the rows of the newest backup and the current ones have in common.
  package struct Overlap: Hashable, Sendable {
    /// The rows that both have, with the same values or others.
    package let common: Int
    /// Those of them that have the same values, of the table with most of these.
    package let mostSame: Int
    /// Those of them that have other values.
    package let changed: Int
    /// The rows that the backup alone has.
    package let onlyBackup: Int
    /// Whether there are rows or columns that the backup has not.
    package let hasOwn: Bool
  }

  /// What the newest backup held.
  package struct Before: Hashable, Sendable {
    /// The name of the backup.
    package let backup: String
    /// The version of the schema.
    package let userVersion: Int
    /// How many rows each table had.
    package let rows: [Name: Int]
    /// Its change counter; nil where that is not known.
    package let changeCounter: UInt32?
    /// The statements of its schema; empty where they are not known.
    package let schema: Set<String>
    /// What its rows and the current ones have in common; nil where they were not compared.
    package var overlap: Overlap?

    /// Describes what a backup held.
    package init(
      backup: String, userVersion: Int, rows: [Name: Int], changeCounter: UInt32? = nil,
      schema: Set<String> = []
    ) {
      self.backup = backup
      self.userVersion = userVersion
      self.rows = rows
      self.changeCounter = changeCounter
      self.schema = schema
    }
  }

  /// A copy of it that lies beside it.
  package struct Copy: Hashable, Sendable {
    /// The name of the file.
    package let name: String
    /// Its change counter.
    package let changeCounter: UInt32
    /// What its rows and the current ones have in common, as of a backup.
    package let overlap: Overlap
    /// Whether a program that synchronises folders made it, by its name.
    package let isOfConflict: Bool

    /// Whether most pages of the database are the same in it: one of the two came of the other.
    package let sharesPages: Bool
  }

  /// The file system; nil where it is not known.
  package var fileSystem: FileSystem?
  /// The names of files beside it that programs leave which synchronise folders.
  package var syncMarks: [String] = []
  /// How many seconds lie between the last change of the database and the nearest of one of those;
  /// nil where there are none, or that is not known.
  package var conflictAge: Double?
  /// A copy beside it that a synchronising program made, or one with a higher change counter; nil
  /// where there is none, or it is not sound itself.
  package var copy: Copy?
  /// How many bytes can still be written beside it; nil where that is not known.
  package var freeBytes: Int?
  /// What the index of its log tells; nil where there is none.
  package var logIndex: LogIndex?
  /// Whether it contradicts itself without the journal that is applied; nil where none is.
  package var needsJournal: Bool?
  /// The name of a journal beside it that belongs to no file there, and with which it is sound; nil
  /// where there is none.
  package var journalOfOtherName: String?
  /// Which pages of its log are in the file; nil where no log is, or it says too little.
  package var checkpoint: CheckpointProgress?
  /// Whether it contradicts itself without the log of which some pages are in the file; nil where no
  /// checkpoint was cut off.
  package var needsLog: Bool?
  /// The backup that was given in its place; nil where it is none.
  package var ownBackup: OwnBackup?
  /// What its newest backup held; nil where there is none.
  package var before: Before?
  /// Whether this program has put something else in its place since that backup was made.
  package var isReplacedByUs = false
  /// When its files last changed, and when its backups were made, oldest first.
  package var moments: [Moment] = []

  /// Nothing is known.
  package init() {}
}
