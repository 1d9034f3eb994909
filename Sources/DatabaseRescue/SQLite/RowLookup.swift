// SPDX-License-Identifier: Apache-2.0
// Whether a row of the damaged file is in the fresh database.

import Diagnosis
package import SQLiteFormat

/// A search for rows of one table of a fresh database.
package struct RowLookup: ~Copyable {
  private let byIdentity: Statement
  private let between: Statement
  private let inOrder: Statement
  private let known = RowIDStretches()
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
    let (condition, range, rowID, usesRowIDs) =
      switch identity {
      case .rowID(let name): ("\(name) = ?", "\(name) > ? AND \(name) < ?", name, true)
      case .key(let names):
        (names.map { "\($0) IS ?" }.joined(separator: " AND "), "0", "NULL", false)
      }
    let byIdentity = try connection.prepare("SELECT 1 FROM \(table) WHERE \(condition)")
    let between = try connection.prepare("SELECT 1 FROM \(table) WHERE \(range) LIMIT 1")
    let inOrder = try connection.prepare("SELECT \(rowID) FROM \(table) ORDER BY \(rowID)")
    self.byIdentity = byIdentity
    self.between = between
    self.inOrder = inOrder
    self.usesRowIDs = usesRowIDs
    self.encoding = encoding
  }

  /// Whether a row is there, by its rowid or its key.
  package func finds(rowID: Int64?, key: [Value]) throws(SQLiteError) -> Bool {
    if let rowID, try isKnown(rowID) { return true }
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

  /// Whether a rowid was there when the rowids were read; false says nothing.
  ///
  /// Rows are added to a fresh table, and never taken from it.
  private func isKnown(_ rowID: Int64) throws(SQLiteError) -> Bool {
    guard usesRowIDs else { return false }
    if known.isDue {
      defer { inOrder.reset() }
      while try inOrder.step(), let rowID = inOrder[0].integerValue, known.add(rowID) {}
    }
    return known.contains(rowID)
  }

  /// Whether a row is there with a rowid between two others.
  package func findsRow(between lower: Int64, and upper: Int64) throws(SQLiteError) -> Bool {
    guard usesRowIDs else { return false }
    defer { between.reset() }
    try between.bind([.integer(lower), .integer(upper)])
    return try between.step()
  }
}

/// Rowids of a table, as stretches in which each is there.
private final class RowIDStretches {
  /// How many questions are asked before it is worth while to read all rowids.
  private static let questionsMin = 1000
  /// How many stretches are kept at most: 16 bytes each.
  private static let keptMax = 1 << 20

  private var firsts: ContiguousArray<Int64> = []
  private var lasts: ContiguousArray<Int64> = []
  private var questions = 0

  /// Whether it is time to read the rowids: once.
  var isDue: Bool {
    questions += 1
    return questions == Self.questionsMin
  }

  /// Adds the next rowid; false when no more is kept.
  func add(_ rowID: Int64) -> Bool {
    if let last = lasts.last, last < .max, last + 1 == rowID {
      lasts[lasts.count - 1] = rowID
      return true
    }
    guard firsts.count < Self.keptMax else { return false }
    firsts.append(rowID)
    lasts.append(rowID)
    return true
  }

  /// Whether a rowid lies in a stretch.
  func contains(_ rowID: Int64) -> Bool {
    let next = firsts.partitioningIndex { $0 > rowID }
    return next > 0 && rowID <= lasts[next - 1]
  }
}
