// SPDX-License-Identifier: Apache-2.0
// Mixtures of two moments: which of them show where one ends and the other begins.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PagePairsTests {
  private static let size = 1024
  private static let rows: DatabaseBuilder.Step = """
    CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT);
    CREATE INDEX titles ON note (title);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
    INSERT INTO note SELECT i, 'name ' || (i * 7919 % 10007), hex(zeroblob(40)) FROM n;
    """

  /// The file before and after some rows more.
  private func moments() throws -> (before: Bytes, after: Bytes) {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: Self.size, [Self.rows]).build(at: path)
    let before = try path.contents()
    try Connection(path, mode: .app).execute(
      "UPDATE note SET title = title || 'b', body = body || body WHERE id % 2 = 0")
    return (before, try path.contents())
  }

  /// The later file with those pages of the earlier one for which a condition holds.
  private func mixture(_ isEarlier: (Int) -> Bool) throws -> Survey {
    let (before, after) = try moments()
    var bytes = after
    for page in 0..<(before.count / Self.size) where isEarlier(page) {
      let range = (page * Self.size)..<((page + 1) * Self.size)
      bytes.replaceSubrange(range, with: before[range])
    }
    return Survey(main: bytes)
  }

  @Test func `a copy that was read from beginning to end shows where it was met`() throws {
    let early = try moments().before.count / Self.size
    let seam = try #require(try PagePairs(in: mixture { $0 < early / 2 })?.seam)
    #expect(seam.before.number <= early / 2 && seam.behind.number > early / 2)
    #expect(seam.pairCount >= 5)
  }

  @Test(arguments: [2, 3, 5])
  func `pages of two moments all over the file show no such place`(step: Int) throws {
    #expect(try PagePairs(in: mixture { $0 % step == 0 })?.seam == nil)
  }

  @Test func `a file of one moment has no pages that contradict each other`() throws {
    #expect(try PagePairs(in: Survey(main: moments().after))?.seam == nil)
  }
}
