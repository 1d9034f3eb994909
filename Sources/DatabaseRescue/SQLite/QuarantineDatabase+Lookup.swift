// SPDX-License-Identifier: Apache-2.0
// What lies in the quarantine already: so that of one lost row there is one partial row.

import SQLiteFormat
import Diagnosis

extension QuarantineDatabase {
  /// A partial row that is there.
  struct PresentPart {
    let number: Int64
    let known: [Int]
    let witnesses: String?
  }

  /// Whether a row that can be read whole was set aside: by its rowid, or by its key.
  mutating func holdsRow(
    of table: Name, rowID: Int64?, key: [Value]
  ) throws(SQLiteError) -> Bool {
    for target in [Table.rows, .conflicts]
    where try find("1", in: target, table, rowID, key: key) != nil {
      return true
    }
    return false
  }

  /// What is left of a row, as far as it was found before.
  mutating func partialRow(
    _ table: Name, _ rowID: Int64?, key: [Value], keyCount: Int
  ) throws(SQLiteError) -> PresentPart? {
    guard rowID != nil || (keyCount > 0 && key.count == keyCount),
      let row = try find(
        "number, known, witnesses", in: .partialRows, table, rowID, key: key),
      let number = row[0].integerValue
    else { return nil }
    let known = (row[1].utf8String ?? "").split(separator: ",").compactMap { Int($0) }
    return PresentPart(number: number, known: known, witnesses: row[2].utf8String)
  }

  /// The rowids of a table's partial rows, in order.
  mutating func forEachPartialRowID(
    of table: Name, _ body: (Int64) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let statement = try prepared(
      """
      SELECT "rowid" FROM partial_rows WHERE "table" = ? AND "rowid" IS NOT NULL ORDER BY "rowid"
      """)
    try statement.forEach([.text(table)]) { row throws(SQLiteError) in
      if let rowID = row[0].integerValue { try body(rowID) }
    }
  }

  /// The values that are known of a lost row, each with its position in the record.
  ///
  /// Text is in UTF-8. Nil where nothing is left of the row.
  mutating func knownValues(
    of table: Name, rowID: Int64?, key: [Value]
  ) throws(SQLiteError) -> [(field: Int, value: Value)]? {
    guard let present = try partialRow(table, rowID, key: key, keyCount: key.count) else {
      return nil
    }
    let row = try prepared("SELECT * FROM partial_rows WHERE number = ?")
      .first([.integer(present.number)])
    let leading = Table.partialRows.columns.count + 1
    return present.known.compactMap { field in
      row.flatMap { leading + field < $0.count ? (field, $0[leading + field]) : nil }
    }
  }

  /// Forgets what is left of a row, which has come back whole.
  mutating func dropPartialRow(
    of table: Name, rowID: Int64?, key: [Value]
  ) throws(SQLiteError) {
    guard let present = try partialRow(table, rowID, key: key, keyCount: key.count) else { return }
    try prepared("DELETE FROM partial_rows WHERE number = ?").run([.integer(present.number)])
  }

  /// Notes that rows of the fresh database come from a backup; rowids only where there are any.
  mutating func addOrigin(
    table: Name, first: Int64?, last: Int64?, rows: Int, backup: String
  ) throws(SQLiteError) {
    try prepared(
      #"INSERT INTO origins ("table", "first", "last", "rows", backup) VALUES (?, ?, ?, ?, ?)"#
    ).run([
      .text(table), first.map(Value.integer) ?? .null, last.map(Value.integer) ?? .null,
      .integer(Int64(rows)), .text(backup),
    ])
    count += 1
  }

  /// How many rows of a table something is left of.
  mutating func partialRowCount(of table: Name) throws(SQLiteError) -> Int {
    let row = try prepared(#"SELECT count(*) FROM partial_rows WHERE "table" = ?"#)
      .first([.text(table)])
    return Int(row?.first?.integerValue ?? 0)
  }

  /// Adds what another witness knows to what is there.
  mutating func merge(
    _ partial: PartialRow, into present: PresentPart
  ) throws(SQLiteError) {
    let fresh = partial.values.filter {
      !present.known.contains($0.field) && $0.field < Self.valuesMax
    }
    var witnesses = present.witnesses.map { [$0] } ?? []
    if let index = partial.source.index { witnesses.append(index) }
    let known = (present.known + fresh.map(\.field)).sorted()
    try widen(.partialRows, to: (known.last ?? -1) + 1)
    let changes = fresh.map { ", c\($0.field) = ?" }.joined()
    try prepared(
      "UPDATE partial_rows SET number = ?, witnesses = ?, known = ?\(changes) WHERE number = ?1"
    )
    .run(
      [
        .integer(present.number),
        witnesses.isEmpty ? .null : .text(witnesses.joined(separator: ", ")),
        .text(known.listed),
      ], fresh.map { kept($0.value, encoding) }, encoding: encoding)
  }

  /// The first row of a table of rows with a rowid, or with a key where there is none.
  private mutating func find(
    _ result: String, in target: Table, _ table: Name, _ rowID: Int64?, key: [Value]
  ) throws(SQLiteError) -> [Value]? {
    if let rowID {
      return try prepared(
        #"SELECT \#(result) FROM \#(target.rawValue) WHERE "table" = ? AND "rowid" = ?"#
      ).first([.text(table), .integer(rowID)])
    }
    guard !key.isEmpty, key.count <= width(of: target) else { return nil }
    try indexByKey(target)
    let terms = key.indices.map { " AND c\($0) IS ?" }.joined()
    return try prepared(
      #"SELECT \#(result) FROM \#(target.rawValue) WHERE "table" = ? AND "rowid" IS NULL\#(terms)"#
    ).first([.text(table)], key, encoding: encoding)
  }
}
