// SPDX-License-Identifier: Apache-2.0
// What the pages of a log that are in the file tell of the checkpoint that copied them.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct CheckpointProgressTests {
  private static let pageSize = 512

  /// What is told of a log with two transactions of which some of the last frames were copied.
  private func progress(
    copying isCopied: (_ frame: WriteAheadLog.Frame, _ firstCommit: Int) -> Bool
  ) throws -> CheckpointProgress? {
    let scratch = try ScratchFolder()
    let path = scratch["a.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize, journal: .wal,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO t SELECT i, 'text of row ' || i || hex(zeroblob(20)) FROM n
        """,
      ],
      leftover: .wal([
        "UPDATE t SET a = upper(a) WHERE id BETWEEN 100 AND 180",
        "UPDATE t SET a = upper(a) WHERE id < 80 OR id > 200",
      ])
    ).build(at: path)
    var main = try path.contents()
    let bytes = try path.adding(suffix: "-wal").contents()
    let log = try WriteAheadLog(MemorySource(bytes))
    let commit = try #require(log.committed.first { $0.commitPageCount != nil }).index
    let last = Dictionary(log.committed.map { ($0.page, $0) }) { _, later in later }
    for frame in last.values where isCopied(frame, commit) {
      let place = (frame.page.number - 1) * Self.pageSize
      main.replaceSubrange(
        place..<(place + Self.pageSize),
        with: bytes[frame.offset..<(frame.offset + Self.pageSize)])
    }
    let image = try #require(Survey(main: main, wal: bytes).image)
    return CheckpointProgress(of: image)
  }

  @Test func `a log of which nothing or everything is copied tells nothing`() throws {
    #expect(try progress { _, _ in false } == nil)
    #expect(try progress { _, _ in true } == nil)
  }

  @Test func `a checkpoint that a reader held up was not cut off`() throws {
    let progress = try #require(try progress { $0.index <= $1 })
    #expect(!progress.isCutOff && !progress.isBegunLate)
  }

  @Test func `a checkpoint that ends within a transaction was cut off`() throws {
    let progress = try #require(try progress { frame, _ in frame.page.number < 12 })
    #expect(progress.isCutOff && !progress.isBegunLate)
  }

  @Test func `a checkpoint that left out the first frames began too late`() throws {
    let progress = try #require(try progress { $0.index > $1 })
    #expect(progress.isBegunLate && !progress.isCutOff)
    #expect(progress.isScattered && progress.copiedCount >= 3 && progress.missingCount >= 3)
  }
}
