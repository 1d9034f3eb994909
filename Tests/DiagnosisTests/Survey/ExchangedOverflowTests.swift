// SPDX-License-Identifier: Apache-2.0
// Overflow pages of two rows in each other's places: the pointer map knows whose they are.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct ExchangedOverflowTests {
  /// A row: its page, where in it the link to its overflow pages stands, and those.
  private struct Row {
    let leaf: PageNumber
    let link: Int
    let chain: [PageNumber]
  }

  private let specimen: Specimen
  /// Rows with five overflow pages each, by rowid.
  private let rows: [Int64: Row]

  init() throws {
    // A row fills a leaf.
    specimen = try Specimen(
      """
      CREATE TABLE long (id INTEGER PRIMARY KEY, body TEXT, more TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
      INSERT INTO long SELECT i, hex(randomblob(1250)), hex(randomblob(236)) FROM n
      """, autoVacuum: .incremental)
    let survey = Survey(main: specimen.bytes)
    let image = try #require(survey.image)
    var rows: [Int64: Row] = [:]
    for leaf in specimen.pages(of: "long", "leaf") {
      let page = try image.btreePage(try #require(PageNumber(leaf)))
      for index in 0..<page.cellCount {
        let cell = try page.cell(index)
        let chain = try image.overflowChain(of: cell, on: page.number)
        rows[try #require(cell.rowID)] = Row(
          leaf: page.number, link: cell.local.upperBound, chain: chain.pages)
      }
    }
    self.rows = rows
  }

  /// The bytes with some of two pages in each other's places.
  private func exchanging(
    _ count: Int, at first: (PageNumber, Int), _ second: (PageNumber, Int)
  ) -> Bytes {
    var bytes = specimen.bytes
    let places = [first, second].map { page, offset in
      specimen[page: page.number].lowerBound + offset
    }
    for place in 0..<count { bytes.swapAt(places[0] + place, places[1] + place) }
    return bytes
  }

  private func expect(
    setAside rows: [Int64], in bytes: Bytes, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let survey = Survey(main: bytes)
    let found = try SalvagedRows(of: "long", in: survey)
    let doubts = Dictionary(uniqueKeysWithValues: rows.map { ($0, Doubt.chain(.disputed)) })
    #expect(found.doubts == doubts, sourceLocation: sourceLocation)
    #expect(found.placed == (1...8).filter { !rows.contains($0) }, sourceLocation: sourceLocation)
    #expect(
      survey.verdict == (rows.isEmpty ? .damagedIntact : .damagedLossy),
      sourceLocation: sourceLocation)
    let code = rows.isEmpty ? FindingCode.pointerMapMismatch : .overflowBroken
    #expect(survey.findings.contains { $0.code == code }, sourceLocation: sourceLocation)
  }

  @Test func `rows whose overflow pages have changed places are set aside`() throws {
    let (first, second) = (try #require(rows[2]).chain[1], try #require(rows[5]).chain[1])
    try expect(
      setAside: [2, 5], in: exchanging(Specimen.pageSize, at: (first, 0), (second, 0)))
  }

  @Test func `so are those whose links have`() throws {
    let (first, second) = (try #require(rows[2]), try #require(rows[5]))
    try expect(
      setAside: [2, 5],
      in: exchanging(4, at: (first.leaf, first.link), (second.leaf, second.link)))
    try expect(
      setAside: [2, 5], in: exchanging(4, at: (first.chain[3], 0), (second.chain[3], 0)))
  }

  @Test func `an entry of the map alone that is wrong casts no doubt on rows`() throws {
    var bytes = specimen.bytes
    let page = try #require(rows[2]).chain[2].number
    // The map on page 2 has five bytes for each page behind it.
    bytes[specimen[page: 2].lowerBound + 5 * (page - 3) + 4] ^= 1
    try expect(setAside: [], in: bytes)
  }

  @Test func `nor does a map that contradicts other things, too`() throws {
    let (first, second) = (try #require(rows[2]).chain[1], try #require(rows[5]).chain[1])
    var bytes = exchanging(Specimen.pageSize, at: (first, 0), (second, 0))
    let page = try #require(rows[7]).chain[2].number
    bytes[specimen[page: 2].lowerBound + 5 * (page - 3) + 4] ^= 1
    try expect(setAside: [], in: bytes)
  }
}
