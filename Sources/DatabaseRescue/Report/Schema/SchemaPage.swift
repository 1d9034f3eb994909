// SPDX-License-Identifier: Apache-2.0
// The reference page of a published format, as Markdown: its JSON Schema in tables.

/// A JSON Schema of ours as a page for people.
struct SchemaPage {
  private let schema: JSON

  init(_ schema: JSON) { self.schema = schema }

  /// The page in Markdown, without what comes before its first heading.
  var markdown: [String] {
    let parts = schema["$defs"]?.members ?? [:]
    let documents = (schema["oneOf"]?.elements ?? []).compactMap(Self.name)
    let rest = parts.keys.filter { !documents.contains($0) }.sorted()
    return (schema["properties"] == nil ? [] : ["## The document", ""] + Self.table(of: schema))
      + sections(documents, titled: "## The documents", parts)
      + sections(rest, titled: "## Their parts", parts)
  }

  private func sections(
    _ names: [String], titled title: String, _ parts: [String: JSON]
  ) -> [String] {
    guard !names.isEmpty else { return [] }
    return [title, ""]
      + names.flatMap { name -> [String] in
        guard let part = parts[name] else { return [] }
        let head = ["### \(name)", ""]
        guard part["properties"] == nil else { return head + Self.table(of: part) }
        return head + ["\(Self.kind(of: part))\(Self.meaning(of: part, after: ": "))", ""]
      }
  }

  // MARK: Members

  private static func table(of object: JSON) -> [String] {
    ["| key | value | what it says |", "|---|---|---|"] + rows(of: object, in: "") + [""]
  }

  /// A line for each member of an object, and for those of the objects that it holds.
  private static func rows(of object: JSON, in path: String) -> [String] {
    let required = Set((object["required"]?.elements ?? []).compactMap(\.text))
    let members = object["properties"]?.members ?? [:]
    // What says what a document is comes first.
    let head = members["format"] == nil ? [] : PublishedFormat.headKeys
    let keys =
      head.filter { members[$0] != nil } + members.keys.filter { !head.contains($0) }.sorted()
    return keys.map { ($0, members[$0] ?? .null) }.flatMap { key, value -> [String] in
      let name = path + key
      let row =
        "| `\(name)` | \(kind(of: value))\(required.contains(key) ? "" : ", or absent") "
        + "| \(meaning(of: value, after: "")) |"
      return [row] + nested(in: value, named: name)
    }
  }

  /// The members of the objects that a value holds without a name of their own.
  private static func nested(in value: JSON, named name: String) -> [String] {
    if value["properties"] != nil { return rows(of: value, in: name + ".") }
    if let element = value["items"] { return nested(in: element, named: name + "[]") }
    if let element = value["additionalProperties"], !element.members.isEmpty {
      return nested(in: element, named: name + ".*")
    }
    return []
  }

  // MARK: Values

  private static func name(_ reference: JSON) -> String? {
    reference["$ref"]?.text.map { String($0.dropFirst("#/$defs/".count)) }
  }

  /// What a value may be, in a few words.
  private static func kind(of value: JSON) -> String {
    if let name = name(value) { return "[\(name)](#\(name.lowercased()))" }
    if let constant = value["const"] { return "`\(constant.compact)`" }
    if let words = value["enum"] {
      return words.elements.map { "`\($0.compact)`" }.joined(separator: " ")
    }
    if let element = value["items"] { return "list of " + kind(of: element) }
    if let kinds = value["type"]?.elements, !kinds.isEmpty { return "true, false or null" }
    switch value["type"]?.text {
    case "string": return "text"
    case "integer": return "whole number"
    case "number": return "number"
    case "boolean": return "true or false"
    case "object":
      guard let element = value["additionalProperties"], !element.members.isEmpty else {
        return "object"
      }
      return "by name: " + kind(of: element)
    default: return "anything"
    }
  }

  private static func meaning(of value: JSON, after prefix: String) -> String {
    let words = value["description"]?.text ?? value["items"]?["description"]?.text
    let standard = value["default"].map { "`\($0.compact)` where nothing is said" }
    let phrase = words.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    let all = [phrase, standard].compactMap(\.self).joined(separator: "; ")
    return all.isEmpty ? "" : prefix + all.replacing("|", with: "\\|")
  }
}
