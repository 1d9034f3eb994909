// SPDX-License-Identifier: Apache-2.0
// The published JSON Schema against contracts as they are written.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ContractJSONSchemaTests {
  @Test func `a captured contract has the published shape`() throws {
    let connection = try Connection(mode: .memory, schemaBy: .us)
    try connection.execute(
      ContractSourceTests.script.replacing("CREATE TABLE sqlite_sequence(name,seq);", with: "")
        + "CREATE INDEX lowered ON person (lower(name) DESC, name COLLATE RTRIM);"
        + "CREATE TABLE odd (id INTEGER PRIMARY KEY DESC, b AS (id) VIRTUAL, "
        + "c REFERENCES odd ON UPDATE SET NULL MATCH FULL)")
    var contract = try ContractSource.capture(connection, name: "all")
    contract.invariants = [.init(name: "i", sql: "SELECT 1")]
    contract.rowCounts = ["t": .any]
    contract.allowExtraObjects = true
    contract.renamedTables = ["s": "t"]
    contract.renamedColumns = ["t": ["a": "b"]]
    contract.ignoreTables = ["u"]
    contract.rules = .room
    contract.books = [
      .room: FrameworkBook(identityHash: "0"), .grdb: FrameworkBook(migrations: ["v1"]),
      .alembic: FrameworkBook(migrations: ["b"], ancestors: ["a"]),
      .coreData: FrameworkBook(model: ["identifiers": "1"]),
    ]
    let document = try json(ContractDocument.write(contract))
    let schema = try json(Bytes(Contract.jsonSchema.utf8))
    let check = SchemaCheck(schema)
    #expect(check.problems(of: document) == [])
    // Every published key was seen, but for two that SQLite gives one value only.
    #expect(
      check.keys.subtracting(check.keys(usedIn: document))
        == ["foreignKey.match", "table.storageOrder"])
    #expect(try ContractDocument.read(ContractDocument.write(contract), named: "c") == contract)
  }

  @Test func `a key that is not published is found`() throws {
    let schema = try json(Bytes(Contract.jsonSchema.utf8))
    let document = try json(Bytes(#"{"version": 1, "name": "x", "tables": [{"nome": "t"}]}"#.utf8))
    #expect(
      SchemaCheck(schema).problems(of: document)
        == ["'nome' is not described at '.tables[0]'", ".tables[0] lacks 'name'"])
  }

  private func json(_ bytes: Bytes) throws -> JSON { try #require(JSON(reading: bytes)) }
}
