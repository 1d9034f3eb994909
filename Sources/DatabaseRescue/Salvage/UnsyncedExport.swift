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
  /// Text that is not valid UTF-8 and blobs are written as `{"base64": "…"}`. A place whose
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
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let condition = place.predicate.map { " WHERE \($0)" } ?? ""
    let statement = try connection.prepare(
      "SELECT * FROM \(place.table.quotedIdentifier)\(condition)")
    let names = statement.columnNames
    var bytes = Bytes()
    var count = 0
    while try statement.step() {
      var row: [String: JSONCell] = [:]
      for (name, value) in zip(names, statement.row) { row[name] = JSONCell(value: value) }
      bytes.append(contentsOf: try encoder.encode(row))
      bytes.append(UInt8(ascii: "\n"))
      count += 1
    }
    return (bytes, count)
  }

  /// A value as JSON.
  private struct JSONCell: Encodable {
    let value: Value

    func encode(to encoder: any Encoder) throws {
      switch value {
      case .text(let bytes) where value.utf8String == nil: try encode(base64: bytes, to: encoder)
      case .blob(let bytes): try encode(base64: bytes, to: encoder)
      case .real(let real) where !real.isFinite:
        try encode(base64: Bytes(real.description.utf8), to: encoder)
      default:
        var container = encoder.singleValueContainer()
        switch value {
        case .integer(let integer): try container.encode(integer)
        case .real(let real): try container.encode(real)
        case .text: try container.encode(value.utf8String)
        default: try container.encodeNil()
        }
      }
    }

    private func encode(base64 bytes: Bytes, to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(["base64": Data(bytes).base64EncodedString()])
    }
  }
}
