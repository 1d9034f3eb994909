// SPDX-License-Identifier: Apache-2.0
// What is said of cells that yield no record.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct CellCheckTests {
  @Test func `a chain that is cut off breaks a long value`() throws {
    let specimen = try Specimen()
    let page = specimen.pages(of: "letter", "overflow")[1]
    let finding = try #require(specimen.with(.cutOverflow(page: page)).said(.overflowBroken).first)
    #expect(
      finding.message
        == "a long value of 'letter' is broken at page \(page): an overflow chain ends too early")
    #expect(finding.place.page?.number == page)
    #expect(finding.place.object == "letter")
    #expect(finding.severity == .loss)
  }

  @Test func `a chain that leads to a page of others is broken at that link`() throws {
    let specimen = try Specimen()
    let chain = specimen.pages(of: "letter", "overflow")
    let astray = try specimen.root(of: "word")
    // The second value takes four pages; its first one leads to the root of another table.
    var damaged = specimen
    let link = specimen[page: chain[chain.count - 3]].lowerBound
    damaged.bytes.replaceSubrange(link..<(link + 4), with: [0, 0, 0, UInt8(astray)])
    let finding = try #require(damaged.said(.overflowBroken).first)
    #expect(finding.place.page?.number == chain[chain.count - 3])
    #expect(finding.place.offset == 0)
    #expect(finding.message.hasSuffix("leads to a page that cannot be part of it"))
  }

  @Test func `a blank page at the end of a text breaks it`() throws {
    let specimen = try Specimen()
    let page = try #require(specimen.pages(of: "letter", "overflow").last)
    let damaged = specimen.with(.zeroPage(page))
    let finding = try #require(damaged.said(.overflowBroken).first)
    #expect(
      finding.message
        == "a long value of 'letter' is broken at page \(page): the last page of an overflow chain "
        + "is blank where a text goes on")
    #expect(Survey(main: damaged.bytes).verdict == .damagedLossy)
  }

  @Test(arguments: [
    "x'00'", "CAST(zeroblob(1500) AS TEXT)", "CAST(zeroblob(400) AS TEXT)", "zeroblob(900)",
  ])
  func `a value that ends in zeros of its own is sound`(_ end: String) throws {
    for length in [350, 480, 900, 1000, 1010] {
      let specimen = try Specimen(
        "INSERT INTO letter VALUES (3, printf('%.*c', \(length), 'x') || \(end))")
      #expect(Survey(main: specimen.bytes).verdict == .healthy)
    }
  }

  @Test func `a record that does not add up is a damaged cell`() throws {
    var specimen = try Specimen()
    let leaf = specimen.pages(of: "note", "leaf")[3]
    let start = specimen[page: leaf].lowerBound
    let cell = start + specimen.bytes.bigEndian16(at: start + 8)
    // Behind the length, and the rowid of two bytes, stands the size of the record's header.
    specimen.bytes[cell + 3] = 0x7F
    let finding = try #require(specimen.said(.cellDamaged).first)
    #expect(finding.message.hasPrefix("a cell of 'note' on page \(leaf): "))
    #expect(finding.place.page?.number == leaf)
    #expect(finding.place.object == "note")
  }
}
