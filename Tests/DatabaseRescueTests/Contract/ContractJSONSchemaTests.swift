// SPDX-License-Identifier: Apache-2.0
// The published JSON Schema against contracts as they are written.

import DatabaseRescue
import Diagnosis
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
    let document = try json(ContractDocument.write(contract))
    let schema = try json(Bytes(Contract.jsonSchema.utf8))
    var conformance = Conformance(schema: schema)
    conformance.check(document, schema, at: "")
    #expect(conformance.problems == [])
    // Every published key was seen, but for two that SQLite gives one value only.
    #expect(
      published(schema).subtracting(conformance.used)
        == ["foreignKey.match", "table.storageOrder"])
    #expect(try ContractDocument.read(ContractDocument.write(contract), named: "c") == contract)
  }

  @Test func `a key that is not published is found`() throws {
    let schema = try json(Bytes(Contract.jsonSchema.utf8))
    let document = try json(Bytes(#"{"schema": 1, "name": "x", "tables": [{"nome": "t"}]}"#.utf8))
    var conformance = Conformance(schema: schema)
    conformance.check(document, schema, at: "")
    #expect(conformance.problems == ["table lacks name", "'nome' is not published at 'table'"])
  }

  private func json(_ bytes: Bytes) throws -> JSON {
    try JSONDecoder().decode(JSON.self, from: Data(bytes))
  }

  /// Every key that the schema publishes, by its place.
  private func published(_ schema: JSON) -> Set<String> {
    var keys = Set((schema["properties"]?.members ?? [:]).keys.map { ".\($0)" })
    for (name, definition) in schema["$defs"]?.members ?? [:] {
      keys.formUnion((definition["properties"]?.members ?? [:]).keys.map { "\(name).\($0)" })
    }
    return keys
  }
}

/// How a document stands to a schema: as much of JSON Schema as ours uses.
private struct Conformance {
  let schema: JSON
  /// What does not conform.
  var problems: [String] = []
  /// The published keys that were used, by their place.
  var used: Set<String> = []

  init(schema: JSON) { self.schema = schema }

  mutating func check(_ value: JSON, _ shape: JSON, at path: String) {
    if let reference = shape["$ref"]?.string {
      let name = String(reference.dropFirst("#/$defs/".count))
      guard let shape = schema["$defs"]?[name] else {
        return problems.append("\(reference) is not defined")
      }
      return check(value, shape, at: name)
    }
    switch value {
    case .object(let members): check(members, shape, at: path)
    case .array(let elements):
      require(shape["type"] == .string("array"), "a list at '\(path)'")
      for element in elements { check(element, shape["items"] ?? .null, at: path) }
    case .string(let text):
      let words = shape["enum"]?.array?.contains(.string(text))
      require(words ?? (shape["type"] == .string("string")), "a string at '\(path)'")
    case .number(let number):
      require(
        shape["type"] == .string("integer") || shape["const"] == .number(number),
        "a number at '\(path)'")
    case .flag: require(shape["type"] == .string("boolean"), "a flag at '\(path)'")
    case .null: problems.append("null at '\(path)'")
    }
  }

  private mutating func check(_ members: [String: JSON], _ shape: JSON, at path: String) {
    require(shape["type"] == .string("object"), "an object at '\(path)'")
    for key in shape["required"]?.array ?? [] {
      let key = key.string ?? ""
      require(members[key] != nil, "\(path) lacks \(key)")
    }
    for (key, member) in members.sorted(by: { $0.key < $1.key }) {
      if let inner = shape["properties"]?[key] {
        used.insert("\(path).\(key)")
        check(member, inner, at: "\(path).\(key)")
      } else if let inner = shape["additionalProperties"], inner != .flag(false) {
        check(member, inner, at: path)
      } else {
        problems.append("'\(key)' is not published at '\(path)'")
      }
    }
  }

  private mutating func require(_ holds: Bool, _ problem: String) {
    if !holds { problems.append(problem) }
  }
}

/// Any JSON.
private enum JSON: Decodable, Equatable {
  case object([String: JSON])
  case array([JSON])
  case string(String)
  case number(Double)
  case flag(Bool)
  case null

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([JSON].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  subscript(key: String) -> JSON? { members?[key] }
  var members: [String: JSON]? { if case .object(let members) = self { members } else { nil } }
  var array: [JSON]? { if case .array(let array) = self { array } else { nil } }
  var string: String? { if case .string(let string) = self { string } else { nil } }
}
