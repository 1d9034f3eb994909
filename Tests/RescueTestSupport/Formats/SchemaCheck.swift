// SPDX-License-Identifier: Apache-2.0
// A document held to a JSON Schema: as much of draft 2020-12 as the published formats use.

package import DatabaseRescue

/// A document held to a JSON Schema.
///
/// A keyword that this check does not know is a problem too: no schema of ours may say what nobody
/// checks.
package struct SchemaCheck {
  private let schema: JSON

  /// Makes the check of a schema.
  package init(_ schema: JSON) { self.schema = schema }

  /// What is wrong with a document; nothing where it conforms.
  package func problems(of document: JSON) -> [String] { problems(document, schema, at: "") }

  /// Says nothing of values.
  private static let remarks: Set<String> = [
    "$schema", "$defs", "title", "description", "default",
  ]

  private func problems(_ value: JSON, _ shape: JSON, at path: String) -> [String] {
    shape.members.sorted { $0.key < $1.key }.flatMap { keyword, demand -> [String] in
      if Self.remarks.contains(keyword) { return [] }
      switch keyword {
      case "$ref": return problems(value, at: path, as: demand)
      case "oneOf": return problems(value, at: path, asOneOf: demand.elements)
      case "const": return value == demand ? [] : ["\(path) is \(value.compact), not \(demand)"]
      case "enum": return demand.elements.contains(value) ? [] : ["\(path) is \(value.compact)"]
      case "type":
        let names = demand.text.map { [$0] } ?? demand.elements.compactMap(\.text)
        return names.contains(where: value.isOfType) ? [] : ["\(path) is no \(names)"]
      case "minimum", "maximum": return problems(value, at: path, keyword, demand)
      case "items":
        return value.elements.enumerated().flatMap { index, element in
          problems(element, demand, at: "\(path)[\(index)]")
        }
      case "required":
        guard case .object(let members) = value else { return [] }
        return demand.elements.compactMap(\.text).filter { members[$0] == nil }
          .map { "\(path) lacks '\($0)'" }
      case "properties":
        return demand.members.flatMap { name, inner in
          value[name].map { problems($0, inner, at: "\(path).\(name)") } ?? []
        }
      case "additionalProperties":
        let named = shape["properties"]?.members ?? [:]
        return value.members.filter { named[$0.key] == nil }.flatMap { name, member in
          demand == false
            ? ["'\(name)' is not described at '\(path)'"]
            : problems(member, demand, at: "\(path).\(name)")
        }
      default: return ["the keyword '\(keyword)' is not checked"]
      }
    }
  }

  private func problems(_ value: JSON, at path: String, as reference: JSON) -> [String] {
    let name = reference.text?.split(separator: "/").last.map(String.init) ?? ""
    guard reference.text == "#/$defs/\(name)", let shape = schema["$defs"]?[name] else {
      return ["\(reference.compact) is not defined"]
    }
    return problems(value, shape, at: path)
  }

  /// Of several that fit nearly, the nearest says what is wrong.
  private func problems(_ value: JSON, at path: String, asOneOf shapes: [JSON]) -> [String] {
    let found = shapes.map { problems(value, $0, at: path) }
    let count = found.count(where: \.isEmpty)
    guard count != 1 else { return [] }
    return count > 1 ? ["\(path) is of several kinds"] : found.min { $0.count < $1.count } ?? []
  }

  private func problems(
    _ value: JSON, at path: String, _ keyword: String, _ limit: JSON
  ) -> [String] {
    guard case .integer(let number) = value, case .integer(let limit) = limit else { return [] }
    let fits = keyword == "minimum" ? number >= limit : number <= limit
    return fits ? [] : ["\(path) is \(number), beyond \(limit)"]
  }
}

extension SchemaCheck {
  /// Every key that the schema describes, by its place: the name of a definition, or nothing for the
  /// document itself.
  package var keys: Set<String> {
    let shapes = [("", schema)] + (schema["$defs"]?.members ?? [:]).map { ($0.key, $0.value) }
    return Set(
      shapes.flatMap { place, shape in
        (shape["properties"]?.members ?? [:]).keys.map { "\(place).\($0)" }
      })
  }

  /// The described keys that a document has, by their place.
  package func keys(usedIn document: JSON) -> Set<String> { keys(usedIn: document, schema, at: "") }

  private func keys(usedIn value: JSON, _ shape: JSON, at place: String) -> Set<String> {
    if let name = shape["$ref"]?.text?.split(separator: "/").last.map(String.init) {
      return keys(usedIn: value, schema["$defs"]?[name] ?? [:], at: name)
    }
    var keys: Set<String> = []
    for element in value.elements {
      keys.formUnion(self.keys(usedIn: element, shape["items"] ?? [:], at: place))
    }
    for (name, member) in value.members {
      let described = shape["properties"]?[name]
      if described != nil { keys.insert("\(place).\(name)") }
      guard let inner = described ?? shape["additionalProperties"] else { continue }
      keys.formUnion(self.keys(usedIn: member, inner, at: "\(place).\(name)"))
    }
    return keys
  }
}

extension JSON {
  fileprivate func isOfType(_ name: String) -> Bool {
    switch self {
    case .null: name == "null"
    case .bool: name == "boolean"
    case .integer: name == "integer" || name == "number"
    case .number: name == "number"
    case .string: name == "string"
    case .array: name == "array"
    case .object: name == "object"
    }
  }
}

extension PublishedFormat {
  /// What is wrong with a document by the schema of the format that it names; nothing where it
  /// conforms.
  package static func problems(of document: JSON) -> [String] {
    // A contract names no format, nor does a schema.
    if document["$schema"] != nil { return [] }
    let name = document["format"]?.text
    let format = name == nil ? .contract : allCases.first { $0.name == name }
    return format?.check.problems(of: document) ?? ["there is no format '\(name ?? "")'"]
  }

  private var check: SchemaCheck { Self.checks[self] ?? SchemaCheck(false) }

  /// Made once, as thousands of documents are held to them.
  private static let checks = Dictionary(
    uniqueKeysWithValues: allCases.map {
      ($0, SchemaCheck(JSON(reading: $0.schemaText.utf8) ?? false))
    })
}
