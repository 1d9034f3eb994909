// SPDX-License-Identifier: Apache-2.0
// Values too long for memory: first zeros in their row, then written over piece by piece.
//
// SQLite writes into the middle of a value without holding the rest, but only of a value that is
// there already, and it makes one without holding it only of zeros, as a blob, with nothing but
// zeros behind it in the record. So all values from the first long one on are written as blobs;
// what is none gets its type when nobody has the database open (2.1 of the file format: blobs
// have even types, the odd ones above them are texts of the same length).

internal import CSQLite
import Diagnosis
import SQLiteFormat

/// Writes the long values of one table, on a connection that its user keeps open.
@safe struct LongValues {
  private let connection: OpaquePointer
  private let table: Name
  private let roots: TableRoots
  private let types: DeferredTypes

  /// Prepares for a table; what is no blob is noted in `types`.
  init(
    of table: Name, _ roots: TableRoots, on connection: borrowing Connection,
    _ types: DeferredTypes
  ) {
    unsafe self.connection = connection.handle
    self.table = table
    self.roots = roots
    self.types = types
  }

  /// Writes a value over the zeros in the row that was inserted last; `place` is the position of its
  /// column in the record.
  ///
  /// - Throws: ``SQLiteError``, or ``FormatError`` when its pages can no longer be read.
  func fill(
    _ column: Name, at place: Int, with field: Record.Field, of record: Record
  ) throws {
    let rowID = unsafe sqlite3_last_insert_rowid(connection)
    var blob: OpaquePointer?
    try require(
      unsafe sqlite3_blob_open(connection, "main", table.text, column.text, rowID, 1, &blob))
    defer { unsafe sqlite3_blob_close(blob) }
    var pieces = record.pieces(of: field)
    var offset: Int32 = 0
    while let piece = try pieces.next() {
      let count = Int32(clamping: piece.range.count)
      try require(
        unsafe piece.bytes.withUnsafeBytes { buffer in
          let content = unsafe UnsafeRawBufferPointer(rebasing: buffer[piece.range])
          return unsafe sqlite3_blob_write(blob, content.baseAddress, count, offset)
        })
      offset += count
    }
    guard !field.isBlob, let root = try roots.root(of: table) else { return }
    types.add(
      DeferredTypes.Place(root: root, rowID: rowID, field: place, serialType: field.serialType))
  }

  private func require(_ result: Int32) throws(SQLiteError) {
    guard result == SQLITE_OK else { throw unsafe Connection.error(of: connection) }
  }
}

extension TableDescription {
  /// The columns at which something looks while they consist of zeros: a constraint or a generated
  /// column; nil where that may be any of them.
  var watchedColumns: Set<Name>? {
    guard !withoutRowID, !strict, kind != .virtual, checks.isEmpty,
      columns.allSatisfy({ $0.generated == .none })
    else { return nil }
    var watched: Set<Name> = []
    for index in indexes where index.unique {
      guard index.predicate == nil else { return nil }
      for column in index.columns {
        guard let name = column.name else { return nil }
        watched.insert(name)
      }
    }
    return watched
  }

  /// Where in a record the value of each column lies.
  var placesInRecord: [Name: Int] {
    let names = storageOrder.enumerated().filter { columns.indices.contains($1) }
    return Dictionary(
      names.map { (columns[$1].name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

/// The roots of the tables of one database.
final class TableRoots {
  private let statement: Statement

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    statement = try connection.prepare(
      "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE")
  }

  /// The root of a table; nil where there is no such table.
  func root(of table: Name) throws(SQLiteError) -> PageNumber? {
    defer { statement.reset() }
    try statement.bind([.text(table)])
    guard try statement.step() else { return nil }
    return statement[0].integerValue.flatMap { PageNumber(Int($0)) }
  }
}
