// SPDX-License-Identifier: Apache-2.0
// How much of a payload stays in its page, and which pages hold no content.

import SQLiteFormat
import Testing

@Suite struct GeometryTests {
  /// Worked out by hand from the formulas of section 1.6: the longest local payload of a table
  /// leaf, of an index page, and the least that stays when a payload spills.
  static let limits: [(pageSize: Int, reserved: Int, leaf: Int, index: Int, least: Int)] = [
    (512, 0, 477, 102, 39), (512, 32, 445, 94, 35), (1024, 0, 989, 230, 103),
    (2048, 0, 2013, 487, 232), (4096, 0, 4061, 1002, 489), (4096, 12, 4049, 998, 487),
    (65536, 0, 65501, 16422, 8199), (65536, 255, 65246, 16358, 8167),
  ]

  @Test(arguments: limits)
  func `a payload spills by the formulas of the format`(
    _ pageSize: Int, _ reserved: Int, _ leaf: Int, _ index: Int, _ least: Int
  ) throws {
    let geometry = try Geometry.of(pageSize, reserved: reserved)
    let page = pageSize - reserved - 4
    for (most, isLeaf) in [(leaf, true), (index, false)] {
      func kept(_ total: Int) -> Int { geometry.localPayload(total: total, tableLeaf: isLeaf) }
      #expect(kept(0) == 0)
      #expect(kept(least) == least)
      #expect(kept(most) == most)
      // One byte more than fits: all but the least moves to overflow pages.
      #expect(kept(most + 1) == least)
      // Exactly full overflow pages leave the least; each byte more stays, up to the most.
      for pages in [1, 2, 7] {
        #expect(kept(least + pages * page) == least)
        #expect(kept(least + pages * page + 1) == least + 1)
        #expect(kept(most + pages * page) == most)
        #expect(kept(most + pages * page + 1) == least)
        #expect(kept(least + pages * page - 1) == least)
      }
    }
  }

  @Test(arguments: [
    (1024, 990, true, 103), (1024, 1123, true, 103), (1024, 2009, true, 989),
    (1024, 2010, true, 103), (1024, 231, false, 103), (1024, 1124, false, 104),
    (1024, 1250, false, 230), (1024, 1251, false, 103), (4096, 4062, true, 489),
    (4096, 4581, true, 489), (4096, 8153, true, 4061), (4096, 8154, true, 489),
  ])
  func `a payload that does not fit leaves as much in its cell as SQLite does`(
    _ pageSize: Int, _ total: Int, _ isLeaf: Bool, _ kept: Int
  ) throws {
    #expect(try Geometry.of(pageSize).localPayload(total: total, tableLeaf: isLeaf) == kept)
  }

  @Test func `what SQLite does not accept is no geometry`() {
    for pageSize in [0, 1, 256, 511, 513, 1000, 3072, 131072, -512] {
      #expect(Geometry(pageSize: pageSize) == nil)
    }
    #expect(Geometry(pageSize: 512, reserved: 32)?.usable == 480)
    #expect(Geometry(pageSize: 512, reserved: 33) == nil)
    #expect(Geometry(pageSize: 1024, reserved: 256) == nil)
    #expect(Geometry(pageSize: 1024, reserved: -1) == nil)
  }

  @Test(arguments: [(512, 2_097_153), (1024, 1_048_577), (4096, 262_145), (65536, 16_385)])
  func `the lock-byte page holds byte 2^30`(_ pageSize: Int, _ page: Int) throws {
    #expect(try Geometry.of(pageSize).lockBytePage?.number == page)
  }

  @Test func `pointer maps come at fixed distances`() throws {
    let geometry = try Geometry.of(512)
    #expect(geometry.pointerMapSpan == 103)
    #expect((1...400).filter { geometry.isPointerMap($0.page) } == [2, 105, 208, 311])
    #expect(geometry.pointerMapPage(for: 1.page) == nil)
    #expect(geometry.pointerMapPage(for: 3.page) == 2.page)
    #expect(geometry.pointerMapPage(for: 104.page) == 2.page)
    #expect(geometry.pointerMapPage(for: 106.page) == 105.page)
    #expect(try Geometry.of(512, reserved: 32).pointerMapSpan == 97)
  }

  @Test func `a pointer map gives way to the lock-byte page`() throws {
    // With pages of 1024 bytes, map number 5115 would fall exactly on it: 5115 · 205 + 2.
    let geometry = try Geometry.of(1024)
    let lock = try #require(geometry.lockBytePage)
    #expect(lock.number == 5115 * geometry.pointerMapSpan + 2)
    let after = (lock.number + 1).page
    #expect(!geometry.isPointerMap(lock))
    #expect(geometry.isPointerMap(after))
    #expect(geometry.pointerMapPage(for: (lock.number + 2).page) == after)
    #expect(geometry.isPointerMap((lock.number + 205).page))
    #expect(geometry.pointerMapPage(for: (lock.number + 204).page) == after)
  }
}
