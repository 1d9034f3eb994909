// SPDX-License-Identifier: Apache-2.0
// What is said of pages of rows that no tree leads to.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OrphanCheckTests {
  @Test func `rows that their table gets back are damage`() throws {
    let specimen = try Specimen()
    let root = try specimen.root(of: "note")
    let finding = try #require(specimen.with(.zeroPage(root)).said(.orphanRows).first)
    #expect(
      finding.message
        == "301 rows of 'note' lie on pages that its tree has lost; indexes, rowids or their form "
        + "prove whose they are")
    #expect(finding.place.object == "note")
    #expect(finding.severity == .damage)
  }

  @Test func `pages behind the end of a whole database hold nothing that is lost`() throws {
    let old = try Specimen()
    var specimen = try Specimen("DROP TABLE word; DELETE FROM note WHERE id > 50; VACUUM")
    specimen.bytes += old.bytes.dropFirst(specimen.bytes.count)
    let findings = Survey(main: specimen.bytes).findings
    #expect(findings.map(\.code) == [.pageCountMismatch])
    #expect(findings.map(\.severity) == [.notice])
    // Where a tree misses pages, they may be among those.
    let damaged = specimen.with(.zeroPage(try specimen.root(of: "note")))
    #expect(!damaged.said(.orphanRows).isEmpty)
  }

  @Test(arguments: [
    ("id INTEGER PRIMARY KEY, body TEXT NOT NULL, n INT)", "i, 'new ' || i, i", 300),
    ("id INTEGER PRIMARY KEY, body TEXT NOT NULL, n INT)", "i, 'new ' || i, i", 9),
    ("id INTEGER PRIMARY KEY, n INT)", "i, i", 9),
    ("id INTEGER PRIMARY KEY, body TEXT NOT NULL)", "i, 'new ' || i", 300),
    ("id INTEGER PRIMARY KEY, body TEXT NOT NULL)", "i, 'new ' || i", 9),
    ("body TEXT PRIMARY KEY) WITHOUT ROWID", "'new ' || i", 300),
  ])
  func `a table that the first page is too old to name is lost behind its end`(
    _ columns: String, _ values: String, _ count: Int
  ) throws {
    // The free pages of the specimen are used up first.
    let filled: DatabaseBuilder.Step = "VACUUM"
    let old = try Specimen(filled)
    var specimen = try Specimen(
      filled, .init("CREATE TABLE new (\(columns)", []),
      .init(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO new SELECT \(values) FROM n
        """, []))
    specimen.bytes.replaceSubrange(specimen[page: 1], with: old.bytes[old[page: 1]])
    let survey = Survey(main: specimen.bytes)
    #expect(survey.findings.contains { $0.code == .orphanRows })
    #expect(survey.verdict == .damagedLossy)
  }

  @Test func `what a value holds is no row, whatever it looks like`() throws {
    var specimen = try Specimen()
    let leaf = try #require(specimen.pages(of: "note", "leaf").first)
    let rows = Bytes(specimen.bytes[specimen[page: leaf]].dropFirst(4))
    // 35 bytes and three times 508 fill three overflow pages, each as the leaf looks from its 5th byte.
    let value = Bytes([UInt8](repeating: 1, count: 35)) + rows + rows + rows
    let digits = value.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    specimen = try Specimen("INSERT INTO letter VALUES (3, x'\(digits)')")
    let damaged = specimen.with(.zeroPage(try specimen.root(of: "note")))
    #expect(damaged.said(.orphanRows).map(\.place.object) == ["note"])
  }
}
