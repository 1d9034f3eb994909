// SPDX-License-Identifier: Apache-2.0
// What is said of file headers.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct HeaderCheckTests {
  private func specimen(_ changes: [Int: UInt8]) throws -> Specimen {
    var specimen = try Specimen()
    for (offset, byte) in changes { specimen.bytes[offset] = byte }
    return specimen
  }

  private func said(of changes: [Int: UInt8], _ code: FindingCode) throws -> [String] {
    try specimen(changes).said(code).map(\.message)
  }

  @Test func `nothing is said of a sound header`() throws {
    #expect(try HeaderCheck.findings(in: Survey(main: Specimen().bytes)).isEmpty)
  }

  @Test func `a header that is gone is named, and the page size inferred`() throws {
    let specimen = try Specimen().with(.wipeHeader)
    let finding = try #require(specimen.said(.headerDamaged).first)
    #expect(finding.message == "the file header is not that of SQLite")
    #expect(finding.place == .init(page: .first, offset: 0))
    #expect(
      specimen.said(.geometryVoted).map(\.message)
        == ["the pages agree on a page size of 512 bytes"])
  }

  @Test func `a schema format that SQLite never writes is named`() throws {
    #expect(
      try said(of: [47: 9], .headerDamaged)
        == ["a number in the header is one that SQLite never writes"])
  }

  @Test func `pointer maps that are not there are named`() throws {
    #expect(
      try said(of: [55: 9], .headerDamaged)
        == ["the header speaks of pointer maps, and there are none"])
  }

  @Test func `a version that may not be written weighs less than one that may not be read`() throws
  {
    let write = try #require(try specimen([18: 3]).said(.unsupportedVersion).first)
    #expect(write.message == "the file format version is 3 for writing, 1 for reading")
    #expect(write.severity == .warning)
    #expect(try specimen([19: 3]).said(.unsupportedVersion).map(\.severity) == [.damage])
  }

  @Test func `a largest root that is none is named`() throws {
    var specimen = try Specimen(autoVacuum: .full)
    let largest = specimen.bytes[55]
    specimen.bytes[55] = 99
    let finding = try #require(specimen.said(.headerDamaged).first)
    #expect(
      finding.message == "the header says that the last root page is 99, and it is \(largest)")
    #expect(finding.place == .init(page: .first, offset: 52))
  }

  @Test func `an encoding that is not that of the pages is named`() throws {
    #expect(
      try said(of: [59: 2], .headerDamaged)
        == ["the header says that text is in UTF-16le; the pages read as UTF-8"])
  }
}
