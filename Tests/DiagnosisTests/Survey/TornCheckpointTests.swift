// SPDX-License-Identifier: Apache-2.0
// A checkpoint that was cut off in the middle of a page: the log holds that page, and SQLite reads it
// from there.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct TornCheckpointTests {
  @Test(arguments: [100, 512, 1000])
  func `a page that a checkpoint has half written is no damage while the log holds it`(
    _ written: Int
  ) throws {
    try ScratchFolder.with { scratch in
      let path = scratch["app.db"]
      let connection = try Connection(path, mode: .create, schemaBy: .us)
      try connection.execute(
        """
        PRAGMA page_size = 1024; PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE t(a INTEGER PRIMARY KEY, b);
        PRAGMA wal_checkpoint(TRUNCATE);
        INSERT INTO t(b) WITH RECURSIVE n(i) AS
          (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
          SELECT hex(randomblob(50)) FROM n;
        """)
      let main = try path.contents()
      let log = try path.adding(suffix: "-wal").contents()
      _ = try connection.value("PRAGMA wal_checkpoint(PASSIVE)")
      let whole = try path.contents()
      #expect(main.count < whole.count)
      for page in stride(from: main.count / 1024, to: whole.count / 1024, by: 5) {
        let torn = Bytes(whole[..<(page * 1024 + written)])
        let rebuilt = try Reconstruction(
          FileSet(main: MemorySource(torn), wal: MemorySource(log)), parser: SandboxParser())
        let examination = try Examination(rebuilt, expectedVersion: nil)
        #expect(examination.verdict == .healthy, "page \(page)")
        #expect(rebuilt.survey.tree(named: "t")?.records == 200)
        // Without its log, the page is cut off.
        let alone = try Examination(
          Reconstruction(FileSet(main: MemorySource(torn)), parser: SandboxParser()),
          expectedVersion: nil)
        #expect(alone.findings.contains { $0.code == .partialLastPage })
      }
    }
  }
}
