// SPDX-License-Identifier: Apache-2.0
// What is left of the generation before behind the frames of a log, and whether the file has it.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct LostGenerationTests {
  private static let pageSize = 1024

  /// A database and its log that was begun anew, of whose generation before the first frames were
  /// left out by the checkpoint: such a part of them.
  private func files(leavingOut share: Double) throws -> (main: Bytes, wal: Bytes) {
    let scratch = try ScratchFolder()
    let path = scratch["a.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize, journal: .wal,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "CREATE INDEX t_a ON t (a)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        INSERT INTO t SELECT i, hex(i * 7919 % 10007) || ' text of row ' || i FROM n
        """,
      ]
    ).build(at: path)
    let connection = try Connection(path, mode: .app)
    try connection.execute("PRAGMA wal_autocheckpoint = 0")
    try connection.execute("UPDATE t SET a = lower(a) || id WHERE id % 3 = 0")
    try connection.execute("DELETE FROM t WHERE id % 5 = 0")
    try connection.execute("UPDATE t SET a = a || 'z' WHERE id % 7 = 0")
    let log = try path.adding(suffix: "-wal").contents()
    let frames = (log.count - 32) / (Self.pageSize + 24)
    if share > 0 {
      // File format, section 4.6: where the index counts the frames that were copied.
      let count = UInt32(Double(frames) * share)
      try SystemStorage().open(path.adding(suffix: "-shm"), .readWrite)
        .write(Bytes((0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }), at: 96)
    }
    try connection.execute("PRAGMA wal_checkpoint(RESTART)")
    // The other one has the pages in its memory that the file lacks.
    let another = try Connection(path, mode: .app)
    try another.execute("UPDATE t SET a = 'anew' WHERE id = 7")
    return try (path.contents(), path.adding(suffix: "-wal").contents())
  }

  @Test func `pages of the generation before that are nowhere else were lost`() throws {
    let (main, wal) = try files(leavingOut: 0.85)
    let survey = Survey(main: main, wal: wal)
    let image = try #require(survey.image)
    let lost = try #require(LostGeneration(of: image))
    #expect(lost.isProof && lost.missing.count >= 3)
    guard case .applied? = survey.image?.wal else {
      Issue.record("the database's own log is left out")
      return
    }
  }

  @Test func `a log that was begun anew after all of it was copied has lost nothing`() throws {
    let (main, wal) = try files(leavingOut: 0)
    let image = try #require(Survey(main: main, wal: wal).image)
    let log = try WriteAheadLog(MemorySource(wal))
    #expect(!log.generationBefore(in: MemorySource(wal)).isEmpty)
    #expect(LostGeneration(of: image) == nil)
  }

  @Test func `a frame of before that was changed since ends what is proven of its generation`()
    throws
  {
    let (_, wal) = try files(leavingOut: 0)
    let log = try WriteAheadLog(MemorySource(wal))
    let frames = log.generationBefore(in: MemorySource(wal))
    var changed = wal
    let last = try #require(frames.last)
    changed[last.offset + 100] ^= 1
    #expect(log.generationBefore(in: MemorySource(changed)).count < frames.count)
  }
}
