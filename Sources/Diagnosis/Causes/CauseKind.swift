// SPDX-License-Identifier: Apache-2.0
// What can have happened to a database file, by name.

/// What can have happened to a database file.
///
/// The names are part of published formats: none is given to anything else later.
package enum CauseKind: String, Hashable, Sendable, CaseIterable, Codable {
  /// Its end is missing.
  case cutOff = "cut-off"
  /// It was sent or stored as if it were text.
  case transferredAsText = "transferred-as-text"
  /// Bytes were put in front of it or into it, or left out of it.
  case bytesInFront = "bytes-put-in-or-left-out"
  /// It is something else than a database.
  case otherContent = "other-content"
  /// It is a backup of this program.
  case ownBackup = "own-backup"
  /// It is a log or journal without its database.
  case partOfASet = "part-of-a-set"
  /// Nothing is in it, or nothing but zeros, or it was made anew with few rows.
  case emptied
  /// It can be read with a key only.
  case encrypted
  /// A program wrote text into it.
  case textWritten = "text-written-into-it"
  /// Its medium lost or changed some of its bytes.
  case badMedium = "bad-medium"
  /// Its program was killed or lost power while it wrote.
  case interrupted
  /// The journal of a transaction that was cut off is gone.
  case journalLost = "journal-lost"
  /// The disk was full.
  case diskFull = "disk-full"
  /// It was copied while a program wrote to it.
  case copiedWhileWritten = "copied-while-written"
  /// It was copied without its log, or the log was deleted.
  case copiedWithoutLog = "copied-without-log"
  /// The log of an earlier state of it, or a left one, lies beside it.
  case oldLog = "old-log"
  /// The log of another database lies beside it.
  case foreignLog = "foreign-log"
  /// A process has files of it open that were deleted or moved away.
  case heldApart = "held-apart"
  /// Several programs or machines write to it that do not see each other.
  case severalWriters = "several-writers"
  /// SQLite's fault in beginning a log anew.
  case walReset = "wal-reset"
  /// An older copy was put in its place.
  case putBack = "put-back"
  /// A migration stopped half-way.
  case migrationCutOff = "migration-cut-off"
  /// A migration ran to its end and did not do what it should.
  case migrationLeftWrong = "migration-left-wrong"
  /// Indexes do not fit their tables, and nothing else is wrong.
  case indexesOnly = "indexes-only"
  /// A full-text index is damaged, and nothing else is wrong.
  case fullTextOnly = "full-text-only"
  /// A newer app has written it.
  case newerApp = "newer-app"
  /// The app has not migrated it yet.
  case olderApp = "older-app"
}
