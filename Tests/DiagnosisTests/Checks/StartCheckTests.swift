// SPDX-License-Identifier: Apache-2.0
// What is said of databases that do not begin where their file does, and of pages that moved.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct StartCheckTests {
  @Test func `bytes in front are counted`() throws {
    let finding = try #require(try Specimen().with(.prepend(count: 700)).said(.startShifted).first)
    #expect(finding.message == "the database starts at byte 700 of the file")
    #expect(finding.place.offset == 700)
    #expect(finding.severity == .damage)
  }

  @Test func `bytes that are missing at the start are a loss`() throws {
    var specimen = try Specimen()
    specimen.bytes.removeFirst(1024)
    let finding = try #require(specimen.said(.startShifted).first)
    #expect(finding.message == "the first 1024 bytes of the database are missing")
    #expect(finding.severity == .loss)
  }

  @Test func `bytes that were put in move the pages behind them`() throws {
    var specimen = try Specimen()
    let page = specimen.pageCount / 2
    specimen.bytes.insert(
      contentsOf: Bytes(repeating: 0x55, count: 77), at: specimen[page: page].lowerBound)
    let finding = try #require(specimen.said(.pagesMoved).first)
    let first = try #require(finding.place.page)
    #expect(
      finding.message
        == "bytes are missing or were put in before page \(first): the pages from there on do not lie "
        + "where their numbers say, and are read as if they did")
    #expect((2...(page + 2)).contains(first.number))
  }
}
