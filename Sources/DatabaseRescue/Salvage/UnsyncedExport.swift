// SPDX-License-Identifier: Apache-2.0
// Rows that were not sent anywhere yet, written to files of their own before anything drops them.

package import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The export of unsynced rows as JSON Lines, one object a row.
package enum UnsyncedExport {
  /// Writes the rows of every place to `unsynced-TABLE.jsonl` in a folder; no file for no rows.
  ///
  /// Text that is not valid UTF-8 and blobs are written as `{"base64": "…"}`, and a real number with
  /// a point or an exponent; an infinite one is too large for a number. A place whose
  /// rows nothing tells apart is exported whole: too much is better than too little.
  ///
  /// - Returns: The files with their numbers of rows.
  /// - Throws: ``RescueError`` when a place cannot be read or a file cannot be written.
  package static func write(
    _ places: [Contract.UnsyncedPlace], of database: FilePath, to folder: FilePath,
    storage: any Storage
  ) throws(RescueError) -> [(path: FilePath, rows: Int)] {
    var written: [(path: FilePath, rows: Int)] = []
    do {
      let connection = try Connection(database, mode: .readOnly)
      for place in places {
        let lines = try lines(of: place, connection)
        guard lines.count > 0 else { continue }
        let name = place.table.text.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" }
        let path = folder.appending(FilePath("unsynced-\(String(name)).jsonl"))
        let file = try storage.open(path, .createNew)
        try file.write(lines.bytes, at: 0)
        try file.synchronize()
        written.append((path, lines.count))
      }
      if !written.isEmpty { try storage.synchronizeFolder(folder) }
      return written
    } catch let error as StorageError {
      throw RescueError(error, meaning: "unsynced rows were not exported; nothing was changed")
    } catch let error as SQLiteError {
      throw RescueError(
        error, doing: "export the unsynced rows", meaning: "nothing was changed")
    } catch {
      throw RescueError(.internal, "cannot export the unsynced rows")
    }
  }

  /// Where unsynced rows are: what the contract says, else the marks of known frameworks.
  static func places(
    in examination: Examination, _ contract: Contract?
  ) -> [Contract.UnsyncedPlace] {
    guard let schema = examination.survey.schema?.parsed.description else { return [] }
    let names = Set(schema.tables.map(\.name))
    let contract = contract ?? Contract(name: "", userVersion: 0)
    return contract.unsyncedPlaces(in: schema).filter { names.contains($0.table) }
  }

  private static func lines(
    of place: Contract.UnsyncedPlace, _ connection: borrowing Connection
  ) throws -> (bytes: Bytes, count: Int) {
    let condition = place.predicate.map { " WHERE \($0)" } ?? ""
    let statement = try connection.prepare(
      "SELECT * FROM \(place.table.quotedIdentifier)\(condition)")
    let names = statement.columnNames
    let places = names.indices.sorted { names[$0] < names[$1] }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let keys = try names.map { try json(.text(Bytes($0.utf8)), encoder) }
    var bytes = Bytes()
    var count = 0
    while try statement.step() {
      let row = statement.row
      let cells = try places.map { "\(keys[$0]):\(try json(row[$0], encoder))" }
      bytes.append(contentsOf: "{\(cells.joined(separator: ","))}\n".utf8)
      count += 1
    }
    return (bytes, count)
  }

  private static func json(_ value: Value, _ encoder: JSONEncoder) throws -> String {
    switch value {
    case .null: return "null"
    case .integer(let integer): return "\(integer)"
    // As SQLite writes what no number in JSON stands for.
    case .real(let real): return real.isFinite ? "\(real)" : real < 0 ? "-9e999" : "9e999"
    case .text(let bytes), .blob(let bytes):
      if case .text = value, let text = value.utf8String {
        return String(decoding: try encoder.encode(text), as: UTF8.self)
      }
      return "{\"base64\":\"\(Data(bytes).base64EncodedString())\"}"
    }
  }
}
