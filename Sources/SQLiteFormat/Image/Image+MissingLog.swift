// SPDX-License-Identifier: Apache-2.0
// A log that is not there, and that was: its index still counts what the file does not have.

extension Image {
  /// The index of a log that is missing, with frames that were not copied into the file; nil where
  /// nothing proves that there are such.
  ///
  /// SQLite deletes a log after its index, and makes it before its index: an index without its log is
  /// what remains when somebody else has taken the log away. One whose frames were all copied tells
  /// of no loss. Beside a log that is empty it proves nothing: a cut of power can leave an older one.
  package var missingLog: LogIndex? {
    guard header?.isWAL == true, case .absent = wal,
      let index = files.index.flatMap({ LogIndex($0) }), index.isProven,
      index.frameCount > index.copiedCount, index.pageSize == geometry.pageSize
    else { return nil }
    return index
  }
}

extension LogIndex {
  /// How many frames of the log the database file does not have.
  package var lackingCount: Int { frameCount - copiedCount }
}
