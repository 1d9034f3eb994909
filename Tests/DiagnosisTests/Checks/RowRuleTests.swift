// SPDX-License-Identifier: Apache-2.0
// What is said of rows that their table would refuse, or could not have.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RowRuleTests {
  private func fault(_ page: Int) -> FormatError {
    FormatError(.recordHeader, page: PageNumber(page), offset: 30)
  }

  @Test func `rows against the rules are counted in one finding for each rule`() {
    let tree = CheckedTree.table {
      $0.mistyped.add(fault(4))
      for page in 5..<8 { $0.nulls.add(fault(page)) }
    }
    let findings = RuleCheck.findings(in: tree)
    #expect(findings.map(\.code) == [.rowDoubtful, .constraintBroken])
    #expect(
      findings.map(\.message) == [
        "1 row of 't' holds a value of a type that its column never holds",
        "3 rows of 't' hold NULL where a column refuses it",
      ])
    #expect(findings.map(\.place.page?.number) == [4, 5])
    #expect(findings.allSatisfy { $0.severity == .damage })
  }

  @Test func `NULL where the declaration was changed by hand is found`() throws {
    var specimen = try Specimen("INSERT INTO letter VALUES (3, NULL)")
    let words = [Bytes("page BLOB".utf8), Bytes("page  ANY".utf8)]
    #expect(specimen.said(.constraintBroken).isEmpty)
    let start = try #require(
      specimen.bytes.indices.first { specimen.bytes.matches(words[0], at: $0) })
    // The space of another column makes room for the rule.
    let old = Bytes("letter (id INTEGER PRIMARY KEY, page BLOB)".utf8)
    let new = Bytes("letter (id INTEGER PRIMARY KEY,p NOT NULL)".utf8)
    try #require(old.count == new.count)
    let table = start - (old.count - 10)
    specimen.bytes.replaceSubrange(table..<(table + old.count), with: new)
    let finding = try #require(specimen.said(.constraintBroken).first)
    #expect(finding.message == "1 row of 'letter' holds NULL where a column refuses it")
  }

  @Test func `rows with more fields than the table has columns are doubtful`() {
    let tree = CheckedTree.table { $0.unfit.add(fault(6)) }
    let findings = FormCheck.findings(in: tree)
    #expect(findings.map(\.code) == [.rowDoubtful])
    #expect(findings.first?.message == "a row of 't' has fields that the table has not")
    #expect(findings.first?.place == .init(page: PageNumber(6), offset: 30, object: "t"))
  }
}
