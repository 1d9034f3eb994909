// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says of a database: the truth that our own reader is held against.

package import DatabaseRescue
package import SQLiteFormat

/// SQLite's view of a database with its journals.
///
/// It looks at a private copy of the file set, so that a hot journal or a write-ahead log
/// beside the original is still there afterwards.
package final class Oracle {
  private let scratch: ScratchFolder
  private let connection: Connection

  /// Copies the file set and opens the copy.
  package init(_ path: FilePath) throws {
    scratch = try ScratchFolder()
    let copy = scratch["copy.db"]
    try path.copyFileSet(to: copy)
    connection = try Connection(copy, mode: .app)
    // Some versions of SQLite open no schema with a CHECK (json_valid(…)) otherwise.
    try connection.execute("PRAGMA trusted_schema = ON")
  }

  /// The tables that hold rows of their own: not virtual ones, not SQLite's own.
  package var tables: [String] {
    get throws {
      try strings(
        """
        SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """)
    }
  }

  /// The names of a table's columns, in order, without the hidden ones of virtual tables.
  package func columns(of table: String) throws -> [String] {
    try strings("SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid", table)
  }

  /// All rows of a table, with generated columns, read from the table itself and no index.
  package func rows(of table: String) throws -> [ExactRow] {
    let columns = try columns(of: table)
    let rowID = try rowIDName(of: table, columns: columns)
    var rows: [ExactRow] = []
    // A query has at most 2,000 terms, as has a table; each value takes two.
    for start in stride(from: 0, to: max(columns.count, 1), by: Self.columnsMax) {
      let part = columns[start..<min(start + Self.columnsMax, columns.count)]
      let values = part.map { column in
        let name = Self.quoted(column)
        return "typeof(\(name)), iif(typeof(\(name)) = 'text', CAST(\(name) AS BLOB), \(name))"
      }
      let terms = [rowID ?? "NULL"] + values
      let statement = try connection.prepare(
        "SELECT \(terms.joined(separator: ", ")) FROM \(Self.quoted(table)) NOT INDEXED")
      var index = 0
      while try statement.step() {
        let row = Self.exactRow(statement.row)
        if start == 0 { rows.append(row) } else { rows[index].values += row.values }
        index += 1
      }
    }
    return rows
  }

  /// How many columns are read at once.
  private static let columnsMax = 900

  /// The tables without rowid, as bytes: strings are equal where they look the same.
  private lazy var tablesWithoutRowID: Set<Bytes> = {
    let names = try? strings("SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr")
    return Set((names ?? []).map { Bytes($0.utf8) })
  }()

  /// The number of rows of a table.
  package func count(of table: String) throws -> Int {
    let count = try value("SELECT count(*) FROM \(Self.quoted(table)) NOT INDEXED")
    return Int(count?.integerValue ?? 0)
  }

  /// What `PRAGMA integrity_check` complains of; empty when all is well.
  package var integrityErrors: [String] {
    get throws {
      do {
        let lines = try strings("PRAGMA integrity_check(1000)")
        return lines == ["ok"] ? [] : lines
      } catch let error as SQLiteError where error.cause == .damaged {
        // Some damage SQLite cannot even describe.
        return [error.message]
      }
    }
  }

  /// The pages of the trees, from `dbstat`.
  package var pages: [Page] {
    get throws {
      try connection.rows("SELECT name, pageno, pagetype FROM dbstat ORDER BY path").map { row in
        Page(
          object: row[0].utf8String ?? "", number: Int(row[1].integerValue ?? 0),
          kind: row[2].utf8String ?? "")
      }
    }
  }

  /// A page of a table or index.
  package struct Page: Hashable, Sendable {
    /// The table or index that owns it.
    package let object: String
    /// Its number, from 1.
    package let number: Int
    /// `leaf`, `internal` or `overflow`.
    package let kind: String
  }

  /// The first value of a query's first row.
  package func value(_ sql: String, _ values: [Value] = []) throws -> Value? {
    try connection.value(sql, values)
  }

  /// The rows of a query.
  package func rows(query: String) throws -> [[Value]] {
    try connection.rows(query)
  }

  /// The first column of a query, as strings; bytes that are not UTF-8 become U+FFFD.
  private func strings(_ sql: String, _ argument: String? = nil) throws -> [String] {
    try connection.rows(sql, argument.map { [.text($0)] } ?? []).map { row in
      guard case .text(let bytes)? = row.first else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// A name of the rowid that no column hides; nil where there is none.
  private func rowIDName(of table: String, columns: [String]) throws -> String? {
    if tablesWithoutRowID.contains(Bytes(table.utf8)) { return nil }
    let taken = Set(columns.map { $0.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
  }

  private static func exactRow(_ values: [Value]) -> ExactRow {
    let pairs = stride(from: 1, to: values.count - 1, by: 2).map { index -> Value in
      guard values[index].utf8String == "text" else { return values[index + 1] }
      if case .blob(let bytes) = values[index + 1] { return .text(bytes) }
      return values[index + 1]
    }
    return ExactRow(rowID: values[0].integerValue, pairs)
  }

  /// A name as SQL wants it, whatever is in it.
  package static func quoted(_ name: String) -> String {
    var scalars = String.UnicodeScalarView("\"".unicodeScalars)
    // By code points: a mark that follows a quote makes one character with it.
    for scalar in name.unicodeScalars {
      scalars.append(scalar)
      if scalar == "\"" { scalars.append(scalar) }
    }
    return String(scalars) + "\""
  }
}

/// All rows of a table as SQLite reads them.
package func oracleRows(_ path: FilePath, _ table: String) throws -> [ExactRow] {
  try Oracle(path).rows(of: table)
}
