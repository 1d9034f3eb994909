// SPDX-License-Identifier: Apache-2.0
// Whether a column gives back the value that is put into it: one of numbers makes 7 of '007', and one
// of text rounds a number.

import SQLiteFormat

/// Tells whether the type of a column changes a value so that it does not come back as it was.
///
/// What is not plain is asked of SQLite itself, in a table of nobody's.
final class TypeChange {
  private var questions: [Affinity: (put: PreparedStatement, ask: PreparedStatement)] = [:]
  private var database: Scratch?

  /// Whether a column changes a value, whose text is in an encoding.
  ///
  /// - Throws: ``SQLiteError`` when there is no memory to find out.
  func changes(
    _ value: Value, _ encoding: TextEncoding, in affinity: Affinity
  ) throws(SQLiteError) -> Bool {
    switch (value, affinity) {
    case (.text(let bytes), .integer), (.text(let bytes), .numeric), (.text(let bytes), .real):
      let text = encoding == .utf8 ? bytes : Bytes(encoding.string(bytes).utf8)
      guard text.mayBeNumber, !text.isPlainInteger else { return false }
      return try ask(.text(text), affinity)
    case (.integer(let integer), .real): return Int64(exactly: Double(integer)) != integer
    case (.real, .text): return try ask(value, affinity)
    default: return false
    }
  }

  private func ask(_ value: Value, _ affinity: Affinity) throws(SQLiteError) -> Bool {
    let question = try question(affinity)
    try question.put.run([value])
    return try question.ask.first([value])?.first == .integer(0)
  }

  private func question(
    _ affinity: Affinity
  ) throws(SQLiteError) -> (put: PreparedStatement, ask: PreparedStatement) {
    if let question = questions[affinity] { return question }
    let database = try scratch()
    let name = "as_\(affinity.rawValue)"
    // 5 is 5.0 in a column of reals: nothing of it is lost.
    let same =
      affinity == .text
      ? "CAST(\(name) AS REAL) = ?1"
      : "CAST(\(name) AS TEXT) = ?1 OR CAST(\(name) AS TEXT) = ?1 || '.0'"
    let question = (
      put: PreparedStatement(try database.connection.prepare("UPDATE value SET \(name) = ?1")),
      ask: PreparedStatement(try database.connection.prepare("SELECT \(same) FROM value"))
    )
    questions[affinity] = question
    return question
  }

  private func scratch() throws(SQLiteError) -> Scratch {
    if let database { return database }
    let made = try Scratch()
    database = made
    return made
  }

  /// A database in memory with a column of each affinity.
  private final class Scratch {
    let connection: Connection

    init() throws(SQLiteError) {
      connection = try Connection(mode: .memory, schemaBy: .us)
      try connection.execute(
        """
        CREATE TABLE value (as_integer INTEGER, as_numeric NUMERIC, as_real REAL, as_text TEXT);
        INSERT INTO value DEFAULT VALUES
        """)
    }
  }
}

extension Bytes {
  /// Whether a text begins as one that SQLite takes for a number.
  fileprivate var mayBeNumber: Bool {
    guard let first = first(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) }) else {
      return false
    }
    return "0123456789+-.".utf8.contains(first)
  }

  /// Whether a text is an integer as SQLite writes it, and no column of numbers rounds it.
  fileprivate var isPlainInteger: Bool {
    let digits = first == UInt8(ascii: "-") ? dropFirst() : self[...]
    guard (1...15).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return false }
    return digits.first != 0x30 || count == 1
  }
}
