// SPDX-License-Identifier: Apache-2.0
// What is said of the tables in which virtual tables are kept.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct VirtualTableCheckTests {
  /// What is said after statements, the last of which only its module may say.
  private func findings(_ steps: DatabaseBuilder.Step..., damage: String = "") throws -> [Finding] {
    VirtualTableCheck.findings(in: try survey(steps, damage: damage))
  }

  private func survey(_ steps: [DatabaseBuilder.Step], damage: String = "") throws -> Survey {
    let scratch = try ScratchFolder()
    let path = scratch["virtual.db"]
    try DatabaseBuilder(steps).build(at: path)
    if !damage.isEmpty {
      let connection = try Connection(path, mode: .app)
      connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
      try connection.execute(damage)
    }
    return try Survey(path)
  }

  private static let texts: DatabaseBuilder.Step = """
    CREATE VIRTUAL TABLE texts USING fts5 (body);
    INSERT INTO texts VALUES ('one text'), ('another text');
    """

  @Test func `nothing is said of a sound one`() throws {
    #expect(try findings(Self.texts).isEmpty)
  }

  @Test func `an index without the record of its segments is damaged`() throws {
    let findings = try findings(Self.texts, damage: "DELETE FROM texts_data WHERE id = 10")
    #expect(findings.map(\.code).contains(.fullTextDamaged))
    #expect(
      findings.map(\.message).contains(
        "the record of what the full-text index 'texts' consists of is gone"))
    #expect(findings.allSatisfy { $0.place.object == "texts" && $0.severity == .damage })
  }

  @Test func `an R-tree whose nodes lack entries has lost rows`() throws {
    let findings = try findings(
      "CREATE VIRTUAL TABLE places USING rtree (id, x0, x1)",
      "INSERT INTO places VALUES (1, 0, 1), (2, 5, 6)",
      damage: "DELETE FROM places_node WHERE nodeno = 1")
    #expect(findings.map(\.code).contains(.regionsDamaged))
    #expect(findings.contains { $0.severity == .loss && $0.place.object == "places" })
  }

  @Test func `a full-text table without the table of its texts has lost them`() throws {
    let findings = try findings(Self.texts, damage: "DROP TABLE texts_content")
    let finding = try #require(findings.first { $0.code == .fullTextContentLost })
    #expect(
      finding.message
        == "the table 'texts_content', in which 'texts' is kept, is not there")
    #expect(finding.place.object == "texts" && finding.severity == .loss)
  }

  @Test func `a table with other columns than its module looks for cannot be read by it`() throws {
    let findings = try findings(
      Self.texts, damage: "ALTER TABLE texts_config RENAME COLUMN v TO value")
    let finding = try #require(findings.first { $0.code == .virtualTableUnreadable })
    #expect(
      finding.message
        == "the table 'texts_config', in which 'texts' is kept, has other columns than SQLite "
        + "looks for")
    #expect(finding.place.object == "texts")
  }

  @Test func `words of which no module was asked are not checked`() throws {
    let finding = try #require(
      try survey([Self.texts]).findings.first { $0.code == .notChecked })
    #expect(
      finding.message
        == "the words of 'texts' were not compared with its rows: diagnose has SQLite do that")
    #expect(finding.place.object == "texts" && finding.severity == .notice)
  }
}
