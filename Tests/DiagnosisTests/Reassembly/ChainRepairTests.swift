// SPDX-License-Identifier: Apache-2.0
// Where a broken overflow chain goes on.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ChainRepairTests {
  /// The row of `letter` with the second value, and its chain in the sound file.
  private func row(in specimen: Specimen) throws -> (
    cell: Cell, page: BTreePage, chain: [PageNumber]
  ) {
    let image = try #require(Survey(main: specimen.bytes).image)
    let number = try #require(PageNumber(try specimen.root(of: "letter")))
    let page = try image.btreePage(number)
    let cell = try page.cell(1)
    return (cell, page, try image.overflowChain(of: cell, on: page.number).pages)
  }

  @Test func `a chain whose second link is gone goes on where the only tail begins`() throws {
    let specimen = try Specimen()
    let (cell, page, chain) = try row(in: specimen)
    let damaged = specimen.with(.cutOverflow(page: chain[1].number))
    let rebuilt = Reconstruction(main: damaged.bytes)
    let repair = try #require(rebuilt.chains.repair(of: cell, on: page.number))
    #expect(repair.chain.pages == chain)
    #expect(!repair.isSound)
    #expect(!rebuilt.chains.isShared(cell, on: page.number))
  }

  @Test func `where only the cell's link is gone, no page of the chain need be damaged`() throws {
    var specimen = try Specimen()
    let (cell, page, chain) = try row(in: specimen)
    let link = specimen[page: page.number.number].lowerBound + cell.local.upperBound
    #expect(specimen.bytes.bigEndian(at: link) == UInt32(chain[0].number))
    specimen.bytes.setBigEndian(0xFFFF_FFFF, at: link)
    let rebuilt = Reconstruction(main: specimen.bytes)
    let repaired = rebuilt.chains.repair(
      of: try #require(try rebuilt.survey.image?.btreePage(page.number).cell(1)), on: page.number)
    #expect(repaired?.chain.pages == chain)
    #expect(repaired?.isSound == true)
  }

  @Test func `where other bytes end with the cell's link, the value before it may be others`()
    throws
  {
    var specimen = try Specimen()
    let (cell, page, chain) = try row(in: specimen)
    let link = specimen[page: page.number.number].lowerBound + cell.local.upperBound
    specimen.bytes.setBigEndian(0x6E61_6D65, at: link)
    let rebuilt = Reconstruction(main: specimen.bytes)
    let cells = try #require(try rebuilt.survey.image?.btreePage(page.number))
    let repaired = rebuilt.chains.repair(of: try cells.cell(1), on: page.number)
    #expect(repaired?.chain.pages == chain)
    #expect(repaired?.isSound == false)
  }

  @Test func `a page that nobody else has may be the cell's own, and destroyed`() throws {
    var specimen = try Specimen(
      "INSERT INTO letter SELECT 3, upper(page) FROM letter WHERE id = 2")
    let (cell, page, chain) = try row(in: specimen)
    // The third row is gone, and its chain fits the second one as well.
    let third = specimen[page: page.number.number].lowerBound + (try page.cell(2)).offset
    specimen.bytes.replaceSubrange(third..<(third + 9), with: Bytes(repeating: 0xFF, count: 9))
    let first = specimen[page: chain[0].number]
    specimen.bytes.replaceSubrange(first, with: Bytes(repeating: 0xEE, count: first.count))
    let rebuilt = Reconstruction(main: specimen.bytes)
    #expect(rebuilt.chains.repair(of: cell, on: page.number)?.isSound != true)
  }

  @Test func `a chain that lies behind the end of a file that was cut off is no other row's`()
    throws
  {
    var specimen = try Specimen(
      "INSERT INTO letter SELECT 3, upper(page) FROM letter WHERE id = 2")
    let number = try #require(PageNumber(try specimen.root(of: "letter")))
    let page = try #require(Survey(main: specimen.bytes).image).btreePage(number)
    let last = try page.cell(2)
    // The second row is gone, and its chain fits the third one as well.
    let second = specimen[page: number.number].lowerBound + (try page.cell(1)).offset
    specimen.bytes.replaceSubrange(second..<(second + 9), with: Bytes(repeating: 0xFF, count: 9))
    let first = try #require(last.overflow)
    specimen.bytes.removeSubrange(specimen[page: Int(first)].lowerBound...)
    let rebuilt = Reconstruction(main: specimen.bytes)
    #expect(rebuilt.chains.repair(of: last, on: number) == nil)
  }

  @Test func `whole chains are not repaired`() throws {
    let specimen = try Specimen()
    let (cell, page, _) = try row(in: specimen)
    #expect(
      Reconstruction(main: specimen.bytes).chains.repair(of: cell, on: page.number) == nil)
  }
}
