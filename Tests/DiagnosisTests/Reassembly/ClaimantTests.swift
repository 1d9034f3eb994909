// SPDX-License-Identifier: Apache-2.0
// What a tree that misses pages says of rows and pages: are they mine, and is there room for them?

@testable import Diagnosis
import SQLiteFormat
import Testing

@Suite struct ClaimantTests {
  /// A table with rowids of one typed column that may not be NULL.
  private func claimant(rowIDMax: Int64? = nil) -> Claimant {
    let table = TableDescription(
      name: "t", columns: [ColumnDescription(name: "a", type: "TEXT", notNull: true)],
      storageOrder: [0], sql: "CREATE TABLE t (a TEXT NOT NULL)")
    return Claimant(
      position: 0, name: "t", isTable: true, holdsRows: true, form: RecordForm(table),
      order: .rowID, rowIDMax: rowIDMax)
  }

  private func span(_ page: Int, _ rowIDs: ClosedRange<Int64>) throws -> LeafSpan {
    LeafSpan(
      page: try #require(PageNumber(page)), first: .rowID(rowIDs.lowerBound),
      last: .rowID(rowIDs.upperBound), rows: rowIDs.count)
  }

  /// A claimant that has the rows of three pages, with something missing behind the first two.
  private func withGaps(rowIDMax: Int64? = nil) throws -> Claimant {
    let spans = [try span(3, 1...10), try span(4, 21...30), try span(5, 31...40)]
    var claimant = claimant(rowIDMax: rowIDMax)
    let outline = Outline(
      items: [.leaf(spans[0].page), .gap, .leaf(spans[1].page), .leaf(spans[2].page), .gap],
      interiors: [])
    claimant.take(
      outline, accepted: { page in spans.first { $0.page == page } }, rows: { _ in ([], true) })
    return claimant
  }

  /// The pages of a claimant that three lead to, the second of which has these rows.
  private func chain(_ rowIDs: [Int64]) throws -> [LeafSpan] {
    let page = LeafSpan(
      page: try #require(PageNumber(4)), first: .rowID(rowIDs.min() ?? 0),
      last: .rowID(rowIDs.max() ?? 0), rows: rowIDs.count)
    let spans = [try span(3, 1...50), page, try span(5, 61...99)]
    var claimant = claimant(rowIDMax: nil)
    claimant.take(
      Outline(items: spans.map { .leaf($0.page) }, interiors: []),
      accepted: { page in spans.first { $0.page == page } },
      rows: { page in (page == spans[1].page ? rowIDs.map { .rowID($0) } : [], true) })
    return claimant.chain
  }

  @Test func `a page stays where its tree leads when one row of it is out of order`() throws {
    for other: Int64 in [7, 90] {
      let chain = try chain([other, 51, 53, 55, 57])
      #expect(chain.map(\.page.number) == [3, 4, 5])
      if case .rowID(let first) = chain[1].first, case .rowID(let last) = chain[1].last {
        #expect(first == 51 && last == 57)
      }
    }
    #expect(try chain([7, 8, 53, 55, 57]).map(\.page.number) == [3, 5])
  }

  @Test func `what is missing between pages and behind them is open`() throws {
    let claimant = try withGaps()
    #expect(claimant.chain.map(\.page.number) == [3, 4, 5])
    #expect(claimant.openings.map(\.isBounded) == [true, false])
    #expect(claimant.opening(for: try span(9, 11...20).places)?.isBounded == true)
    #expect(claimant.opening(for: try span(9, 41...99).places)?.isBounded == false)
    #expect(claimant.opening(for: try span(9, 5...7).places) == nil)
    #expect(claimant.opening(for: try span(9, 20...21).places) == nil)
  }

  @Test func `no row lies behind the last rowid that was given out`() throws {
    let claimant = try withGaps(rowIDMax: 50)
    #expect(claimant.opening(for: try span(9, 41...50).places) != nil)
    #expect(claimant.opening(for: try span(9, 41...51).places) == nil)
  }

  @Test func `a page that was found makes two gaps of one`() throws {
    var claimant = try withGaps()
    claimant.adopt([[try span(9, 14...16)]])
    #expect(claimant.chain.map(\.page.number) == [3, 9, 4, 5])
    #expect(claimant.openings.count == 3)
    #expect(claimant.opening(for: try span(8, 11...13).places) != nil)
    #expect(claimant.opening(for: try span(8, 15...17).places) == nil)
    #expect(claimant.hasRoom(for: try span(8, 17...20).places) { _ in nil })
    #expect(!claimant.hasRoom(for: try span(8, 16...20).places) { _ in nil })
  }

  @Test func `groups that were found together are taken in the order of their rows`() throws {
    var claimant = try withGaps()
    try claimant.adopt([
      [span(12, 61...70)], [span(11, 17...18)], [span(9, 41...44), span(10, 45...50)],
      [span(8, 12...13)], [span(7, 20...22)],
    ])
    #expect(claimant.chain.map(\.page.number) == [3, 8, 11, 7, 4, 5, 9, 10, 12])
    #expect(claimant.openings.map(\.isBounded) == [true, true, true, true, true, false])
    #expect(claimant.opening(for: try span(6, 14...16).places) != nil)
    #expect(claimant.opening(for: try span(6, 45...45).places) == nil)
    #expect(claimant.opening(for: try span(6, 51...60).places) != nil)
    #expect(claimant.opening(for: try span(6, 71...99).places) != nil)
  }

  @Test func `where nothing leads to the tree, everything is open`() throws {
    var claimant = try withGaps()
    claimant.openWholly()
    #expect(claimant.chain.isEmpty)
    #expect(claimant.opening(for: try span(9, 5...7).places)?.isBounded == false)
  }

  @Test func `rows fit when SQLite could have stored nearly all of them`() throws {
    // A text of one letter; a number; NULL.
    let fields: [Bytes] = [[2, 15, 0x61], [2, 1, 5], [2, 0]]
    let rows = try fields.enumerated().map { index, bytes in
      StoredRecord(
        rowID: Int64(index), record: try Record(bytes, in: 0..<bytes.count), page: .first, offset: 0
      )
    }
    let tally = claimant().tally(rows)
    #expect(tally.rows == 3)
    #expect(tally.admitted == 1)
    #expect(!tally.fits)
    let texts = claimant().tally(Array(repeating: rows[0], count: 9) + [rows[1]])
    #expect(texts.fits)
    #expect(!texts.isPromised)
    #expect(claimant().tally([rows[0]]).isPromised)
    #expect(!claimant().tally([]).fits)
  }
}
