// SPDX-License-Identifier: Apache-2.0
// Bits that have turned: with one of them turned back, a page is sound.
//
// Looked at are those that all else on a page hangs on: its header, its cell pointers, and the lengths
// with which its cells begin.

import SQLiteFormat

/// Pages of which one bit has turned.
enum TurnedBits {
  /// The most pages and cells that are looked at.
  private static let (pagesMax, cellsMax) = (8, 1 << 10)
  /// How many bytes the lengths at the beginning of a cell take.
  private static let lengthsMax = 4

  /// The pages with something wrong, where one bit of each turned back makes it sound, and no other
  /// does; nil otherwise.
  static func pages(among wounds: [Scar], _ image: Image) -> [PageNumber]? {
    guard !wounds.isEmpty, wounds.count <= pagesMax,
      wounds.allSatisfy({ $0.look == .other && isTurned($0.page, image) })
    else { return nil }
    return wounds.map(\.page)
  }

  /// Whether one bit of a page, and no other, makes it sound.
  private static func isTurned(_ number: PageNumber, _ image: Image) -> Bool {
    guard var bytes = try? image.bytes(of: number), bytes.count == image.geometry.pageSize else {
      return false
    }
    var found = 0
    for place in places(on: bytes, number, image.geometry) {
      for bit in 0..<8 {
        bytes[place] ^= 1 << bit
        let page = try? BTreePage(bytes, number: number, geometry: image.geometry)
        if let page, page.cellCount > 0, page.layoutFaults.isEmpty { found += 1 }
        bytes[place] ^= 1 << bit
        if found > 1 { return false }
      }
    }
    return found == 1
  }

  /// The bytes of a page that are looked at.
  private static func places(
    on bytes: Bytes, _ number: PageNumber, _ geometry: Geometry
  ) -> Set<Int> {
    let start = number == .first ? DatabaseHeader.byteCount : 0
    var places = Set(start..<(start + 8))
    guard let page = try? BTreePage(bytes, number: number, geometry: geometry),
      page.cellCount <= cellsMax
    else { return places }
    places.formUnion(start..<page.pointerArrayEnd)
    for index in 0..<page.cellCount {
      guard let cell = bytes.big16(at: page.pointerArrayOffset + 2 * index) else { continue }
      let lengths = cell + (page.kind.isLeaf ? 0 : 4)
      places.formUnion((lengths..<(lengths + lengthsMax)).filter { $0 < bytes.count })
    }
    return places
  }
}
