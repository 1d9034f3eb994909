// SPDX-License-Identifier: Apache-2.0
// A database in memory that takes in SQL of which nobody knows who wrote it.

import Diagnosis
import SQLiteFormat

/// A database in memory, into which declarations of an untrusted schema go.
final class SandboxDatabase {
  /// How many steps of SQLite's machine a whole schema may take.
  private static let stepsMax = 200_000_000

  let connection: Connection

  /// Makes a database for one of so many shares of a schema.
  init(shares: Int = 1) throws(SQLiteError) {
    connection = try Connection(mode: .memory)
    connection.limitForUntrustedSQL(statementBytes: Connection.statementBytesMax)
    connection.acceptUnknownCollations()
    connection.patience.allow(Self.stepsMax / shares)
  }

  /// The statement that SQLite has stored for an object: without the name of a database in it.
  func storedStatement(of declaration: Declaration) -> String? {
    let found = try? connection.value(
      "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ? COLLATE NOCASE",
      [.text(declaration.kind.rawValue), .text(declaration.name)])
    return (found ?? nil)?.utf8String
  }

  /// Refuses a table of which SQLite can read no row, as a generated column needs itself: it says so
  /// only when the table is read.
  func requireReadable(_ declaration: Declaration) throws(DeclarationFault) {
    guard declaration.sql.mayHaveGeneratedColumns else { return }
    let table = declaration.name.quotedIdentifier
    do throws(SQLiteError) {
      _ = try connection.prepare("SELECT * FROM \(table)")
    } catch {
      // What cannot be dropped goes with its group.
      try? connection.execute("DROP TABLE \(table)")
      throw DeclarationFault(reason: error.message, weight: .unreadable)
    }
  }

  /// Does something, and takes back what it has made.
  func takingBack(_ body: () -> Void) {
    // Neither can fail in memory; if it does, the next group finds its names taken.
    try? connection.execute("BEGIN")
    body()
    try? connection.execute("ROLLBACK")
  }
}

extension String {
  /// Whether the word AS is in a statement, without which no column is generated.
  ///
  /// There may be very many statements, and what is found in a name or a text does no harm.
  fileprivate var mayHaveGeneratedColumns: Bool {
    var (length, isSame) = (0, true)
    for byte in utf8 {
      let letter = byte | 0x20
      guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter else {
        if length == 2, isSame { return true }
        (length, isSame) = (0, true)
        continue
      }
      isSame = isSame && length < 2 && letter == UInt8(ascii: length == 0 ? "a" : "s")
      length += 1
    }
    return false
  }
}
