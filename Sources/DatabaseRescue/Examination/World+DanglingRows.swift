// SPDX-License-Identifier: Apache-2.0
// Rows that refer to rows that are not there, as SQLite counts them on a private copy.

import Diagnosis
import SQLiteFormat

extension World {
  /// How many rows of a database refer to rows that are not there, by table; nil where SQLite could
  /// not be asked.
  func danglingRows(in examination: Examination) -> [Name: Int]? {
    guard examination.verdict.isStructureSound, let image = examination.survey.image,
      let schema = examination.survey.schema?.parsed.description
    else { return nil }
    let tables = schema.tables.filter { !$0.foreignKeys.isEmpty }.map(\.name)
    guard !tables.isEmpty else { return [:] }
    return try? withCopy(of: image) { connection in
      var counts: [Name: Int] = [:]
      for table in tables {
        // Of a table whose parent has no such key, SQLite says nothing.
        let count = try? connection.value(
          "SELECT count(*) FROM pragma_foreign_key_check(?)", [.text(table)])?.integerValue
        counts[table] = count.map { Int($0) }
      }
      return counts
    }
  }

  /// Does something with a copy that SQLite has open.
  private func withCopy<Result>(
    of image: Image, _ body: (borrowing Connection) -> Result
  ) throws -> Result {
    guard image.byteCount > Self.memoryMax else {
      return body(try Connection.reading(try image.wholeBytes()))
    }
    let folder = try PrivateFolder(world: self)
    let copy = folder.file("references.db")
    try image.write(to: copy, storage: storage)
    return body(try Connection(copy, mode: .readOnly))
  }
}
