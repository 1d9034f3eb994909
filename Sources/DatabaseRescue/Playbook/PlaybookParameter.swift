// SPDX-License-Identifier: Apache-2.0
// A value that a playbook leaves to whoever runs it.

/// A value that a playbook leaves to whoever runs it: conditions can ask for it as for a fact.
package struct PlaybookParameter: Hashable, Sendable {
  /// What a value may be.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A number.
    case number
    /// Yes or no.
    case flag
    /// A text.
    case text

    /// The value that a text stands for; nil when it is none of this kind.
    func value(_ text: String) -> PlaybookFacts.Value? {
      switch self {
      case .number: Double(text).flatMap { $0.isFinite ? .real($0) : nil }
      case .flag: ["1": true, "true": true, "0": false, "false": false][text].map { .flag($0) }
      case .text:
        PlaybookDraft.mistakes(inText: text, at: []).isEmpty ? .text(text) : nil
      }
    }
  }

  /// The name, as conditions spell it.
  package let name: String
  /// What it may be.
  package let kind: Kind
  /// What it is: the default, or what was set.
  package var value: PlaybookFacts.Value
  /// What it is for.
  package let text: String
}

extension PlaybookParameter: Codable {
  private enum CodingKeys: String, CodingKey {
    case name
    case kind = "type"
    case value = "default"
    case text
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    kind = try container.decode(Kind.self, forKey: .kind)
    text = try container.decode(String.self, forKey: .text)
    value =
      switch kind {
      case .number: .real(try container.decode(Double.self, forKey: .value))
      case .flag: .flag(try container.decode(Bool.self, forKey: .value))
      case .text: .text(try container.decode(String.self, forKey: .value))
      }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(kind, forKey: .kind)
    try container.encode(text, forKey: .text)
    switch value {
    case .flag(let flag): try container.encode(flag, forKey: .value)
    case .integer(let integer): try container.encode(integer, forKey: .value)
    case .real(let real): try container.encode(real, forKey: .value)
    case .text(let text): try container.encode(text, forKey: .value)
    }
  }
}

extension Playbook {
  /// The values of its parameters, by name.
  var values: [String: PlaybookFacts.Value] {
    Dictionary(parameters.map { ($0.name, $0.value) }) { $1 }
  }

  /// The playbook with parameters set as in `max_hours=12`.
  ///
  /// - Throws: ``RescueError`` of the kind `usage` when one is not declared, is set twice, or gets a
  ///   value of another kind.
  package func setting(_ assignments: [String]) throws(RescueError) -> Playbook {
    var (playbook, seen) = (self, Set<String>())
    for assignment in assignments {
      let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard parts.count == 2, seen.insert(name).inserted else {
        throw misuse("'--set' takes NAME=VALUE, once for each name, not \(assignment.quoted)")
      }
      guard let index = parameters.firstIndex(where: { $0.name == name }) else {
        throw misuse(
          "the playbook \(self.name.quoted) has no parameter \(name.quoted)"
            + NearestWord.hint(for: name, in: parameters.map(\.name)))
      }
      guard let value = parameters[index].kind.value(String(parts[1])) else {
        throw misuse("\(name.quoted) is a \(parameters[index].kind.rawValue)")
      }
      playbook.parameters[index].value = value
    }
    return playbook
  }

  private func misuse(_ message: String) -> RescueError {
    RescueError(
      .usage, message, meaning: "nothing was done", advice: "dbrescue playbook show \(name)")
  }
}

/// What could be decoded of a parameter, in which anything may be missing.
struct PlaybookParameterDraft: Decodable {
  let name: String?
  private let text: String?
  private let isWhole: Bool
  private let kind: PlaybookParameter.Kind?
  /// The parameter; nil where something is wrong with it.
  let parameter: PlaybookParameter?

  private enum CodingKeys: String, CodingKey {
    case name, text
    case kind = "type"
    case value = "default"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try? container.decode(String.self, forKey: .name)
    text = try? container.decode(String.self, forKey: .text)
    kind = try? container.decode(PlaybookParameter.Kind.self, forKey: .kind)
    isWhole = name != nil && text != nil && kind != nil && container.contains(.value)
    parameter = try? PlaybookParameter(from: decoder)
  }

  /// What is wrong with the parameter at an index, after others of these names.
  func mistakes(at index: Int, after names: [String]) -> [PlaybookDraft.Mistake] {
    var mistakes: [PlaybookDraft.Mistake] = []
    func add(_ message: String, _ key: DocumentPath.Component) {
      mistakes.append(.init(message: message, path: ["parameters", .index(index), key]))
    }
    if let name {
      if !Self.isName(name) {
        add("a name consists of small letters, digits and '_', and begins with a letter", "name")
      } else if PlaybookFact(rawValue: name) != nil || PlaybookCondition.isTaken(name) {
        add("\(name.quoted) means something else in a condition", "name")
      } else if names.contains(name) {
        add("another parameter has the name \(name.quoted)", "name")
      }
    }
    if let text {
      mistakes += PlaybookDraft.mistakes(inText: text, at: ["parameters", .index(index), "text"])
    }
    if let kind, isWhole, parameter.flatMap({ kind.value($0.value.plain) }) == nil {
      add("the default is not a \(kind.rawValue)", "default")
    }
    return mistakes
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 40 else { return false }
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return letters ~= first
      && name.utf8.allSatisfy {
        letters ~= $0 || $0 == UInt8(ascii: "_") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
      }
  }
}
