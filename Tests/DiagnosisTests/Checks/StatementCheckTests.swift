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
    let word = Bytes(old.utf8)
    let start = try #require(
      specimen.bytes.indices.first { specimen.bytes.matches(word, at: $0) })
    specimen.bytes.replaceSubrange(start..<(start + word.count), with: Bytes(new.utf8))
    return try #require(specimen.said(code).first)
  }

  @Test func `a statement that does not parse is named`() throws {
    let finding = try said(
      of: "CREATE TABLE letter", "CREATE TABXE letter", .schemaSQLUnreadable)
    #expect(finding.message.hasPrefix("the SQL of 'letter' does not parse: "))
    #expect(finding.place.object == "letter" && finding.place.page != nil)
    #expect(finding.severity == .damage)
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
