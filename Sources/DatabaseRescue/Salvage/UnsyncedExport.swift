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
      var names: Set<Name> = []
      for place in places {
        let path = folder.appending(FilePath("unsynced-\(name(for: place.table, &names)).jsonl"))
        let rows = try export(place, of: connection, to: path, storage)
        if rows > 0 { written.append((path, rows)) }
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

  /// A name for the file of a table, which no other table has.
  private static func name(for table: Name, _ taken: inout Set<Name>) -> String {
    let plain = String(table.text.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
    let names = sequence(first: 1) { $0 + 1 }.lazy.map { $0 == 1 ? plain : "\(plain)-\($0)" }
    let name = names.first { !taken.contains(Name($0)) } ?? plain
    taken.insert(Name(name))
    return name
  }

  /// Where unsynced rows are: what the contract says, else the marks of known frameworks; one place
  /// a table.
  static func places(
    in examination: Examination, _ contract: Contract?
  ) -> [Contract.UnsyncedPlace] {
    guard let schema = examination.survey.schema?.parsed.description else { return [] }
    let names = Set(schema.tables.map(\.name))
    let contract = contract ?? Contract(name: "", userVersion: 0)
    let places = contract.unsyncedPlaces(in: schema).filter { names.contains($0.table) }
    let tables = Dictionary(grouping: places, by: \.table)
    return places.compactMap { place in
      guard let all = tables[place.table], all.count > 1 else { return place }
      guard place == all[0] else { return nil }
      let predicates = all.compactMap(\.predicate)
      var whole = place
      whole.predicate =
        predicates.count < all.count
        ? nil : predicates.map { "(\($0))" }.joined(separator: " OR ")
      return whole
    }
  }

  /// How many bytes are written at once.
  private static let chunk = 1 << 20

  /// Writes the rows of a place to a file, and makes none for no rows; returns how many there are.
  private static func export(
    _ place: Contract.UnsyncedPlace, of connection: borrowing Connection, to path: FilePath,
    _ storage: any Storage
  ) throws -> Int {
    let condition = place.predicate.map { " WHERE \($0)" } ?? ""
    let statement = try connection.prepare(
      "SELECT * FROM \(place.table.quotedIdentifier)\(condition)")
    let names = statement.columnNames
    let places = names.indices.sorted { names[$0] < names[$1] }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let keys = try names.map { try json(.text(Bytes($0.utf8)), encoder) }
    var (bytes, offset, count) = (Bytes(), 0, 0)
    guard try statement.step() else { return 0 }
    let file = try storage.open(path, .createNew)
    func write() throws {
      try file.write(bytes, at: offset)
      offset += bytes.count
      bytes.removeAll(keepingCapacity: true)
    }
    repeat {
      let row = statement.row
      let cells = try places.map { "\(keys[$0]):\(try json(row[$0], encoder))" }
      bytes.append(contentsOf: "{\(cells.joined(separator: ","))}\n".utf8)
      count += 1
      if bytes.count >= chunk { try write() }
    } while try statement.step()
    try write()
    try file.synchronize()
    return count
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
