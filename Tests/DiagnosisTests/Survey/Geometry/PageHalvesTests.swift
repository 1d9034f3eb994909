// SPDX-License-Identifier: Apache-2.0
// Pages inside which bytes were put in or left out: both of their halves are read.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PageHalvesTests {
  private static let pageSize = 1024

  private let bytes: Bytes
  private let rows: [ExactRow]
  private let page: BTreePage

  init() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, at INTEGER);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        INSERT INTO note SELECT i, hex(i * 2654435761) || ' ' || hex(i * i * 7919), i FROM n
        """
      ]
    ).build(at: path)
    bytes = try path.contents()
    let survey = Survey(main: bytes)
    rows = try survey.rows(of: "note").rows
    let image = try #require(survey.image)
    page = try #require(
      image.pages.lazy.filter { $0.number > 8 }.compactMap { try? image.btreePage($0) }
        .first { $0.kind == .tableLeaf })
  }

  /// Where the page starts in the file.
  private var start: Int { (page.number.number - 1) * Self.pageSize }

  /// How many rows have no byte in a range of the page.
  private func rowsOutside(_ range: Range<Int>) throws -> Int {
    try rows.count
      - (0..<page.cellCount).count {
        let cell = try page.cell($0)
        return cell.offset < range.upperBound && range.lowerBound < cell.end
      }
  }

  /// What is wrong with the rows of a file: any that was not there, more than one of those that are
  /// whole in doubt, or one of them nowhere.
  private func faults(in changed: Bytes, wanting least: Int) throws -> [String] {
    let survey = Survey(main: changed)
    let found = try survey.rows(of: "note").rows
    let doubtful = try survey.rows(of: "note", inDoubt: true).rows
    let known = Set(rows)
    var faults = found.filter { !known.contains($0) }.map { "\($0) is no row" }
    if found.count < least - 1 { faults.append("\(found.count) of \(least) rows") }
    let all = known.intersection(found + doubtful)
    if all.count < least { faults.append("\(all.count) of \(least) rows somewhere") }
    return faults
  }

  @Test(
    arguments: [1, 3, 5, 7, 8, 9, 10, 15, 20, 300, 400, 500, 611, 700, 800, 900, 1000, 1020],
    [1, 77, 1023, 1500, 5000])
  func `bytes that were put into a page cost the row that they are in, and no other one`(
    place: Int, count: Int
  ) throws {
    var random = SeededRandom(seed: UInt64(place * count))
    var changed = bytes
    changed.insert(contentsOf: random.bytes(count), at: start + place)
    let faults = try faults(in: changed, wanting: rowsOutside((place - 1)..<(place + 1)))
    #expect(faults == [])
  }

  @Test func `a row is in doubt for the place that may run through it`() throws {
    var changed = bytes
    changed.removeSubrange((start + 611)..<(start + 631))
    #expect(
      Reconstruction(main: changed).findings.contains {
        $0.message.contains("bytes may have been put in or left out inside a cell")
      })
  }

  @Test(arguments: [60, 300, 400, 500, 611, 700, 800], [1, 20, 77, 200])
  func `bytes that were left out of a page cost the rows that they were of, and no other one`(
    place: Int, count: Int
  ) throws {
    var changed = bytes
    changed.removeSubrange((start + place)..<(start + place + count))
    let faults = try faults(in: changed, wanting: rowsOutside(place..<(place + count)))
    #expect(faults == [])
  }

  @Test(arguments: [300, 400, 500, 611, 700, 800, 900], [700, 1100, 1250, 1400, 1750, 1900])
  func `no row goes on with bytes of another page where the end of the one is left out`(
    place: Int, count: Int
  ) throws {
    var changed = bytes
    changed.removeSubrange((start + place)..<(start + place + count))
    let faults = try faults(in: changed, wanting: 0)
    #expect(faults == [])
  }

  @Test func `a page that is whole has no halves`() throws {
    let next = page.bytes
    let halves = PageHalves(
      head: page.bytes, tail: next, distance: 3 * Self.pageSize, number: page.number,
      geometry: page.geometry)
    #expect(halves?.borderInPage == nil)
    let others = PageHalves(
      head: page.bytes, tail: next, distance: 2 * Self.pageSize - 512, number: page.number,
      geometry: page.geometry)
    #expect(others?.borderBetweenPages?.headCount == Self.pageSize)
    #expect(others?.borderBetweenPages?.tailCount == 512)
  }

  @Test func `of a page whose cells lie nowhere, nothing tells where it ends`() {
    let zeros = Bytes(repeating: 0, count: Self.pageSize)
    let head =
      Bytes(page.bytes.prefix(page.pointerArrayEnd)) + zeros.dropFirst(page.pointerArrayEnd)
    let halves = PageHalves(
      head: head, tail: zeros, distance: 1500, number: page.number, geometry: page.geometry)
    #expect(halves != nil)
    #expect(halves?.borderInPage == nil && halves?.borderBetweenPages == nil)
  }
}
