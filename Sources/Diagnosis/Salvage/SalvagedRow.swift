// SPDX-License-Identifier: Apache-2.0
// One row that was found, and how sure it is whose it is.

public import SQLiteFormat

/// Why a row is set aside instead of being placed in its table.
public enum Doubt: Hashable, Sendable {
  /// The row's page hangs in the tree, but its rowid does not belong there.
  case misplaced
  /// No tree leads to the row's page.
  case orphan
  /// The row's table is known by name only: its statement cannot be parsed.
  case shapeUnknown
  /// The record has more fields than the table has columns, or a value where the rowid stands.
  case unfit
  /// The fresh schema has no such table.
  case tableNotWanted
  /// A row with the same key and other values is already there.
  case keyTaken
  /// The row breaks a constraint of the fresh schema, in SQLite's words.
  case constraint(String)

  /// The doubt in one word that does not change from version to version, for queries.
  public var word: String {
    switch self {
    case .misplaced: "misplaced"
    case .orphan: "orphan"
    case .shapeUnknown: "shape-unknown"
    case .unfit: "unfit"
    case .tableNotWanted: "table-not-wanted"
    case .keyTaken: "key-taken"
    case .constraint: "constraint"
    }
  }

  /// The doubt in words; no part of a row.
  public var description: String {
    switch self {
    case .misplaced: "the rowid does not belong on its page"
    case .orphan: "no table leads to its page"
    case .shapeUnknown: "the columns of its table are not known"
    case .unfit: "the record does not fit the columns of its table"
    case .tableNotWanted: "the fresh schema has no such table"
    case .keyTaken: "another row has the same key"
    case .constraint(let message): "the fresh schema refuses it: \(message)"
    }
  }
}

/// One thing that a salvage met in the file.
public enum SalvagedItem: Sendable {
  /// A row in its place in the tree of its table.
  case row(table: String, StoredRecord)
  /// A row that can be read but must not be placed; its table where that is known.
  case doubtful(table: String?, StoredRecord, Doubt)
  /// A row of which only a part can be read: it is lost, and the part is not.
  case partial(table: String, PartialRow)
  /// A cell that holds no readable row: one row of the table is lost.
  case lostCell(table: String, FormatError)
  /// A page of the table that cannot be read: all its rows are lost.
  case lostPage(table: String, FormatError)
}
