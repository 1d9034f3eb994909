// SPDX-License-Identifier: Apache-2.0
// How far a run is, told while it goes on.

/// What a run tells of how far it is.
public enum Progress: Hashable, Sendable {
  /// One pass over the bytes of a database.
  public enum Pass: String, Hashable, Sendable, CaseIterable {
    /// Every page is read and checked.
    case examining = "reading pages"
    /// The trees are read once more, for what is slow or at risk.
    case advising = "looking for what is slow"
    /// Every row is read and compared with what was there before, or in a backup.
    case comparing = "comparing rows"
    /// Every row is read and written.
    case copying = "copying rows"
    /// The fresh database is checked.
    case verifying = "checking the new database"
    /// The digests of the files show that nothing changed them.
    case proving = "comparing digests"
    /// The statements of a migration run; their text is what is counted.
    case migrating = "migrating"
    /// A backup is made and proven.
    case backingUp = "making a backup"
    /// A backup is read in full, and compared with its own digests.
    case readingBackup = "reading the backup"
    /// A backup is put back.
    case restoring = "putting the backup back"
  }

  /// A pass begins, over so many bytes; nil where that is not known, or as many as before.
  case began(Pass, byteCount: Int?)
  /// So many more bytes of the pass are done.
  case advanced(Int)
  /// Nothing is under way of which anything could be told, until another pass begins.
  case ended
}
