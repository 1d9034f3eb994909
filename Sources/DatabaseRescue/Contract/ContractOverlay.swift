// SPDX-License-Identifier: Apache-2.0
// What people add to a schema that a framework exports or a script states: `42.overlay.json5` beside
// `42.json` says what no schema says.

import Diagnosis
import SQLiteFormat

/// What is added to a contract that was not written by people.
struct ContractOverlay: Decodable {
  var name: String?
  var applicationID: Int32?
  var invariants: [Contract.Invariant]?
  var unsynced: [Contract.UnsyncedEntry]?
  var rowCounts: [Name: Contract.RowCountPolicy]?
  var allowExtraObjects: Bool?
  var renamedTables: [Name: Name]?
  var renamedColumns: [Name: [Name: Name]]?
  var ignoreTables: [Name]?

  /// The endings that the file may have, in the place of that of the schema.
  private static let endings = [".overlay.json5", ".overlay.json"]

  /// Reads the overlay that lies beside a file, and its name; nil where there is none.
  ///
  /// - Throws: ``RescueError`` when it cannot be read, or is none.
  static func beside(
    _ path: FilePath, world: World
  ) throws(RescueError) -> (overlay: ContractOverlay, file: String)? {
    for ending in endings {
      let overlay = path.folder.appending(FilePath(path.stem + ending))
      guard let status = try? world.storage.status(of: overlay), status.kind == .file else {
        continue
      }
      let bytes: Bytes
      do {
        let file = try world.storage.open(overlay, .read)
        bytes = try file.read(at: 0, count: min(file.byteCount, DocumentScanner.byteCountMax + 1))
      } catch {
        throw RescueError(error, doing: "read '\(overlay)'")
      }
      let name = overlay.name.description
      return (
        try DocumentReader.decode(
          ContractOverlay.self, from: bytes, named: name, shape: ContractDocument.overlayShape),
        name
      )
    }
    return nil
  }

  /// The contract with what is added.
  func added(to contract: Contract) -> Contract {
    var contract = contract
    contract.name = name ?? contract.name
    contract.applicationID = applicationID ?? contract.applicationID
    contract.invariants += invariants ?? []
    contract.unsynced = unsynced ?? contract.unsynced
    contract.rowCounts.merge(rowCounts ?? [:]) { $1 }
    contract.allowExtraObjects = allowExtraObjects ?? contract.allowExtraObjects
    contract.renamedTables.merge(renamedTables ?? [:]) { $1 }
    contract.renamedColumns.merge(renamedColumns ?? [:]) { $1 }
    contract.ignoreTables += ignoreTables ?? []
    return contract
  }
}
