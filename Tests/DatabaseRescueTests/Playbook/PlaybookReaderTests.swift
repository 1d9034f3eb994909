// SPDX-License-Identifier: Apache-2.0
// Reading playbooks: every rule, with the place where it is broken.

import Diagnosis
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct `A playbook reader` {
  private func playbook(_ steps: String) -> Bytes {
    Bytes(
      "{title: 'a', symptoms: ['b'], whenToUse: ['c'], whenNotToUse: ['d'], steps: [\n\(steps)\n]}"
        .utf8)
  }

  private func problems(_ steps: String) -> [String] {
    PlaybookReader.problems(in: playbook(steps)).map { $0.description(in: "f") }
  }

  @Test func `a good playbook is read`() throws {
    let bytes = playbook(
      """
      {id: 'keep', action: 'backup', raw: true, text: 'Keep.', when: "verdict = 'damaged'"},
      {id: 'ask', action: 'ask', text: 'Sure?', choices: ['back'], onFailure: 'continue'},
      {id: 'back', action: 'restore', text: 'Restore.', when: "last_answer = 'back'"},
      """)
    let read = try PlaybookReader.read(bytes, named: "/x/my-book.json5")
    #expect(read.name == "my-book")
    #expect(read.title == "a")
    #expect(read.steps.map(\.action) == [.backup, .ask, .restore])
    #expect(read.steps.map(\.isDestructive) == [false, false, true])
    #expect(read.steps[0].raw == true)
    #expect(read.steps[1].choices == ["back"])
    #expect(read.approvable == ["back"])
  }

  @Test(arguments: [
    (
      "{id: 'a', action: 'chek', text: 't'}",
      "f:2:19: unknown word 'chek'; did you mean 'check'?"
    ),
    ("{id: 'a', action: 'check'}", "f:2:1: the key 'text' is missing"),
    (
      "{id: 'a', action: 'check', text: 't', wen: '1'}",
      "f:2:39: unknown key 'wen'; did you mean 'when'?"
    ),
    (
      "{id: 'a', action: 'check', text: 't',\n when: \"verdct = 'damaged'\"}",
      "f:3:8: unknown fact 'verdct'; did you mean 'verdict'?"
    ),
    (
      "{id: 'a', action: 'check', text: 't', when: \"verdict = 'damged'\"}",
      "f:2:45: no fact in this condition is ever 'damged'; did you mean 'damaged'?"
    ),
    (
      "{id: 'a', action: 'check', text: 't', when: 'verdict ='}",
      "f:2:45: not an SQL expression: near \")\": syntax error"
    ),
    (
      "{id: 'a', action: 'check', text: 't', when: '1 = 1'}",
      "f:2:45: the condition asks for no fact"
    ),
    (
      "{id: 'A b', action: 'check', text: 't'}",
      "f:2:6: an id consists of small letters, digits and '-', up to 40 of them"
    ),
    ("{id: 'a', action: 'check', text: ' '}", "f:2:34: the text is empty"),
    (
      "{id: 'a', action: 'check', text: '\\u001b[2J'}",
      "f:2:34: the text holds a character that cannot be printed"
    ),
    (
      "{id: 'a', action: 'check', text: 't', inPlace: true}",
      "f:2:48: the action 'check' has no parameter 'inPlace'"
    ),
    (
      "{id: 'a', action: 'reset', text: 't'}",
      "f:2:1: a destructive step without a backup step before it would be refused"
    ),
    (
      "{id: 'b', action: 'backup', text: 't'},\n"
        + "{id: 'a', action: 'salvage', inPlace: true, text: 't', onFailure: 'continue'}",
      "f:3:67: a destructive step cannot continue after it failed"
    ),
    (
      "{id: 'b', action: 'backup', text: 't'},\n{id: 'b', action: 'check', text: 't'}",
      "f:3:6: another step has the id 'b'"
    ),
    (
      "{id: 'a', action: 'ask', text: 't', choices: ['restroe']},\n"
        + "{id: 'b', action: 'backup', text: 't'}, {id: 'restore', action: 'restore', text: 't'}",
      "f:2:47: 'restroe' is not a step after this one that changes the database; did you mean 'restore'?"
    ),
    (
      "{id: 'a', action: 'stop', text: 't'},\n{id: 'b', action: 'check', text: 't'}",
      "f:3:1: the step is never reached: the one before it always stops"
    ),
    (
      "{id: 'a', action: 'guard', text: 't'}",
      "f:2:1: a step that guards needs a 'command', a list of the program and its arguments"
    ),
    (
      "{id: 'a', action: 'guard', text: 't', command: ['up', '{databse}']}",
      "f:2:55: no parameter has the name 'databse'; did you mean 'database'?"
    ),
    (
      "{id: 'a', action: 'check', text: 't', command: ['up']}",
      "f:2:48: the action 'check' has no parameter 'command'"
    ),
    ("{id: 'a', action: 'guard', text: 't', command: []}", "f:2:48: the list is empty"),
    ("{id: 'a', action: 'ask', text: 't', choices: []}", "f:2:46: the list is empty"),
    ("", "f:1:77: the list is empty"),
  ])
  func `a broken rule is reported at its place`(steps: String, problem: String) {
    #expect(problems(steps) == [problem])
  }

  @Test func `everything that is wrong is listed, of every kind`() {
    let found = problems(
      """
      {id: 'a', action: 'chek', text: 't', when: "verdct = 1 AND rows_lots = 2"},
      {id: 'a', action: 'reset', text: 't', when: "lod_extension('x')", id: 'a'},
      """)
    #expect(
      found == [
        "f:2:19: unknown word 'chek'; did you mean 'check'?",
        "f:2:44: unknown fact 'verdct'; did you mean 'verdict'?",
        "f:2:44: unknown fact 'rows_lots'; did you mean 'rows_lost'?",
        "f:3:1: a destructive step without a backup step before it would be refused",
        "f:3:6: another step has the id 'a'",
        "f:3:45: the function 'lod_extension' is not allowed in a condition; allowed are abs, "
          + "coalesce, glob, ifnull, iif, instr, length, like, lower, max, min, nullif, round, "
          + "substr, trim, typeof, upper",
        "f:3:67: duplicate key 'id'",
      ])
  }

  @Test(arguments: [
    "(SELECT count(*) FROM sqlite_schema) > 0", "load_extension('x')", "randomblob(1e9)",
    "EXISTS (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r)",
    "1; DELETE FROM facts", "verdict = 'healthy'); DROP TABLE facts; --", "verdict = ?",
    "verdict = 'healthy' /* x", "\"verdict\" = [nothing]", "rowid = 1", "facts = 1",
    "pragma_user_version = 1", "verdict = 'x", "(verdict", "verdict)", "",
  ])
  func `a hostile condition is refused`(when: String) {
    let escaped = when.split(separator: "", omittingEmptySubsequences: false)
      .map { $0 == "'" ? "\\'" : String($0) }.joined()
    let found = problems("{id: 'a', action: 'check', text: 't', when: '\(escaped)'}")
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.hasPrefix("f:2:45: ") })
  }

  @Test func `reading a bad playbook throws with the first place`() {
    let error = #expect(throws: RescueError.self) {
      try PlaybookReader.read(playbook("{id: 1, action: 'check', text: 't'}"), named: "f.json5")
    }
    #expect(error?.kind == .invalidInput)
    #expect(error?.message == "f.json5:2:6: expected a string, found a number")
  }

  @Test func `anything that is no playbook is refused and nothing crashes`() {
    for text in ["", "[]", "1", "{steps: [1, [], {}]}", "{steps: {}}", "{title: []}", "\u{0}"] {
      #expect(!PlaybookReader.problems(in: Bytes(text.utf8)).isEmpty)
    }
    let steps = (0..<150).map { "{id: 's\($0)', action: 'check', text: 't'}" }
    #expect(problems(steps.joined(separator: ",\n")) == ["f:102:1: more than 100 steps"])
  }
}

@Suite struct `A playbook fact` {
  @Test(arguments: PlaybookFact.allCases)
  func `it has a name that SQL takes and a meaning in one sentence`(fact: PlaybookFact) throws {
    #expect(!PlaybookCondition.keywords.contains(Name(fact.name)))
    #expect(fact.name.allSatisfy { $0.isLowercase || $0 == "_" })
    #expect(!fact.meaning.isEmpty && fact.meaning.last != ".")
    #expect(PublishedFormat.playbook.referencePage.contains("| `\(fact.name)` | "))
    let judgement = try PlaybookCondition(sql: "\(fact.name) IS NULL").judge(PlaybookFacts())
    #expect(judgement == .init(truth: .yes, facts: [fact], parameters: []))
  }

  @Test func `a verdict is set and read back`() {
    for verdict in [
      Verdict.healthy, .outdated, .newer, .drifted, .damagedIntact, .damagedLossy, .unreadable,
    ] {
      var facts = PlaybookFacts()
      facts.set(verdict)
      #expect(facts.verdict == verdict)
    }
    #expect(PlaybookFacts().verdict == nil)
  }
}
