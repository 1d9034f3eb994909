// SPDX-License-Identifier: Apache-2.0
// What a playbook leaves to whoever runs it: declared, set, compared, and never a part of the SQL.

import Diagnosis
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct PlaybookParameterTests {
  /// A playbook with these parameters, and a step with this condition.
  private static func text(_ parameters: String, when: String) -> Bytes {
    Bytes(
      """
      {
        title: "T", symptoms: ["s"], whenToUse: ["u"], whenNotToUse: ["n"],
        parameters: [\(parameters)],
        steps: [
          { id: "go", action: "note", when: "\(when)", text: "Go." },
          { id: "end", action: "stop", text: "End." },
        ],
      }
      """.utf8)
  }

  static let hours = #"{ name: "hours", type: "number", default: 24, text: "How old." }"#
  static let word = #"{ name: "word", type: "text", default: "a", text: "Which." }"#
  static let sure = #"{ name: "sure", type: "flag", default: false, text: "Whether." }"#

  /// Whether the step is done with these assignments.
  private func goes(
    _ parameters: String, when: String, _ assignments: [String] = []
  ) throws -> Bool {
    let playbook = try PlaybookReader.read(Self.text(parameters, when: when), named: "t.json5")
    var performer = ScriptedPerformer(known: PlaybookFacts([.backupAgeHours: 30.0]))
    let result = try PlaybookRun(playbook.setting(assignments)).run(with: &performer)
    let isForeseen =
      try PlaybookRun(playbook.setting(assignments))
      .rehearse(PlaybookFacts([.backupAgeHours: 30.0])).steps[0].decision == .runs
    let isDone = result.records[0].outcome == .done
    #expect(isForeseen == isDone)
    return isDone
  }

  @Test func `a parameter has its default, and what is set instead`() throws {
    let when = "backup_age_hours <= hours"
    #expect(try goes(Self.hours, when: when) == false)
    #expect(try goes(Self.hours, when: when, ["hours=48"]))
    #expect(try goes(Self.hours, when: when, ["hours=1e2"]))
    #expect(try goes(Self.sure, when: "sure", ["sure=true"]))
    #expect(try goes(Self.sure, when: "sure") == false)
    #expect(try goes(Self.word, when: "word = 'x=y'", ["word=x=y"]))
  }

  @Test(arguments: [
    "a' OR 1 --", "a'; DROP TABLE facts; --", "') OR (1", "%", "NULL", "\\", "${HOME}",
  ])
  func `a hostile value is compared and nothing else`(_ value: String) throws {
    #expect(try goes(Self.word, when: "word = 'a'", ["word=\(value)"]) == false)
  }

  @Test(arguments: [
    ["hours"], ["hours=x"], ["hours="], ["hours=nan"], ["hours=inf"], ["hour=3"], ["=3"], [""],
    ["hours=1", "hours=2"], ["verdict=healthy"], ["word=\u{1B}[2J"], ["word=a\nb"],
    ["word=\(String(repeating: "x", count: 601))"], ["sure=maybe"],
  ])
  func `what is not declared, or of another type, is refused`(_ assignments: [String]) throws {
    let all = [Self.hours, Self.word, Self.sure].joined(separator: ", ")
    let playbook = try PlaybookReader.read(Self.text(all, when: "sure"), named: "t.json5")
    let error = #expect(throws: RescueError.self) { try playbook.setting(assignments) }
    #expect(error?.kind == .usage)
  }

  @Test(arguments: [
    (#"{ name: "verdict", type: "number", default: 1, text: "t" }"#, "means something else"),
    (#"{ name: "select", type: "number", default: 1, text: "t" }"#, "unknown fact"),
    (#"{ name: "Hours", type: "number", default: 1, text: "t" }"#, "small letters"),
    (#"{ name: "a\"b", type: "number", default: 1, text: "t" }"#, "small letters"),
    (#"{ name: "hours", type: "number", default: "x", text: "t" }"#, "not a number"),
    (#"{ name: "hours", type: "flag", default: 1, text: "t" }"#, "not a flag"),
    (#"{ name: "hours", type: "number", text: "t" }"#, "default"),
    (#"{ name: "hours", type: "nummer", default: 1, text: "t" }"#, "did you mean 'number'"),
    (#"{ name: "hours", type: "number", default: 1, text: " " }"#, "the text is empty"),
    (hours + ", " + hours, "another parameter"),
  ])
  func `mistakes in parameters are told with their place`(
    _ parameters: String, _ words: String
  ) throws {
    let problems = PlaybookReader.problems(in: Self.text(parameters, when: "hours > 1"))
    let told = problems.map { $0.description(in: "t.json5") }
    #expect(told.contains { $0.contains(words) }, "\(told)")
    #expect(problems.allSatisfy { [3, 5].contains($0.position.line) }, "\(told)")
  }

  @Test func `a parameter is in the checklist, on the page of a wiki, and in the document`() throws
  {
    let playbook = try PlaybookReader.read(
      Self.text(Self.hours, when: "hours > 1"), named: "t.json5")
    #expect(playbook.checklist.contains("hours=24: How old."))
    #expect(playbook.markdown.contains("- `hours=24`: How old."))
    #expect(try playbook.document["parameters"]?.elements.count == 1)
  }

  @Test func `a page of a wiki takes texts as they are`() throws {
    let playbook = Playbook(
      name: "t", title: "<b>*T*</b>", symptoms: ["[x](y)"], whenToUse: ["`u`"],
      whenNotToUse: ["# n"],
      steps: [.init(id: "go", action: .note, text: "a | b", when: "verdict = '``'")])
    let page = playbook.markdown
    #expect(page.hasPrefix("# \\<b\\>\\*T\\*\\</b\\>\n"))
    #expect(page.contains("- \\[x\\](y)\n"))
    #expect(page.contains("a \\| b"))
    #expect(page.contains("only if ``` verdict = '``' ```"))
  }
}
