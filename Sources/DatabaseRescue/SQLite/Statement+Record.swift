// SPDX-License-Identifier: Apache-2.0
// Fields of records, bound to a statement as they lie there.

import SQLiteFormat

extension Statement {
  /// Binds a field of a record; of a long record, with the whole value in memory.
  ///
  /// - Throws: ``SQLiteError``, or ``FormatError`` when the pages of a long value can no longer be
  ///   read.
  func bind(
    _ field: Record.Field, of record: Record, isReal: Bool, at index: Int, encoding: TextEncoding
  ) throws {
    if field.isText || field.isBlob, record.holds(field) {
      return try bind(
        record.bytes, field.offset..<(field.offset + field.length), isText: field.isText,
        at: index, encoding: encoding)
    }
    let value = try record.value(of: field)
    if isReal, case .integer(let integer) = value {
      try bind(.real(Double(integer)), at: index)
    } else {
      try bind(value, at: index, encoding: encoding)
    }
  }
}
