// SPDX-License-Identifier: Apache-2.0
// What SQLite says when a call fails.

internal import CSQLite

/// An error of SQLite, without values of rows: what it says of a statement that runs is told by
/// ``withoutRows``.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The extended result code.
  package let extendedCode: Int32
  /// SQLite's own message.
  package let message: String

  /// The error of a text in which there is more than one statement.
  static let severalStatements = SQLiteError(
    extendedCode: SQLITE_ERROR, message: "more than one statement")

  /// The primary result code.
  package var code: Int32 { extendedCode & 0xFF }

  /// What kind of trouble this is.
  package var cause: Cause {
    switch code {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
    // A number in the header that no version of SQLite writes.
    case SQLITE_ERROR where message == "unsupported file format": .damaged
    case SQLITE_IOERR: .inputOutput
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .permission
    case SQLITE_CANTOPEN: .cannotOpen
    case SQLITE_CONSTRAINT: .constraint
    default: .other
    }
  }

  /// Whether a statement was stopped, or a value was too long, be it as a pattern only.
  var isLimit: Bool {
    [SQLITE_INTERRUPT, SQLITE_TOOBIG, SQLITE_NOMEM].contains(code)
      || message == "LIKE or GLOB pattern too complex"
  }

  /// Whether an expression of a schema asks for the current time, which SQLite refuses.
  var isAboutTime: Bool { message.hasPrefix("non-deterministic use of ") }

  /// The code of a lock that another connection holds.
  static let busy = SQLITE_BUSY

  /// Whether a statement was stopped.
  var isInterruption: Bool { code == SQLITE_INTERRUPT }

  /// Whether a statement was refused by our own guard.
  var isRefusal: Bool { code == SQLITE_AUTH }

  /// The kinds of trouble that are told apart: only `damaged` is corruption.
  package enum Cause: Hashable, Sendable {
    /// Another connection holds a lock.
    case busy
    /// The file is malformed or not a database.
    case damaged
    /// Reading or writing failed.
    case inputOutput
    /// No space is left.
    case full
    /// Writing is not allowed.
    case permission
    /// The file cannot be opened.
    case cannotOpen
    /// A row breaks a constraint.
    case constraint
    /// Anything else, such as SQL that does not parse.
    case other
  }

  /// SQLite's message with its code.
  package var description: String { "\(message) (SQLite error \(extendedCode))" }
}
