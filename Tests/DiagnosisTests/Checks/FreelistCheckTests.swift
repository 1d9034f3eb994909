// SPDX-License-Identifier: Apache-2.0
// What is said of lists of free pages.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct FreelistCheckTests {
  @Test func `a list that leads back to itself cannot be followed`() throws {
    let specimen = try Specimen().with(.loopFreelist)
    let trunk = Int(specimen.bytes.bigEndian(at: 32))
    let finding = try #require(specimen.said(.freelistDamaged).first)
    #expect(
      finding.message
        == "the free list cannot be followed: the page already belongs to something else")
    #expect(finding.place.page?.number == trunk)
    #expect(finding.severity == .damage)
  }

  @Test func `a list of another length than the header says is named`() throws {
    var specimen = try Specimen()
    let count = Int(specimen.bytes.bigEndian(at: 36))
    specimen.bytes.setBigEndian(UInt32(count + 1), at: 36)
    let finding = try #require(specimen.said(.freelistDamaged).first)
    #expect(
      finding.message == "the header counts \(count + 1) free pages, the list has \(count)")
    #expect(finding.place == .init(page: .first, offset: 36))
  }

  @Test func `a free page that is in use is named`() throws {
    var specimen = try Specimen()
    let (trunk, leaf) = (
      Int(specimen.bytes.bigEndian(at: 32)), try #require(specimen.pages(of: "note", "leaf").first)
    )
    specimen.bytes.setBigEndian(UInt32(leaf), at: specimen[page: trunk].lowerBound + 8)
    let finding = try #require(specimen.said(.freelistDamaged).first)
    #expect(
      finding.message == "1 page of the free list is in use, the first is page \(leaf)")
    #expect(finding.place.page?.number == leaf)
  }

  @Test func `a number that leads behind the file is named where it stands`() throws {
    var specimen = try Specimen()
    let trunk = Int(specimen.bytes.bigEndian(at: 32))
    let place = specimen[page: trunk].lowerBound
    specimen.bytes.setBigEndian(99_999, at: place)
    let finding = try #require(specimen.said(.freelistDamaged).first)
    #expect(
      finding.message
        == "the free list cannot be followed: it leads to page 99999, which is not there")
    #expect(finding.place == .init(page: PageNumber(trunk), offset: 0))
    specimen = try Specimen()
    specimen.bytes.setBigEndian(99_999, at: 32)
    let first = try #require(specimen.said(.freelistDamaged).first)
    #expect(first.place == .init(page: .first, offset: 32))
  }

  @Test func `a trunk that names pages in use is the page that is wrong`() throws {
    var specimen = try Specimen()
    let trunk = Int(specimen.bytes.bigEndian(at: 32))
    let leaves = specimen.pages(of: "note", "leaf")
    let place = specimen[page: trunk].lowerBound
    specimen.bytes.setBigEndian(3, at: place + 4)
    for index in 0..<3 {
      specimen.bytes.setBigEndian(UInt32(leaves[index]), at: place + 8 + 4 * index)
    }
    let said = specimen.said(.freelistDamaged)
    let finding = try #require(said.first { $0.message.contains("in use") })
    #expect(
      finding.message == "3 pages of the free list are in use, the first is page \(leaves[0])")
    #expect(finding.place.page?.number == trunk)
  }
}
