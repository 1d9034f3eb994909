// SPDX-License-Identifier: Apache-2.0
// Logs that were joined to the end of their database.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct AttachedLogCheckTests {
  /// A database with a log that has rows of its own.
  private func build() throws -> (main: Bytes, log: Bytes) {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO t SELECT i, 'row ' || i FROM n
        """,
      ], leftover: .wal(["INSERT INTO t VALUES (1000, 'new')"])
    ).build(at: path)
    return (try path.contents(), try path.adding(suffix: "-wal").contents())
  }

  @Test func `what is in it is read, and how to take it off is said`() throws {
    let (main, log) = try build()
    let found = try Examination(Reconstruction(Survey(main: main + log)))
    #expect(found.verdict == .damagedIntact)
    #expect(found.survey.tree(named: "t")?.records == 201)
    #expect(found.findings.filter { $0.severity >= .damage }.map(\.code) == [.logAttached])
    #expect(found.causes.leading?.kind == .bytesInFront)
    #expect(
      found.causes.leading?.now.hasSuffix(
        "head -c \(main.count) FILE > NEW; tail -c +\(main.count + 1) FILE > NEW-wal") == true)
  }

  @Test func `no other bytes behind a database are a log, and a log beside it comes first`() throws
  {
    let (main, log) = try build()
    var broken = log
    broken[26] ^= 1
    #expect(Survey(main: main + broken).startOfAttachedLog == nil)
    #expect(Survey(main: main + [0] + log).startOfAttachedLog == nil)
    #expect(Survey(main: main + log, wal: log).startOfAttachedLog == nil)
    #expect(Survey(main: main, wal: log).startOfAttachedLog == nil)
  }
}
