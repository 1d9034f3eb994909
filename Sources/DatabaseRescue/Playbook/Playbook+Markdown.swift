// SPDX-License-Identifier: Apache-2.0
// A playbook as Markdown, for a wiki.

extension Playbook {
  /// The playbook as a page of a wiki.
  package var markdown: String {
    var lines = ["# \(title.escaped)", ""]
    func add(_ heading: String, _ items: [String]) {
      lines += ["## \(heading)", ""] + items.map { "- \($0)" } + [""]
    }
    add("What you see", symptoms.map(\.escaped))
    add("Use it when", whenToUse.map(\.escaped))
    add("Do not use it when", whenNotToUse.map(\.escaped))
    if !parameters.isEmpty {
      add(
        "What you may set",
        parameters.map { "\("\($0.name)=\($0.value.plain)".code): \($0.text.escaped)" })
    }
    lines += ["## Steps", ""]
    for (index, step) in steps.enumerated() { lines += step.markdown(number: index + 1) }
    let contract = needsContract ? " --contract CONTRACT" : ""
    lines += ["", "Run it: \("dbrescue playbook run \(name) FILE\(contract) --dry-run".code)"]
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Playbook.Step {
  fileprivate func markdown(number: Int) -> [String] {
    let mark = isDestructive ? "**DESTRUCTIVE** " : ""
    var lines = ["\(number). \(mark)\(id.code) (\(action.rawValue)): \(text.escaped)"]
    if let when { lines.append("   - only if \(when.code)") }
    if action != .note, action != .stop, action != .ask { lines.append("   - does: \(effect)") }
    if let keeps { lines.append("   - keeps: \(keeps)") }
    if let loses { lines.append("   - loses: \(loses)") }
    if needsConsent { lines.append("   - needs: \("--approve \(id)".code), or a yes") }
    for choice in choices ?? [] { lines.append("   - choice: \(choice.code)") }
    return lines
  }
}

extension String {
  /// The text with nothing that Markdown or HTML would read anything into.
  fileprivate var escaped: String {
    reduce(into: "") { text, character in
      if "\\`*_[]<>&#|~".contains(character) { text.append("\\") }
      text.append(character)
    }
  }

  /// The text as code, whatever marks are in it.
  fileprivate var code: String {
    var marks = "`"
    while contains(marks) { marks += "`" }
    return marks.count == 1 ? "`\(self)`" : "\(marks) \(self) \(marks)"
  }
}
