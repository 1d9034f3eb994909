// SPDX-License-Identifier: Apache-2.0
// What is said of rows that lie in wrong places.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OrderCheckTests {
  @Test func `rows in the place of others are doubtful`() throws {
    let specimen = try Specimen()
    let leaves = specimen.pages(of: "word", "leaf")
    let swapped = specimen.with(.swapPages(leaves[3], leaves[6]))
    let finding = try #require(swapped.said(.rowDoubtful).first)
    #expect(finding.message == "a row of 'word' lies where its key does not belong")
    #expect(finding.place.object == "word")
    #expect(finding.severity == .loss)
  }

  @Test func `where indexes prove that each is there, only the order is wrong`() throws {
    let specimen = try Specimen()
    let leaves = specimen.pages(of: "note", "leaf")
    let swapped = specimen.with(.swapPages(leaves[3], leaves[6]))
    let finding = try #require(swapped.said(.keyOrder).first)
    #expect(finding.message == "a row of 'note' lies where its key does not belong")
    #expect(finding.severity == .damage)
    #expect(swapped.said(.rowDoubtful).isEmpty)
  }

  @Test func `an entry of an interior page that is not between its neighbours is named`() {
    let tree = CheckedTree.table {
      $0.misplacedBetween.add(FormatError(.keyOrder, page: PageNumber(5), offset: 40))
    }
    let findings = OrderCheck.findings(in: tree)
    #expect(findings.map(\.code) == [.keyOrder])
    #expect(
      findings.first?.message == "an entry of 't' between two pages is not between those on them")
    #expect(findings.first?.place == .init(page: PageNumber(5), offset: 40, object: "t"))
  }
}
