// SPDX-License-Identifier: Apache-2.0
// What a value of a published document may be, written as JSON Schema (draft 2020-12).

/// What a value of a published document may be.
///
/// A shape is strict: an object has the members that are named and no other.
struct JSONShape: Hashable, Sendable {
  /// The shape as JSON Schema.
  let schema: JSON

  private init(_ members: [String: JSON]) { schema = .object(members) }

  /// A string.
  static let text = JSONShape(["type": "string"])
  /// A whole number.
  static let integer = JSONShape(["type": "integer"])
  /// A whole number that is no less than zero.
  static let count = JSONShape(["type": "integer", "minimum": 0])
  /// Any number.
  static let number = JSONShape(["type": "number"])
  /// `true` or `false`.
  static let flag = JSONShape(["type": "boolean"])
  /// `true`, `false`, or `null` where that cannot be told.
  static let flagOrNull = JSONShape(["type": ["boolean", "null"]])
  /// A time in ISO 8601.
  static let date = JSONShape(["type": "string"]).saying("a time in UTC, by ISO 8601")

  /// One value and no other.
  static func constant(_ value: JSON) -> JSONShape { JSONShape(["const": value]) }

  /// One of some words.
  static func words(_ words: [String]) -> JSONShape {
    JSONShape(["enum": .array(words.map { .string($0) })])
  }

  /// A list of values of one shape.
  static func list(_ element: JSONShape) -> JSONShape {
    JSONShape(["type": "array", "items": element.schema])
  }

  /// An object with keys of any name.
  static func map(_ value: JSONShape) -> JSONShape {
    JSONShape(["type": "object", "additionalProperties": value.schema])
  }

  /// An object with these members; one whose name ends in `?` may be absent.
  static func object(_ members: [String: JSONShape]) -> JSONShape {
    let required = members.keys.filter { !$0.hasSuffix("?") }.sorted()
    let named = members.map { name, shape in
      (name.hasSuffix("?") ? String(name.dropLast()) : name, shape.schema)
    }
    return JSONShape([
      "type": "object", "additionalProperties": false,
      "required": .array(required.map { .string($0) }),
      "properties": .object(Dictionary(uniqueKeysWithValues: named)),
    ])
  }

  /// A document: an object that says what it is.
  static func document(
    _ types: [String], as format: PublishedFormat, _ members: [String: JSONShape]
  ) -> JSONShape {
    let head: [String: JSONShape] = [
      "format": .constant(.string(format.name)), "version": .constant(.integer(format.version)),
      "type": types.count == 1 ? .constant(.string(types[0])) : .words(types),
    ]
    return .object(head.merging(members) { $1 })
  }

  /// The shape that has a name among the definitions.
  static func named(_ name: String) -> JSONShape { JSONShape(["$ref": .string("#/$defs/\(name)")]) }

  /// The shape with what its values mean.
  func saying(_ meaning: String) -> JSONShape {
    JSONShape(schema.members.merging(["description": .string(meaning)]) { $1 })
  }

  /// A whole schema: documents of one of these definitions.
  static func schema(
    _ title: String, oneOf names: [String], _ definitions: [String: JSONShape]
  ) -> JSON {
    [
      "$schema": .string(draft), "title": .string(title),
      "oneOf": .array(names.sorted().map { JSONShape.named($0).schema }),
      "$defs": .object(definitions.mapValues(\.schema)),
    ]
  }

  /// The version of JSON Schema in which all are written.
  static let draft = "https://json-schema.org/draft/2020-12/schema"
}

extension DocumentShape {
  /// The shape of a document that people write, as JSON Schema; `words` say what a key means, by its
  /// path, such as `steps.when`.
  func published(saying words: [String: String] = [:], at path: String = "") -> JSONShape {
    switch self {
    case .anything: .anything
    case .text: .text
    case .words(let words): .words(words)
    case .flag: .flag
    case .number: .number
    case .integer: .integer
    case .list(let element): .list(element.published(saying: words, at: path))
    case .map(let value): .map(value.published(saying: words, at: path))
    case .object(let members, let required):
      .object(
        Dictionary(
          members.map { key, value in
            let shape = value.published(saying: words, at: path + key + ".")
            return (
              required.contains(key) ? key : key + "?", words[path + key].map(shape.saying) ?? shape
            )
          }
        ) { $1 })
    }
  }
}

extension JSONShape {
  /// Any value.
  fileprivate static let anything = JSONShape([:])
}
