// SPDX-License-Identifier: Apache-2.0
// The rules that a playbook must keep, beyond the shape of its document.

/// The rules that a playbook must keep, applied to a document in which anything may be missing.
///
/// Values of the wrong kind were reported with the shape, and are passed over.
struct PlaybookRules {
  /// How many steps, or parameters, a playbook may have.
  static let stepsMax = 100
  /// How long a text may be, in characters.
  static let textMax = 600

  /// What breaks the rules.
  private(set) var problems: [DocumentProblem] = []

  private let parameters: [DocumentValue]
  private let steps: [DocumentValue]
  /// The parameters that conditions and commands can ask for.
  private let known: [PlaybookParameter]

  init(judging playbook: DocumentValue) {
    func objects(_ key: String) -> [DocumentValue] {
      let elements = playbook[key]?.elements ?? []
      return elements.allSatisfy { $0.members != nil } ? elements : []
    }
    (parameters, steps) = (objects("parameters"), objects("steps"))
    known = parameters.prefix(Self.stepsMax).compactMap { PlaybookParameter($0) }
    judge(text: playbook["title"])
    for key in ["symptoms", "whenToUse", "whenNotToUse"] {
      for (_, place) in texts(of: playbook[key]) { judge(text: place) }
    }
    if let list = playbook["steps"], list.elements?.isEmpty == true {
      note("the list is empty", list)
    }
    for (list, name) in [(steps, "steps"), (parameters, "parameters")]
    where list.count > Self.stepsMax {
      note("more than \(Self.stepsMax) \(name)", list[Self.stepsMax])
    }
    for index in parameters.indices.prefix(Self.stepsMax) { judge(parameter: index) }
    for index in steps.indices.prefix(Self.stepsMax) { judge(step: index) }
  }

  private mutating func note(_ message: String, _ value: DocumentValue) {
    problems.append(DocumentProblem(message, at: value.position))
  }

  // MARK: Texts and names

  /// What is wrong with a text that people are to read; nil when nothing is.
  static func mistake(inText text: String) -> String? {
    if text.allSatisfy(\.isWhitespace) { return "the text is empty" }
    if text.count > textMax { return "the text is longer than \(textMax) characters" }
    // A terminal must not be steered by a file.
    return text.unicodeScalars.contains(where: \.isObeyed)
      ? "the text holds a character that cannot be printed" : nil
  }

  private mutating func judge(text: DocumentValue?) {
    guard let text, let mistake = text.text.flatMap(Self.mistake) else { return }
    note(mistake, text)
  }

  /// The texts of a list with their places; an empty list is a mistake.
  private mutating func texts(
    of list: DocumentValue?
  ) -> [(text: String, place: DocumentValue)] {
    guard let list, let texts = list.texts, let places = list.elements else { return [] }
    if texts.isEmpty { note("the list is empty", list) }
    return Array(zip(texts, places))
  }

  /// Whether a name has nothing but small letters, digits and this sign, and up to 40 of them.
  private static func isName(_ name: String, with sign: Unicode.Scalar) -> Bool {
    1...40 ~= name.utf8.count
      && name.unicodeScalars.allSatisfy { "a"..."z" ~= $0 || "0"..."9" ~= $0 || $0 == sign }
  }

  // MARK: Parameters

  private mutating func judge(parameter index: Int) {
    let parameter = parameters[index]
    if let place = parameter["name"], let name = place.text {
      if !Self.isName(name, with: "_") || name.first?.isLetter == false {
        note("a name consists of small letters, digits and '_', and begins with a letter", place)
      } else if PlaybookFact(rawValue: name) != nil || PlaybookCondition.isTaken(name) {
        note("\(name.quoted) means something else in a condition", place)
      } else if parameters[..<index].contains(where: { $0["name"]?.text == name }) {
        note("another parameter has the name \(name.quoted)", place)
      }
    }
    judge(text: parameter["text"])
    if let place = parameter["default"], parameter["name"]?.text != nil,
      parameter["text"]?.text != nil,
      let kind: PlaybookParameter.Kind = parameter["type"]?.word(),
      PlaybookParameter(parameter).flatMap({ kind.value($0.value.plain) }) == nil
    {
      note("the default is not a \(kind.rawValue)", place)
    }
  }

  // MARK: Steps

  private mutating func judge(step index: Int) {
    let (value, before) = (steps[index], steps[..<index])
    if let place = value["id"], let id = place.text {
      if !Self.isName(id, with: "-") {
        note("an id consists of small letters, digits and '-', up to 40 of them", place)
      }
      if before.contains(where: { $0["id"]?.text == id }) {
        note("another step has the id \(id.quoted)", place)
      }
    }
    judge(text: value["text"])
    if let place = value["when"], let when = place.text {
      let answers = before.flatMap { $0["choices"]?.texts ?? [] }
      for mistake in PlaybookCondition(sql: when).mistakes(answers: answers, known) {
        note(mistake, place)
      }
    }
    if let step = Playbook.Step(value) { judge(step, value, after: before) }
    judge(command: value["command"])
    judge(choices: value["choices"], among: steps[index...].dropFirst())
    if before.last.map({ $0.action == .stop && $0["when"]?.text == nil }) == true {
      note("the step is never reached: the one before it always stops", value)
    }
  }

  /// Judges what depends on the action of a step.
  private mutating func judge(
    _ step: Playbook.Step, _ value: DocumentValue, after before: ArraySlice<DocumentValue>
  ) {
    for parameter in PlaybookAction.allCases.flatMap(\.parameters).sorted()
    where !step.action.parameters.contains(parameter) {
      guard let place = value[parameter] else { continue }
      note(
        "the action \(step.action.rawValue.quoted) has no parameter \(parameter.quoted)", place)
    }
    if step.withBackup == true, step.inPlace != true {
      note("'withBackup' is for a salvage with 'inPlace'", value["withBackup"] ?? value)
    }
    if step.isDestructive {
      if step.onFailure == .continue {
        note("a destructive step cannot continue after it failed", value["onFailure"] ?? value)
      }
      if !before.contains(where: { $0.action == .backup }) {
        note("a destructive step without a backup step before it would be refused", value)
      }
    }
    if step.action == .guardCommand, value["command"] == nil {
      note("a step that guards needs a 'command', a list of the program and its arguments", value)
    }
  }

  private mutating func judge(command list: DocumentValue?) {
    let names = [CommandWord.database] + known.map(\.name)
    for (index, (word, place)) in texts(of: list).enumerated() {
      if index == 0 || !word.isEmpty { judge(text: place) }
      for name in CommandWord(word).names where !names.contains(name) {
        note(
          "no parameter has the name \(name.quoted)" + NearestWord.hint(for: name, in: names), place
        )
      }
    }
  }

  private mutating func judge(
    choices list: DocumentValue?, among later: ArraySlice<DocumentValue>
  ) {
    let choices = texts(of: list)
    let possible = later.filter { Playbook.Step($0)?.needsConsent == true }
      .compactMap { $0["id"]?.text }
    for (index, (choice, place)) in choices.enumerated() {
      if choices[..<index].contains(where: { $0.text == choice }) {
        note("the choice is listed twice", place)
      } else if !possible.contains(choice) {
        note(
          "\(choice.quoted) is not a step after this one that changes the database"
            + NearestWord.hint(for: choice, in: possible), place)
      }
    }
  }
}

extension DocumentValue {
  /// The action of a step.
  fileprivate var action: PlaybookAction? { self["action"]?.word() }
}
