// SPDX-License-Identifier: Apache-2.0
// A playbook that may be wrong, and the rules that it must keep.

/// What could be decoded of a playbook, in which anything may be missing.
struct PlaybookDraft: Decodable {
  /// Something wrong, and the value that it is about.
  struct Mistake: Hashable {
    let message: String
    let path: DocumentPath
  }

  /// How many steps a playbook may have.
  static let stepsMax = 100
  /// How long a text may be, in characters.
  static let textMax = 600

  private var texts: [(path: DocumentPath, text: String)] = []
  private var lists: [(key: String, count: Int)] = []
  private var steps: [PlaybookStepDraft] = []
  private var parameters: [PlaybookParameterDraft] = []

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    // Keys and values of the wrong kind were reported by the scanner, with their place.
    if let title = try? container.decode(String.self, forKey: "title") {
      texts.append((["title"], title))
    }
    for key in ["symptoms", "whenToUse", "whenNotToUse"] {
      guard let list = try? container.decode([String].self, forKey: AnyKey(key)) else { continue }
      lists.append((key, list.count))
      for (index, text) in list.enumerated() { texts.append(([.key(key), .index(index)], text)) }
    }
    parameters =
      (try? container.decode([PlaybookParameterDraft].self, forKey: "parameters")) ?? []
    if let steps = try? container.decode([PlaybookStepDraft].self, forKey: "steps") {
      self.steps = steps
      lists.append(("steps", steps.count))
    }
  }

  /// Everything that breaks a rule.
  var mistakes: [Mistake] {
    var mistakes = texts.flatMap { Self.mistakes(inText: $0.text, at: $0.path) }
    for list in lists where list.count == 0 {
      mistakes.append(Mistake(message: "the list is empty", path: [.key(list.key)]))
    }
    if steps.count > Self.stepsMax {
      mistakes.append(
        Mistake(
          message: "more than \(Self.stepsMax) steps", path: ["steps", .index(Self.stepsMax)])
      )
    }
    if parameters.count > Self.stepsMax {
      mistakes.append(
        Mistake(
          message: "more than \(Self.stepsMax) parameters",
          path: ["parameters", .index(Self.stepsMax)]))
    }
    for index in parameters.indices.prefix(Self.stepsMax) {
      mistakes += parameters[index].mistakes(
        at: index, after: parameters[..<index].compactMap(\.name))
    }
    let known = parameters.prefix(Self.stepsMax).compactMap(\.parameter)
    for index in steps.indices.prefix(Self.stepsMax) {
      mistakes += steps[index].mistakes(at: index, among: steps, known)
    }
    return mistakes
  }

  /// What is wrong with a text that people are to read.
  static func mistakes(inText text: String, at path: DocumentPath) -> [Mistake] {
    if text.allSatisfy(\.isWhitespace) {
      return [Mistake(message: "the text is empty", path: path)]
    }
    if text.count > textMax {
      return [Mistake(message: "the text is longer than \(textMax) characters", path: path)]
    }
    // A terminal must not be steered by a file.
    guard !text.unicodeScalars.contains(where: \.isObeyed) else {
      return [Mistake(message: "the text holds a character that cannot be printed", path: path)]
    }
    return []
  }
}

/// What could be decoded of a step.
struct PlaybookStepDraft: Decodable {
  private let id: String?
  private let action: PlaybookAction?
  private let text: String?
  private let when: String?
  private let onFailure: Playbook.Step.OnFailure?
  private let inPlace: Bool?
  private let choices: [String]?
  private let command: [String]?
  private let parameters: Set<String>

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    id = try? container.decode(String.self, forKey: "id")
    action = try? container.decode(PlaybookAction.self, forKey: "action")
    text = try? container.decode(String.self, forKey: "text")
    when = try? container.decode(String.self, forKey: "when")
    onFailure = try? container.decode(Playbook.Step.OnFailure.self, forKey: "onFailure")
    inPlace = try? container.decode(Bool.self, forKey: "inPlace")
    choices = try? container.decode([String].self, forKey: "choices")
    command = try? container.decode([String].self, forKey: "command")
    parameters = Set(container.allKeys.map(\.stringValue))
      .intersection(PlaybookAction.allCases.flatMap(\.parameters))
  }

  private var step: Playbook.Step? {
    action.map { Playbook.Step(id: "", action: $0, text: "", inPlace: inPlace) }
  }

  /// What is wrong with the step at an index among all steps, of a playbook with parameters.
  func mistakes(
    at index: Int, among steps: [PlaybookStepDraft], _ known: [PlaybookParameter]
  ) -> [PlaybookDraft.Mistake] {
    let before = steps[..<index]
    var mistakes: [PlaybookDraft.Mistake] = []
    func add(_ message: String, _ keys: DocumentPath.Component...) {
      mistakes.append(.init(message: message, path: DocumentPath(["steps", .index(index)] + keys)))
    }
    if let id {
      if !Self.isName(id) {
        add("an id consists of small letters, digits and '-', up to 40 of them", "id")
      }
      if before.contains(where: { $0.id == id }) {
        add("another step has the id \(id.quoted)", "id")
      }
    }
    if let text {
      mistakes += PlaybookDraft.mistakes(inText: text, at: ["steps", .index(index), "text"])
    }
    if let when {
      let answers = before.flatMap { $0.choices ?? [] }
      for mistake in PlaybookCondition(sql: when).mistakes(answers: answers, known) {
        add(mistake, "when")
      }
    }
    if let action {
      for parameter in parameters.subtracting(action.parameters).sorted() {
        add(
          "the action \(action.rawValue.quoted) has no parameter \(parameter.quoted)",
          .key(parameter))
      }
    }
    if step?.isDestructive == true {
      if onFailure == .continue {
        add("a destructive step cannot continue after it failed", "onFailure")
      }
      if !before.contains(where: { $0.action == .backup }) {
        add("a destructive step without a backup step before it would be refused")
      }
    }
    if action == .guardCommand, !parameters.contains("command") {
      add("a step that guards needs a 'command', a list of the program and its arguments")
    }
    for mistake in command.map({ Self.mistakes(inCommand: $0, known) }) ?? [] {
      add(mistake.message, "command", .index(mistake.index))
    }
    for mistake in choiceMistakes(among: steps[index...].dropFirst()) {
      add(mistake.message, "choices", .index(mistake.index))
    }
    if before.last.map({ $0.action == .stop && $0.when == nil }) == true {
      add("the step is never reached: the one before it always stops")
    }
    return mistakes
  }

  private func choiceMistakes(
    among later: ArraySlice<PlaybookStepDraft>
  ) -> [(message: String, index: Int)] {
    guard let choices else { return [] }
    let possible = later.filter { $0.step?.needsConsent == true }.compactMap(\.id)
    if choices.isEmpty { return [("the list is empty", 0)] }
    return choices.enumerated().compactMap { index, choice in
      if choices[..<index].contains(choice) { return ("the choice is listed twice", index) }
      if possible.contains(choice) { return nil }
      return (
        "\(choice.quoted) is not a step after this one that changes the database"
          + NearestWord.hint(for: choice, in: possible), index
      )
    }
  }

  private static func isName(_ id: String) -> Bool {
    1...40 ~= id.utf8.count
      && id.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "-")
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
      }
  }
}

/// A key of any name.
private struct AnyKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringLiteral name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
