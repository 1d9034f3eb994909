// SPDX-License-Identifier: Apache-2.0
// A statement that is run many times.

import SQLiteFormat

/// A statement that is kept for the next time.
final class PreparedStatement {
  private let statement: Statement

  init(_ statement: consuming Statement) {
    self.statement = statement
  }

  /// Runs once with these values, the later ones with text in an encoding.
  func run(
    _ values: [Value], _ more: [Value] = [], encoding: TextEncoding = .utf8
  ) throws(SQLiteError) {
    _ = try first(values, more, encoding: encoding)
  }

  /// The first row that the statement gives; nil when there is none.
  func first(
    _ values: [Value], _ more: [Value] = [], encoding: TextEncoding = .utf8
  ) throws(SQLiteError) -> [Value]? {
    defer { statement.reset() }
    try statement.bind(values)
    for (index, value) in more.enumerated() {
      try statement.bind(value, at: values.count + index + 1, encoding: encoding)
    }
    guard try statement.step() else { return nil }
    return statement.row
  }

  /// The first row that the statement gives, its text in the encoding of its database.
  func firstStored(_ values: [Value]) throws(SQLiteError) -> [Value]? {
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? statement.storedRow : nil
  }

  /// Hands out every row.
  func forEach(_ values: [Value], _ body: ([Value]) throws(SQLiteError) -> Void) throws(SQLiteError)
  {
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() { try body(statement.row) }
  }
}
