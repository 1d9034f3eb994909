// SPDX-License-Identifier: Apache-2.0
// What stands in a log in the place of its frames: text, and what a medium leaves of sectors.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct LogWoundTests {
  private static let pageSize = 4096

  /// What is said of a database with a log of several transactions, after a change of the log.
  private func causes(_ change: (_ log: inout Bytes) -> Void) throws -> CauseAnswer {
    let scratch = try ScratchFolder()
    let path = scratch["a.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize, journal: .wal,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO t SELECT i, 'text of row ' || i || hex(zeroblob(80)) FROM n
        """,
      ],
      leftover: .wal([
        "UPDATE t SET a = upper(a) WHERE id < 400", "UPDATE t SET a = lower(a) WHERE id < 300",
        "UPDATE t SET a = upper(a) WHERE id > 500",
      ])
    ).build(at: path)
    var log = try path.adding(suffix: "-wal").contents()
    change(&log)
    return try Examination(Reconstruction(Survey(main: path.contents(), wal: log))).causes
  }

  /// Where a frame of the log begins: section 4.1 of the file format.
  private static func start(ofFrame index: Int) -> Int { 32 + index * (24 + pageSize) }

  private func put(_ bytes: Bytes, at offset: Int, in log: inout Bytes) {
    log.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }

  @Test func `text over a frame was written by a program, and not by two that write frames`()
    throws
  {
    let text = Bytes(String(repeating: "10:11:12 INFO request served\n", count: 60).utf8)
    let answer = try causes { log in put(text, at: Self.start(ofFrame: 9) - 200, in: &log) }
    #expect(answer.causes.contains { $0.kind == .textWritten })
    #expect(!answer.causes.contains { $0.kind == .severalWriters })
  }

  @Test(arguments: [0, 32768]) func `blanks in a log may be the medium's`(_ place: Int) throws {
    let answer = try causes { log in
      put(Bytes(repeating: 0, count: place == 0 ? 32 : 4096), at: place, in: &log)
    }
    #expect(answer.causes.contains { $0.kind == .badMedium })
    #expect(!answer.causes.contains { $0.kind == .severalWriters })
  }

  @Test func `a log that is whole has none`() throws {
    #expect(try causes { _ in }.causes.isEmpty)
  }
}
