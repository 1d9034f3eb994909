// SPDX-License-Identifier: Apache-2.0
// A leaf of a table, or of an index, that is of an earlier moment than all else: which of the two is
// older, and what may be done about it.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct OlderTableTests {
  private static let pageSize = 1024

  /// What is known of a database of which so many pages of a kind are put back to what they were
  /// before an update that moved the keys of one of its two indexes.
  private func examination(puttingBack count: Int, of kind: BTreePage.Kind) throws -> Examination {
    let scratch = try ScratchFolder()
    let path = scratch["a.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER, name TEXT)",
        "CREATE INDEX t_k ON t (k)", "CREATE INDEX t_name ON t (name)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO t SELECT i, i * 7919 % 10007, 'name of row ' || i * 31 % 4001 FROM n
        """,
      ]
    ).build(at: path)
    let old = try path.contents()
    do {
      let connection = try Connection(path, mode: .app)
      try connection.execute("UPDATE t SET k = id * 104729 % 10007 WHERE id % 2 = 0")
    }
    var new = try path.contents()
    let places = stride(from: 0, to: old.count, by: Self.pageSize).filter { place in
      let range = place..<(place + Self.pageSize)
      return place > 0 && old[place] == kind.rawValue && new[place] == kind.rawValue
        && old[range] != new[range]
    }
    for place in places.dropFirst(places.count / 3).prefix(count) {
      let range = place..<(place + Self.pageSize)
      new.replaceSubrange(range, with: old[range])
    }
    try path.replaceContents(with: new)
    return try Rescue(world: World(environment: [:])).check(InputFiles(path)).value
  }

  @Test(arguments: [1, 2])
  func `leaves of a table that are older than its indexes are not the fault of these`(
    _ count: Int
  ) throws {
    let examination = try examination(puttingBack: count, of: .tableLeaf)
    let answer = examination.causes
    #expect(answer.isUnknown && examination.isTableOlder)
    #expect(answer.causes.map(\.kind) == [.interrupted, .indexesOnly])
    let options = examination.options(backups: [], hasFreshSchema: false).map(\.kind)
    #expect(options == [.salvage, .rebuildIndexes])
  }

  @Test func `a leaf of an index that is older than its table is that of the index`() throws {
    let examination = try examination(puttingBack: 1, of: .indexLeaf)
    let answer = examination.causes
    #expect(answer.leading?.kind == .indexesOnly && !examination.isTableOlder)
    #expect(
      examination.options(backups: [], hasFreshSchema: false).first?.kind == .rebuildIndexes)
  }
}
