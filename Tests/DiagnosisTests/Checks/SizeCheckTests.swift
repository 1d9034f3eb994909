// SPDX-License-Identifier: Apache-2.0
// What is said of files with fewer or more pages than they should have.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct SizeCheckTests {
  @Test func `pages that are missing at the end are counted`() throws {
    var specimen = try Specimen()
    let count = specimen.pageCount
    specimen.bytes.removeLast(2 * Specimen.pageSize)
    let finding = try #require(specimen.said(.truncated).first)
    #expect(finding.message == "the header counts \(count) pages, there are \(count - 2) pages")
    #expect(finding.place.page?.number == count - 1)
  }

  @Test func `a page of which only a part is there is named`() throws {
    var specimen = try Specimen()
    let count = specimen.pageCount
    specimen.bytes.removeLast(Specimen.pageSize - 100)
    let finding = try #require(specimen.said(.partialLastPage).first)
    #expect(finding.message == "the file ends 100 bytes into page \(count)")
    #expect(finding.place.page?.number == count)
  }

  @Test func `a header that counts fewer pages than are used is damage`() throws {
    var specimen = try Specimen()
    let count = specimen.pageCount
    specimen.bytes.setBigEndian(UInt32(count - 1), at: 28)
    let finding = try #require(specimen.said(.pageCountMismatch).first)
    #expect(finding.message == "the header counts \(count - 1) pages, there are \(count) pages")
    #expect(finding.place == .init(page: .first, offset: 28))
    #expect(finding.severity == .damage)
  }

  @Test func `several used pages that the header does not count are of a transaction`() throws {
    var specimen = try Specimen()
    specimen.bytes.setBigEndian(UInt32(specimen.pageCount - 4), at: 28)
    #expect(specimen.said(.pageCountMismatch).map(\.severity) == [.loss])
    #expect(Survey(main: specimen.bytes).pagesOfAnotherMoment != nil)
  }

  @Test func `pages that are counted and nothing leads to are of another moment`() throws {
    var specimen = try Specimen()
    let count = specimen.pageCount
    let free = try #require(Survey(main: specimen.bytes).header).freelistCount
    specimen.bytes.setBigEndian(UInt32(count + free), at: 28)
    #expect(Survey(main: specimen.bytes).pagesOfAnotherMoment == nil)
    specimen.bytes.setBigEndian(UInt32(count + free + 3), at: 28)
    #expect(specimen.said(.truncated).map(\.severity) == [.loss])
    #expect(Survey(main: specimen.bytes).pagesOfAnotherMoment != nil)
    // Such a number is only wrong.
    specimen.bytes.setBigEndian(0x7E00_0000, at: 28)
    #expect(Survey(main: specimen.bytes).pagesOfAnotherMoment == nil)
  }

  @Test func `contents that nothing leads to may be of rows that are missing`() throws {
    var specimen = try Specimen()
    #expect(Survey(main: specimen.bytes).pagesOfAnotherMoment == nil)
    // The free list is as it was before, and empty: its pages belong to nothing.
    specimen.bytes.setBigEndian(0, at: 32)
    specimen.bytes.setBigEndian(0, at: 36)
    let words = try #require(Survey(main: specimen.bytes).pagesOfAnotherMoment)
    #expect(words.hasPrefix("1 page with contents belongs to nothing"), "\(words)")
  }

  /// A database of which rows were added, and then others deleted, in four states.
  private func states() throws -> [Bytes] {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    func fill(_ ids: ClosedRange<Int>) -> String {
      """
      WITH RECURSIVE n (i) AS (SELECT \(ids.lowerBound) UNION ALL
        SELECT i + 1 FROM n WHERE i < \(ids.upperBound))
      INSERT INTO message SELECT i, 'message text ' || i FROM n
      """
    }
    try DatabaseBuilder(["CREATE TABLE message (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT)"])
      .build(at: path)
    return try [
      fill(1...200), fill(201...2000), "DELETE FROM message WHERE id > 900; VACUUM",
      "DELETE FROM sqlite_sequence; VACUUM",
    ].map {
      try Connection(path, mode: .app).execute($0)
      return try path.contents()
    }
  }

  @Test func `rows behind the end with numbers that no row was given yet are newer than page 1`()
    throws
  {
    let states = try states()
    let survey = Survey(main: states[0] + states[1].dropFirst(states[0].count))
    #expect(survey.verdict == .damagedLossy)
    #expect(Reconstruction(survey).rowsWithoutTable.rows > 1500)
    // What was left behind when the file shrank is older.
    for state in states[2...] {
      let shrunk = Survey(main: state + states[1].dropFirst(state.count))
      #expect(shrunk.verdict == .healthy)
    }
  }

  @Test func `a page more than the header counts, with nothing on it, is worth a notice`() throws {
    let specimen = try Specimen().with(.append(count: Specimen.pageSize))
    #expect(specimen.said(.pageCountMismatch).map(\.severity) == [.notice])
  }
}
