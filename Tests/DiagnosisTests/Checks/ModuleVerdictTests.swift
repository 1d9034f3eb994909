// SPDX-License-Identifier: Apache-2.0
// What is said where the module of a virtual table has been asked.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ModuleVerdictTests {
  /// A full-text index of the texts of another table.
  private let survey: Survey

  init() throws {
    let scratch = try ScratchFolder()
    let path = scratch["notes.db"]
    try DatabaseBuilder([
      "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)",
      "CREATE VIRTUAL TABLE words USING fts5 (body, content='note', content_rowid='id')",
      "INSERT INTO note VALUES (1, 'written, and found by nobody')",
    ]).build(at: path)
    survey = Survey(main: try path.contents())
  }

  @Test func `an index without the words of its table is stale, and names both`() {
    let findings = ModuleVerdict("words", .stale).findings(in: survey)
    #expect(findings.map(\.code) == [.fullTextStale])
    #expect(
      findings.first?.message
        == "the full-text index 'words' does not have the words of 'note'")
    #expect(findings.first?.place.object == "words")
  }

  @Test func `an index that SQLite finds malformed is damaged`() {
    let findings = ModuleVerdict("words", .damaged).findings(in: survey)
    #expect(findings.map(\.code) == [.fullTextDamaged])
    #expect(
      findings.first?.message
        == "the full-text index 'words' does not have the words of 'note', or is malformed")
  }

  @Test func `what is sound or was not asked is no finding, and nor is a table that is not there`()
  {
    #expect(ModuleVerdict("words", .sound).findings(in: survey).isEmpty)
    #expect(ModuleVerdict("words", .unchecked("it is busy")).findings(in: survey).isEmpty)
    #expect(ModuleVerdict("other", .stale).findings(in: survey).isEmpty)
  }
}
