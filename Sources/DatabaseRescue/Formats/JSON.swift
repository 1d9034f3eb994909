// SPDX-License-Identifier: Apache-2.0
// JSON as it is written and read: one writer for every document and every line of the log.

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A JSON value, as it is written.
///
/// Keys are sorted, but for those that say what a document is, which come first; text is exact,
/// and what a terminal or an editor would obey in it is escaped; dates are in ISO 8601.
package enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// The answer of a command: it says what it is, by which version of the format, and in which
  /// status the command ends; what is nil is left out.
  package static func document(
    _ type: String, exit: Int32 = 0, _ members: [String: JSON?]
  ) -> JSON {
    let head = PublishedFormat.report.head(type).merging(["exit": .integer(Int(exit))]) { $1 }
    return .members(members.merging(head) { $1 })
  }

  /// An object without the members that are nil.
  package static func members(_ members: [String: JSON?]) -> JSON {
    .object(members.compactMapValues(\.self))
  }

  /// Something that encodes itself, such as a name or a count, as a member.
  ///
  /// - Throws: ``RescueError`` of the kind `internal`, which is a defect.
  package static func list(_ values: [some Encodable]) throws(RescueError) -> JSON {
    try JSON(encoding: values)
  }

  /// A value as the answer of a command.
  ///
  /// - Throws: ``RescueError`` of the kind `internal`, which is a defect.
  package static func document(
    _ type: String, exit: Int32 = 0, of value: some Encodable
  ) throws(RescueError) -> JSON {
    document(type, exit: exit, try JSON(encoding: value).members.mapValues(Optional.some))
  }

  /// Makes the value of something that encodes itself.
  ///
  /// - Throws: ``RescueError`` of the kind `internal`, which is a defect.
  package init(encoding value: some Encodable) throws(RescueError) {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    do {
      self = try JSONDecoder().decode(JSON.self, from: encoder.encode(value))
    } catch {
      throw RescueError(.internal, "a result cannot be written as JSON")
    }
  }

  /// Reads one JSON text; nil when it is none.
  package init?(reading text: some Collection<UInt8>) {
    guard let read = try? JSONDecoder().decode(JSON.self, from: Data(text)) else { return nil }
    self = read
  }

  /// The members of an object; empty for anything else.
  package var members: [String: JSON] {
    if case .object(let members) = self { members } else { [:] }
  }

  /// The elements of an array; empty for anything else.
  package var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  /// The text of a string; nil for anything else.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The member of an object; nil where there is none.
  package subscript(key: String) -> JSON? { members[key] }

  /// A time, in ISO 8601.
  package static func date(_ date: Date) -> JSON { .string(date.formatted(.iso8601)) }

  /// The value on one line.
  package var compact: String {
    var text = ""
    write(to: &text, indent: nil)
    return text
  }

  /// The value on many lines, for people to read too.
  package var indented: String {
    var text = ""
    write(to: &text, indent: "\n")
    return text
  }

  /// Writes the value; `indent` is the line break before the members of this level, if any.
  private func write(to text: inout String, indent: String?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += value.isFinite ? "\(value)" : "null"
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      Self.write(values, "[", "]", to: &text, indent) { value, text, inner in
        value.write(to: &text, indent: inner)
      }
    case .object(let members):
      let isDocument = members["format"] != nil
      let sorted = members.sorted { left, right in
        let (first, second) = isDocument ? (Self.rank(left.key), Self.rank(right.key)) : (0, 0)
        return (first, left.key) < (second, right.key)
      }
      Self.write(sorted, "{", "}", to: &text, indent) { member, text, inner in
        Self.write(member.key, to: &text)
        text += inner == nil ? ":" : ": "
        member.value.write(to: &text, indent: inner)
      }
    }
  }

  /// What says what a document is comes first.
  private static func rank(_ key: String) -> Int {
    PublishedFormat.headKeys.firstIndex(of: key) ?? PublishedFormat.headKeys.count
  }

  private static func write<Item>(
    _ items: [Item], _ open: String, _ close: String, to text: inout String, _ indent: String?,
    _ body: (Item, inout String, String?) -> Void
  ) {
    text += open
    let inner = indent.map { $0 + "  " }
    for (index, item) in items.enumerated() {
      if index > 0 { text += "," }
      text += inner ?? ""
      body(item, &text, inner)
    }
    if !items.isEmpty { text += indent ?? "" }
    text += close
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case _ where scalar.isObeyed: text += scalar.escapedInJSON
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(nilLiteral: ()) { self = .null }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .number(value) }
  package init(stringLiteral value: String) { self = .string(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

extension JSON: Decodable {
  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    self =
      if value.decodeNil() {
        .null
      } else if let bool = try? value.decode(Bool.self) {
        .bool(bool)
      } else if let integer = try? value.decode(Int.self) {
        .integer(integer)
      } else if let number = try? value.decode(Double.self) {
        .number(number)
      } else if let text = try? value.decode(String.self) {
        .string(text)
      } else if let elements = try? value.decode([JSON].self) {
        .array(elements)
      } else {
        .object(try value.decode([String: JSON].self))
      }
  }
}
