// SPDX-License-Identifier: Apache-2.0
// A value that a playbook leaves to whoever runs it.

/// A value that a playbook leaves to whoever runs it: conditions can ask for it as for a fact.
package struct PlaybookParameter: Hashable, Sendable, Encodable {
  /// What a value may be.
  package enum Kind: String, Hashable, Sendable, Encodable, CaseIterable {
    /// A number.
    case number
    /// Yes or no.
    case flag
    /// A text.
    case text

    /// The value that a document gives; nil when it is none of this kind.
    fileprivate func value(_ given: DocumentValue.Content) -> PlaybookFacts.Value? {
      switch (self, given) {
      case (.number, .number(let number?, _)): .real(number)
      case (.flag, .flag(let flag)): .flag(flag)
      case (.text, .text(let text)): .text(text)
      default: nil
      }
    }

    /// The value that a text stands for; nil when it is none of this kind.
    func value(_ text: String) -> PlaybookFacts.Value? {
      switch self {
      case .number: Double(text).flatMap { $0.isFinite ? .real($0) : nil }
      case .flag: ["1": true, "true": true, "0": false, "false": false][text].map { .flag($0) }
      case .text: PlaybookRules.mistake(inText: text) == nil ? .text(text) : nil
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

  private enum CodingKeys: String, CodingKey {
    case name, text
    case kind = "type"
    case value = "default"
  }

  /// Takes a parameter from a document; nil where something is missing, or the default is of
  /// another type.
  init?(_ document: DocumentValue) {
    guard let name = document["name"]?.text, let kind: Kind = document["type"]?.word(),
      let text = document["text"]?.text,
      let value = document["default"].flatMap({ kind.value($0.content) })
    else { return nil }
    (self.name, self.kind, self.value, self.text) = (name, kind, value, text)
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
