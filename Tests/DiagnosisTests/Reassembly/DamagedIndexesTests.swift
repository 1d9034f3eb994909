// SPDX-License-Identifier: Apache-2.0
// What indexes say of rows that were damaged themselves, here and there.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct DamagedIndexesTests {
  private static let count = 900

  private func specimen() throws -> Specimen {
    try Specimen(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT);
      CREATE INDEX ia ON item (a); CREATE INDEX ib ON item (b); CREATE INDEX ic ON item (c);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count))
      INSERT INTO item SELECT i, printf('a%06d', i * 7919 % 10007), printf('b%06d', i * 31 % 10007),
        printf('c%06d', i * 977 % 10007) FROM n;
      """)
  }

  /// Calls a body with each cell on a leaf, and with where its record starts in the file.
  private func forEachCell(
    of page: Int, _ specimen: Specimen, _ body: (Cell, Record, Int) -> Void
  ) throws {
    let place = specimen[page: page]
    let geometry = try #require(Geometry(pageSize: place.count, reserved: 0))
    let leaf = try BTreePage(
      Bytes(specimen.bytes[place]), number: #require(PageNumber(page)), geometry: geometry)
    let cells = try #require(leaf.soundCells)
    for cell in cells {
      body(cell, try Record(leaf.bytes, in: cell.local), place.lowerBound + cell.local.lowerBound)
    }
  }

  /// Changes a letter in the entries of an index for every third row, beginning with one.
  private func damage(_ index: String, from first: Int64, in specimen: inout Specimen) throws {
    for page in specimen.pages(of: index, "leaf") {
      var places: [Int] = []
      try forEachCell(of: page, specimen) { _, entry, start in
        if let row = entry.value(1)?.integerValue, row % 3 == first { places.append(start) }
      }
      // The last letter, behind a header of three bytes.
      for place in places { specimen.bytes[place + 3 + 6] = UInt8(ascii: "~") }
    }
  }

  /// Changes a letter in the first text of every twentieth row, and says of which.
  private func changeRows(of specimen: inout Specimen) throws -> Set<Int64> {
    var places: [Int64: Int] = [:]
    for page in specimen.pages(of: "item", "leaf") {
      try forEachCell(of: page, specimen) { cell, _, start in
        if let row = cell.rowID, row % 20 == 0 { places[row] = start }
      }
    }
    for place in places.values { specimen.bytes[place + 5 + 6] ^= 0x10 }
    return Set(places.keys)
  }

  @Test func `indexes that contradict most rows only together are believed each by itself`() throws
  {
    var specimen = try specimen()
    for (place, index) in ["ia", "ib", "ic"].enumerated() {
      try damage(index, from: Int64(place), in: &specimen)
    }
    let changed = try changeRows(of: &specimen)
    let placed = Set(try placedRows(in: "item", of: specimen.bytes).compactMap(\.rowID))
    #expect(changed.count == Self.count / 20)
    // An entry that was damaged, too, can be out of order by that.
    #expect(placed.intersection(changed).count <= 3)
  }

  @Test func `an entry that is out of order among its neighbours contradicts no row`() throws {
    var specimen = try specimen()
    for page in specimen.pages(of: "ia", "leaf").prefix(2) {
      var places: [Int] = []
      try forEachCell(of: page, specimen) { places.append($2) }
      specimen.bytes[places[5] + 3] = UInt8(ascii: "z")
    }
    #expect(try placedRows(in: "item", of: specimen.bytes).count == Self.count)
  }
}
