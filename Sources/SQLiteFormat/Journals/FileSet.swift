// SPDX-License-Identifier: Apache-2.0
// A database file with the journals beside it.

/// A database file with its `-wal` and `-journal`; `-shm` is a cache and is ignored.
public struct FileSet: Sendable {
  /// The database file.
  public let main: any PageSource
  /// The write-ahead log, when there is one.
  public let wal: (any PageSource)?
  /// The rollback journal, when there is one.
  public let journal: (any PageSource)?
  /// Whether a super-journal of this name still exists; a journal that names one that
  /// does not is stale.
  public let superJournalExists: @Sendable (Bytes) -> Bool

  /// Makes a file set.
  public init(
    main: any PageSource, wal: (any PageSource)? = nil, journal: (any PageSource)? = nil,
    superJournalExists: @escaping @Sendable (Bytes) -> Bool = { _ in false }
  ) {
    self.main = main
    self.wal = wal
    self.journal = journal
    self.superJournalExists = superJournalExists
  }
}
