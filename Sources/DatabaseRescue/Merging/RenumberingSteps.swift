// SPDX-License-Identifier: Apache-2.0
// The statements of a renumbering.

import SQLiteFormat

/// The statements of a renumbering, each prepared once: a chain of references may take many rounds.
final class RenumberingSteps {
  private var statements: [String: PreparedStatement] = [:]

  /// Runs a statement; true where it gives a row.
  func run(
    _ sql: String, _ values: [Value], on connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    try value(sql, values, on: connection) != nil
  }

  /// The first value that a statement gives.
  func value(
    _ sql: String, _ values: [Value], on connection: borrowing Connection
  ) throws(SQLiteError) -> Value? {
    if let statement = statements[sql] { return try statement.first(values)?.first }
    let statement = PreparedStatement(try connection.prepare(sql))
    statements[sql] = statement
    return try statement.first(values)?.first
  }
}
