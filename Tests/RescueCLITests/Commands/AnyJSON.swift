// SPDX-License-Identifier: Apache-2.0
// Any JSON as a test reads it: by key and index, without a type for each document.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Any JSON, as a test reads it.
enum AnyJSON: Hashable, Sendable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([AnyJSON])
  case object([String: AnyJSON])

  /// Reads one document.
  init(_ text: String) throws {
    self = try JSONDecoder().decode(AnyJSON.self, from: Data(text.utf8))
  }

  /// Reads JSON Lines.
  static func lines(_ text: String) throws -> [AnyJSON] {
    try text.split(separator: "\n").map { try AnyJSON(String($0)) }
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    self =
      if value.decodeNil() {
        .null
      } else if let bool = try? value.decode(Bool.self) {
        .bool(bool)
      } else if let number = try? value.decode(Double.self) {
        .number(number)
      } else if let text = try? value.decode(String.self) {
        .text(text)
      } else if let list = try? value.decode([AnyJSON].self) {
        .list(list)
      } else {
        .object(try value.decode([String: AnyJSON].self))
      }
  }

  subscript(key: String) -> AnyJSON? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  var list: [AnyJSON] { if case .list(let items) = self { items } else { [] } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
  var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
}
