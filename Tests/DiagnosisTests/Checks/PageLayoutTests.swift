// SPDX-License-Identifier: Apache-2.0
// What is said of pages that use their bytes wrongly, or lie at a wrong depth.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PageLayoutTests {
  @Test func `cell pointers that lead nowhere are named`() throws {
    let specimen = try Specimen()
    let leaf = specimen.pages(of: "note", "leaf")[3]
    let damaged = specimen.with(.breakCellPointer(page: leaf, cell: 0))
    let finding = try #require(damaged.said(.freeSpaceDamaged).first)
    #expect(finding.message == "cell pointers of 'note' on page \(leaf) lead nowhere")
    #expect(finding.place.page?.number == leaf)
    #expect(finding.severity == .damage)
  }

  @Test func `a page that counts its bytes wrongly is named`() throws {
    var specimen = try Specimen()
    let leaf = specimen.pages(of: "note", "leaf")[3]
    // How many bytes are fragments.
    specimen.bytes[specimen[page: leaf].lowerBound + 7] ^= 0x10
    let finding = try #require(specimen.said(.freeSpaceDamaged).first)
    #expect(
      finding.message == "page \(leaf) of 'note' does not use each of its bytes exactly once")
  }

  @Test func `leaves at different depths are named`() {
    let tree = CheckedTree.table { $0.unevenLeaves.add(FormatError(.uneven, page: PageNumber(8))) }
    let findings = DepthCheck.findings(in: tree)
    #expect(findings.map(\.code) == [.treeUneven])
    #expect(findings.first?.message == "a leaf of 't' lies deeper or less deep than the others")
    #expect(findings.first?.place == .init(page: PageNumber(8), object: "t"))
  }
}
