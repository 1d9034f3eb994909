// SPDX-License-Identifier: Apache-2.0
// What is said of pages to which a tree leads in vain.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PageCheckTests {
  @Test func `a leaf that is none weighs nothing more than its rows`() throws {
    let specimen = try Specimen()
    let (note, word) = (
      specimen.pages(of: "note", "leaf")[3], specimen.pages(of: "word", "leaf")[3]
    )
    let unwitnessed = try #require(specimen.with(.zeroPage(word)).said(.pageDamaged).first)
    #expect(
      unwitnessed.message
        == "page \(word) of 'word': it does not begin as a page of a table or index does")
    #expect(unwitnessed.place.page?.number == word)
    #expect(unwitnessed.severity == .loss)
    #expect(specimen.with(.zeroPage(note)).said(.pageDamaged).first?.place.object == "note")
  }

  @Test func `an empty leaf below a root is damage, and its rows are lost`() throws {
    var specimen = try Specimen("CREATE TABLE empty (a)")
    let empty = specimen[page: try specimen.root(of: "empty")]
    let leaf = specimen.pages(of: "note", "leaf")[3]
    specimen.bytes.replaceSubrange(specimen[page: leaf], with: specimen.bytes[empty])
    let finding = try #require(specimen.said(.pageDamaged).first)
    #expect(
      finding.message
        == "page \(leaf) of 'note': it has no cell, as only the root of an empty tree has none")
    #expect(Survey(main: specimen.bytes).verdict == .damagedLossy)
  }

  @Test func `a page that the file does not have is named`() throws {
    var specimen = try Specimen()
    let root = specimen[page: try specimen.root(of: "note")].lowerBound
    specimen.bytes.setBigEndian(9999, at: root + 8)
    let finding = try #require(specimen.said(.pageLost).first)
    #expect(finding.message == "'note' leads to page 9999, which the file does not have")
    #expect(finding.place.page?.number == 9999)
  }

  @Test func `a page with another owner is named`() throws {
    var specimen = try Specimen()
    let root = specimen[page: try specimen.root(of: "word")].lowerBound
    let leaf = specimen.pages(of: "note", "leaf")[3]
    specimen.bytes.setBigEndian(UInt32(leaf), at: root + 8)
    let finding = try #require(specimen.said(.pageClaimedTwice).first)
    #expect(finding.message == "'word' leads to page \(leaf), which has another owner")
    #expect(finding.place.page?.number == leaf)
  }

  /// Trees are scanned side by side: which of them comes to a page first must not matter.
  @Test func `the same is said of a file each time`() throws {
    var specimen = try Specimen()
    let root = specimen[page: try specimen.root(of: "word")].lowerBound
    let leaf = specimen.pages(of: "note", "leaf")[3]
    specimen.bytes.setBigEndian(UInt32(leaf), at: root + 8)
    let first = Survey(main: specimen.bytes).findings
    for _ in 0..<30 { #expect(Survey(main: specimen.bytes).findings == first) }
  }

  @Test func `a tree that does not end is a circle`() {
    let tree = CheckedTree.table(loss: .unknown) {
      $0.pageFaults.add(FormatError(.tooDeep, page: PageNumber(7)))
    }
    let findings = PageCheck.findings(in: tree)
    #expect(findings.map(\.code) == [.treeCycle])
    #expect(findings.map(\.message) == ["the tree of 't' does not end"])
    #expect(findings.first?.place.page?.number == 7)
  }

  @Test func `what costs no row is damage, and what is gone with its root is said of the root`() {
    func faults(_ tree: inout TreeSurvey) {
      tree.pageFaults.add(FormatError(.pageMissing, page: PageNumber(9)))
    }
    #expect(PageCheck.findings(in: .table(faults)).map(\.severity) == [.damage])
    #expect(PageCheck.findings(in: .table(loss: .unknown, faults)).map(\.severity) == [.loss])
    #expect(
      PageCheck.findings(
        in: .table {
          faults(&$0)
          $0.pages = 0
        }
      ).isEmpty)
  }

  @Test func `many faults of a kind are summed up`() throws {
    let tree = CheckedTree.table {
      for page in 10..<40 { $0.pageFaults.add(FormatError(.pageMissing, page: PageNumber(page))) }
    }
    let findings = PageCheck.findings(in: tree)
    #expect(findings.count == 9)
    #expect(findings.last?.message == "and 22 more like it in 't'")
    #expect(findings.last?.count == 22)
    #expect(findings.last?.place == .init(object: "t"))
  }
}
