// SPDX-License-Identifier: Apache-2.0
// Pages that are in part of one moment and in part of another, and pages that only look so.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct TornPageTests {
  /// A leaf of a table before and after a statement.
  private func leaf(_ statement: String) throws -> (old: Bytes, new: Bytes) {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, body TEXT)",
      """
      WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO t SELECT i, 'name ' || i, hex(zeroblob(40)) || i FROM n
      """,
    ]).build(at: path)
    let page = try #require(
      Oracle(path).pages.first { $0.object == "t" && $0.kind == "leaf" })
    let range = ((page.number - 1) * 4096)..<(page.number * 4096)
    let old = try path.contents()
    try Connection(path, mode: .app).execute(statement)
    return (Bytes(old[range]), Bytes(try path.contents()[range]))
  }

  private func torn(_ bytes: Bytes) throws -> TornPage? {
    let geometry = try #require(Geometry(pageSize: 4096, reserved: 0))
    return TornPage(try BTreePage(bytes, number: #require(PageNumber(9)), geometry: geometry))
  }

  @Test(arguments: [
    "UPDATE t SET body = 'x' || body",
    "DELETE FROM t WHERE id IN (5, 6, 11); INSERT INTO t VALUES (6, 'a', hex(zeroblob(60)))",
  ])
  func `the beginning of a page of one moment does not fit the end of another`(
    _ statement: String
  ) throws {
    let (old, new) = try leaf(statement)
    #expect(old != new)
    #expect(try torn(old) == nil && torn(new) == nil)
    let page = new[..<1024] + old[1024...]
    #expect(try torn(Bytes(page)) != nil)
  }

  @Test func `a number or a pointer that is wrong tears no page`() throws {
    let (page, _) = try leaf("SELECT 1")
    let count = try #require(page.big16(at: 3))
    for number in [0, 1, count / 2, count - 1, count + 1, count + 5] {
      var changed = page
      changed[3] = UInt8(number / 256)
      changed[4] = UInt8(number % 256)
      #expect(try torn(changed) == nil, "\(number) cells")
    }
    for offset in stride(from: 8, to: 8 + 2 * count, by: 2) {
      var changed = page
      changed[offset + 1] ^= 4
      #expect(try torn(changed) == nil, "the pointer at \(offset)")
    }
    var wiped = page
    for offset in 8..<(8 + 2 * count) { wiped[offset] = 0 }
    #expect(try torn(wiped) == nil)
  }

  @Test func `bytes that have changed in a row tear no page`() throws {
    let (page, _) = try leaf("SELECT 1")
    var random = SeededRandom(seed: 5)
    for _ in 0..<400 {
      var changed = page
      let offset = 512 + random.below(4096 - 512)
      changed[offset] = UInt8(random.below(256))
      #expect(try torn(changed) == nil, "byte \(offset)")
    }
  }
}
