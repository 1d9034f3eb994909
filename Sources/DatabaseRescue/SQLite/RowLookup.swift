// SPDX-License-Identifier: Apache-2.0
// Whether a row of the damaged file is in the fresh database.

import Diagnosis
package import SQLiteFormat

/// A search for rows of one table of a fresh database.
package struct RowLookup: ~Copyable {
  private let byIdentity: Statement
  private let between: Statement
  private let encoding: TextEncoding
  /// Whether rows are looked for by their rowid; else by their key.
  package let usesRowIDs: Bool

  /// How rows of a table are looked for.
  enum Identity {
    /// By the column that is their rowid.
    case rowID(String)
    /// By the columns that are their key.
    case key([String])

    /// What of the rows of a file is kept in a fresh table; nil where that is nothing.
    init?(_ mapping: ColumnMapping, keyCount: Int) {
      if let name = mapping.rowIDColumn {
        self = .rowID(name.quotedIdentifier)
        return
      }
      let names = (0..<keyCount).compactMap { field in
        mapping.sources.firstIndex(of: field).map { mapping.targets[$0].quotedIdentifier }
      }
      guard keyCount > 0, names.count == keyCount else { return nil }
      self = .key(names)
    }
  }

  /// Prepares a search.
  init(
    _ connection: borrowing Connection, _ table: Name, by identity: Identity,
    encoding: TextEncoding
  ) throws(SQLiteError) {
    let table = table.quotedIdentifier
    let (condition, range, usesRowIDs) =
      switch identity {
      case .rowID(let name): ("\(name) = ?", "\(name) > ? AND \(name) < ?", true)
      case .key(let names): (names.map { "\($0) IS ?" }.joined(separator: " AND "), "0", false)
      }
    let byIdentity = try connection.prepare("SELECT 1 FROM \(table) WHERE \(condition)")
    between = try connection.prepare("SELECT 1 FROM \(table) WHERE \(range) LIMIT 1")
    self.byIdentity = byIdentity
    self.usesRowIDs = usesRowIDs
    self.encoding = encoding
  }

  /// Whether a row is there, by its rowid or its key.
  package func finds(rowID: Int64?, key: [Value]) throws(SQLiteError) -> Bool {
    defer { byIdentity.reset() }
    if usesRowIDs {
      try byIdentity.bind(rowID.map(Value.integer) ?? .null, at: 1)
    } else {
      for (index, value) in key.enumerated() {
        try byIdentity.bind(value, at: index + 1, encoding: encoding)
      }
    }
    return try byIdentity.step()
  }

  /// Whether a row is there with a rowid between two others.
  package func findsRow(between lower: Int64, and upper: Int64) throws(SQLiteError) -> Bool {
    guard usesRowIDs else { return false }
    defer { between.reset() }
    try between.bind([.integer(lower), .integer(upper)])
    return try between.step()
  }
}
