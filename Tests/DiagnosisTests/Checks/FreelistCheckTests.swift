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
      finding.message == "1 page of the free list are in use, the first is page \(leaf)")
    #expect(finding.place.page?.number == leaf)
  }
}
