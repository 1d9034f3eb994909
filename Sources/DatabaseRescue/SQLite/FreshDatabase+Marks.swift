// SPDX-License-Identifier: Apache-2.0
// What belongs to one object of a fresh database happens as a whole or not at all.

internal import CSQLite
import Diagnosis
import SQLiteFormat

extension FreshDatabase {
  /// How the file was before something was done to one object.
  struct Mark {
    fileprivate let putOff: Int
  }

  /// Marks how the file is, before a table is filled or something else is done to one object.
  func mark() throws(SQLiteError) -> Mark {
    connection.patience.allow(Patience.enough(for: inputByteCount))
    try connection.execute("SAVEPOINT one_object")
    return Mark(putOff: deferredTypes.count)
  }

  /// Keeps what was done since a mark.
  func keep(since mark: Mark) throws(SQLiteError) { try connection.execute("RELEASE one_object") }

  /// Takes back what was done since a mark.
  func takeBack(to mark: Mark) throws(SQLiteError) {
    defer { deferredTypes.forget(after: mark.putOff) }
    try takeBack()
  }

  /// Has everything stay that was done so far, whatever happens to what comes next.
  ///
  /// Where a statement is stopped or the disk is full, SQLite takes back the whole transaction, with
  /// all its savepoints.
  func secure() throws(SQLiteError) {
    try connection.execute(connection.isInTransaction ? "COMMIT; BEGIN" : "BEGIN")
  }

  private func takeBack() throws(SQLiteError) {
    try connection.execute(
      connection.isInTransaction ? "ROLLBACK TO one_object; RELEASE one_object" : "BEGIN")
  }

  /// Does something that either happens as a whole or not at all.
  func isolated<Result, Failure: Error>(
    _ body: (borrowing Connection) throws(Failure) -> Result
  ) throws -> Result {
    try secure()
    try connection.execute("SAVEPOINT one_object")
    do {
      let result = try body(connection)
      try connection.execute("RELEASE one_object")
      return result
    } catch {
      try takeBack()
      throw error
    }
  }

  /// Why an error is one of a single object: of the SQL in its declaration, and not of the disk, of
  /// memory, or of whoever wishes the run to stop; nil where it is not.
  package func reasonToLeaveOut(_ error: any Error) -> String? {
    guard let error = error as? SQLiteError, isCancelled?() != true else { return nil }
    switch error.cause {
    case .constraint, .other, .permission: return error.message
    case .damaged where error.extendedCode == dbrescue_corrupt_virtual_table: return error.message
    case .full where isAtLimit: return "it takes more than \(byteCountMax ?? 0) bytes"
    case .full, .busy, .damaged, .inputOutput, .cannotOpen: return nil
    }
  }

  /// Whether the file was to become larger than it may be, as no disk was full.
  private var isAtLimit: Bool {
    byteCountMax != nil && GuardedCalls.writesRefused == writesRefusedBefore
  }
}
