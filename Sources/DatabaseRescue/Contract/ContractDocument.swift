// SPDX-License-Identifier: Apache-2.0
// The contract as a document: read from JSON5, written as JSON.

package import Diagnosis
package import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads and writes contract documents.
package enum ContractDocument {
  /// Reads a document.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` when it is no contract.
  package static func read(_ bytes: Bytes, named file: String) throws(RescueError) -> Contract {
    let contract = try decode(bytes, named: file)
    guard contract.version == Contract.currentVersion else {
      throw invalid(
        "'\(file)' is a contract of format \(contract.version), and this program reads format "
          + "\(Contract.currentVersion)", advice: "use a program of the same age as the contract")
    }
    return contract
  }

  /// The one place where text becomes a contract.
  private static func decode(_ bytes: Bytes, named file: String) throws(RescueError) -> Contract {
    try DocumentReader.decode(Contract.self, from: bytes, named: file, shape: shape)
  }

  private static let names = DocumentShape.list(.text)
  private static let statements = DocumentShape.list(
    .object(["name": .text, "table": .text, "sql": .text], required: ["name", "sql"]))
  private static let column = DocumentShape.object(
    [
      "name": .text, "type": .text, "notNull": .flag, "default": .text, "primaryKey": .integer,
      "generated": .text, "collation": .text,
    ], required: ["name"])
  private static let indexColumn = DocumentShape.object([
    "name": .text, "expression": .text, "descending": .flag, "collation": .text,
  ])
  private static let index = DocumentShape.object(
    [
      "name": .text, "unique": .flag, "origin": .text, "columns": .list(indexColumn),
      "predicate": .text, "sql": .text,
    ], required: ["name"])
  private static let foreignKey = DocumentShape.object([
    "columns": names, "table": .text, "referencedColumns": names, "onUpdate": .text,
    "onDelete": .text, "match": .text, "deferred": .flag,
  ])
  private static let table = DocumentShape.object(
    [
      "name": .text, "kind": .text, "columns": .list(column), "withoutRowID": .flag,
      "strict": .flag, "autoincrement": .flag, "rowIDAlias": .integer,
      "storageOrder": .list(.integer), "indexes": .list(index), "foreignKeys": .list(foreignKey),
      "checks": names, "sql": .text,
    ], required: ["name"])

  /// What no schema says: the keys that an overlay may have, and a contract too.
  private static let additions: [String: DocumentShape] = [
    "name": .text, "applicationID": .integer,
    "invariants": .list(
      .object(["name": .text, "sql": .text], required: ["name", "sql"])),
    "unsynced": .list(
      .object(["name": .text, "table": .text, "where": .text], required: ["table", "where"])),
    "rowCounts": .map(.words(Contract.RowCountPolicy.allCases.map(\.rawValue))),
    "allowExtraObjects": .flag, "renamedTables": .map(.text),
    "renamedColumns": .map(.map(.text)), "ignoreTables": names,
  ]

  /// The keys that an overlay may have.
  static let overlayShape = DocumentShape.object(additions)

  /// The keys that a contract may have.
  private static let shape = DocumentShape.object(
    additions.merging([
      "format": .words([Contract.format]), "version": .integer, "schema": .integer,
      "userVersion": .integer,
      "tables": .list(table), "triggers": statements, "views": statements, "freshSchema": names,
      "rules": .words(SchemaRules.allCases.map(\.rawValue)),
      "frameworks": .map(
        .object([
          "identityHash": .text, "migrations": names, "ancestors": names, "model": .map(.text),
        ])),
    ]) { $1 }, required: ["name"])

  private static func invalid(
    _ message: String, advice: String = "correct the contract, or capture a new one"
  ) -> RescueError {
    RescueError(.invalidInput, message, meaning: "nothing was done", advice: advice)
  }

  /// Saves a document in a file.
  ///
  /// - Throws: ``RescueError`` when it cannot be written.
  package static func save(
    _ document: Bytes, as output: RunFiles.Output, in world: World
  ) throws(RescueError) {
    try output.write(document, world: world)
  }

  /// Writes a document: sorted keys, so that two of them compare line by line.
  ///
  /// - Throws: ``RescueError`` of kind `internal`, which is a defect.
  package static func write(_ contract: Contract) throws(RescueError) -> Bytes {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      let text = String(decoding: try encoder.encode(contract), as: UTF8.self)
      return Bytes(text.harmlessJSON.utf8) + [0x0A]
    } catch {
      throw RescueError(.internal, "cannot write the contract '\(contract.name)'")
    }
  }
}
