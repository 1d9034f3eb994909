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

    /// Describes a backup.
    package init(
      database: String, made: String, userVersion: Int, byteCount: Int?, isComplete: Bool
    ) {
      self.database = database
      self.made = made
      self.userVersion = userVersion
      self.byteCount = byteCount
      self.isComplete = isComplete
    }
  }

  /// What the index of a log, the `-shm`, tells of it.
  ///
  /// File format, section 4.6 ("The WAL-Index File Format"): at byte 16 how many frames are valid,
  /// at byte 96 how many of them were copied to the file.
  package struct LogIndex: Hashable, Sendable {
    /// How many frames the log had.
    package let frameCount: Int
    /// How many of them were in the database file.
    package let copiedCount: Int

    /// Reads the beginning of the index, which the machine that wrote it wrote in its own order;
    /// nil where it holds nothing that can be believed.
    package init?(_ bytes: Bytes) {
      guard bytes.count >= 100 else { return nil }
      func number(_ offset: Int) -> UInt32 {
        let big = bytes.big32(at: offset) ?? 0
        return bytes[3] == 0 && bytes[0] != 0 ? big.byteSwapped : big
      }
      // Both copies of the header are the same while nobody writes.
      guard number(0) == 3_007_000, bytes[12] == 1, bytes[0..<48].elementsEqual(bytes[48..<96])
      else { return nil }
      frameCount = Int(number(16))
      copiedCount = Int(number(96))
      guard copiedCount <= frameCount else { return nil }
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

  /// The file system; nil where it is not known.
  package var fileSystem: FileSystem?
  /// The names of files beside it that programs leave which synchronise folders.
  package var syncMarks: [String] = []
  /// How many bytes can still be written beside it; nil where that is not known.
  package var freeBytes: Int?
  /// What the index of its log tells; nil where there is none.
  package var logIndex: LogIndex?
  /// Whether it contradicts itself without the journal that is applied; nil where none is.
  package var needsJournal: Bool?
  /// The backup that was given in its place; nil where it is none.
  package var ownBackup: OwnBackup?
  /// When its files last changed, and when its backups were made, oldest first.
  package var moments: [Moment] = []

  /// Nothing is known.
  package init() {}
}
