// SPDX-License-Identifier: Apache-2.0
// The record of an incident: a run of a playbook as a file to keep.

internal import Diagnosis

extension PlaybookRunAnswer {
  /// The record in the form that was asked for.
  package func rendered(as format: ReportFormat) -> String {
    switch format {
    case .text: text
    case .json: document.indented + "\n"
    case .html: html
    }
  }

  /// The sections of the record that are lists of sentences.
  private var sections: [(title: String, items: [String])] {
    [
      (
        "Decisions",
        result.decisions.map {
          "\($0.step): \($0.answer), "
            + ($0.origin == .beforehand ? "approved beforehand" : "answered in the run")
            + (person.map { " by \($0)" } ?? "")
        }
      ),
      (
        "Copies that were proven",
        result.copies.map {
          "\($0.kind.rawValue) \($0.name): " + $0.checks.joined(separator: ", ")
        }
      ),
      ("Gone from the database", result.losses),
      ("To undo, in the folder of the database", result.undo.map(withoutFolder)),
      ("Parameters", parameters),
      ("Facts at the end", result.facts.shown),
    ].filter { !$0.items.isEmpty }
  }

  /// A command that takes something back, with the name of the database alone: a record is passed
  /// on, and says nothing of folders.
  private func withoutFolder(_ command: String) -> String {
    let words = command.split(separator: " ", maxSplits: 3).prefix(3).joined(separator: " ")
    return "\(words) \(ShellWord.quoted(file))"
  }

  private var text: String {
    var text = PlaybookText()
    text.line("\(file): \(headline)")
    text.line("support code \(code), \(moment)\(person.map { ", by \($0)" } ?? "")")
    text.line("made by \(Tool.name)")
    text.line("next: \(result.next)", rest: "  ")
    text.heading("Steps")
    for (index, record) in result.records.enumerated() {
      text.numbered(
        index + 1,
        "\(record.step): \(record.outcome.rawValue) (\(Quantity.shortTime(seconds: record.seconds)))",
        isDestructive: false)
      if !record.summary.isEmpty { text.detail(record.summary) }
      text.detail("because \(record.reason)")
    }
    for section in sections { text.section(section.title, section.items) }
    return text.lines.map { $0.harmless(limit: String.lineLimit) + "\n" }.joined()
  }

  private var html: String {
    let ended: StyledText.Style =
      switch result.ending {
      case .done, .stopped: .emphasised
      default: .bad
      }
    let steps: [[HTML]] = result.records.map {
      ["\($0.step)", "\($0.outcome.rawValue)", "\($0.summary)", "\($0.reason)"]
    }
    let lists: [HTML] = sections.map { section in
      let items: [HTML] = section.items.map { "<li>\($0)</li>\n" }
      return .section(section.title, ["<ul>\n\(items)</ul>\n"])
    }
    return HTML.page(
      title: "\(file): \(result.playbook)", tool: "\(Tool.name) (\(Tool.libraries))",
      [
        .masthead(
          kind: "Playbook", file: file, created: created, word: result.ending.rawValue,
          style: ended, meaning: headline, ["<p>\(result.next)</p>\n"]),
        .supportCode(code),
        .section("Steps", [.table(["Step", "Outcome", "What was done", "Because"], steps)]),
      ] + lists)
  }
}
