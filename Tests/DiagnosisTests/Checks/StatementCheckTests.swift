// SPDX-License-Identifier: Apache-2.0
// What is said of the statements of a schema.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct StatementCheckTests {
  /// A specimen in whose schema a word is exchanged for another of the same length.
  private func said(of old: String, _ new: String, _ code: FindingCode) throws -> Finding {
    var specimen = try Specimen()
    let start = try #require(specimen.places(of: old).first)
    specimen.bytes.replaceSubrange(start..<(start + old.utf8.count), with: Bytes(new.utf8))
    return try #require(specimen.said(code).first)
  }

  @Test func `a statement that does not parse is named`() throws {
    let finding = try said(
      of: "CREATE TABLE letter", "CREATE TABXE letter", .schemaSQLUnreadable)
    #expect(finding.message.hasPrefix("the SQL of 'letter' does not parse: "))
    #expect(finding.place.object == "letter" && finding.place.page != nil)
    #expect(finding.severity == .loss)
  }

  @Test func `a byte in a statement that is no text is worth a word`() throws {
    var specimen = try Specimen("CREATE TABLE lap (n /* é */)")
    #expect(specimen.said(.textInvalid).isEmpty)
    let start = try #require(specimen.places(of: "/* é").first)
    specimen.bytes[start + 4] = 0x2D
    let finding = try #require(specimen.said(.textInvalid).first)
    #expect(finding.message.hasPrefix("the schema row of 'lap' is not valid UTF-8: "))
    #expect(finding.place.object == "lap" && finding.severity == FindingCode.textInvalid.severity)
  }

  /// A database in whose bytes a text is exchanged for another of the same length.
  private func verdict(
    of statements: DatabaseBuilder.Step..., changing old: String, to new: String
  ) throws -> (verdict: Verdict, findings: [Finding]) {
    var bytes = try ScratchFolder.with { scratch in
      try DatabaseBuilder(statements).build(at: scratch["app.db"])
      return try scratch["app.db"].contents()
    }
    let word = Bytes(old.utf8)
    let start = try #require(bytes.indices.first { bytes.matches(word, at: $0) })
    bytes.replaceSubrange(start..<(start + word.count), with: Bytes(new.utf8))
    let findings = Survey(main: bytes).findings
    return (Verdict(isDatabase: true, findings), findings)
  }

  @Test func `a generated column that needs itself makes its table unreadable`() throws {
    let (verdict, findings) = try verdict(
      of: "CREATE TABLE t (a INT, b INT AS (a * 2) STORED, c INT AS (a + 1))",
      "INSERT INTO t (a) VALUES (1), (2)", changing: "AS (a + 1)", to: "AS (c + 1)")
    #expect(verdict == .damagedLossy)
    let said = findings.filter { $0.code == .schemaSQLUnreadable }.map(\.message)
    #expect(said == ["the SQL of 't' does not parse: generated column loop on \"c\""])
  }

  @Test func `rows whose statement nothing puts right are lost`() throws {
    let (verdict, _) = try verdict(
      of: "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a * 2) STORED)",
      "INSERT INTO t (a) VALUES (1), (2)", changing: "(a * 2) STORED", to: "(a * 29 STORED")
    #expect(verdict == .damagedLossy)
  }

  @Test func `a statement that declares nothing is hostile`() throws {
    let finding = try said(
      of: "CREATE TABLE letter (id INTEGER PRIMARY KEY, page BLOB)",
      "DELETE FROM note WHERE body <> 'a letter, and no pages'", .schemaHostile)
    #expect(
      finding.message.hasPrefix("the SQL of 'letter' is not the declaration that its row says: "))
    #expect(finding.place.object == "letter")
  }
}
