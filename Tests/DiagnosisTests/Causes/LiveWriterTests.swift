// SPDX-License-Identifier: Apache-2.0
// A transaction without an end is cut off only where nobody is there who could end it.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct LiveWriterTests {
  /// What is found in a database with a hot journal, which some processes have open.
  private func examination(writers: [Int32]) throws -> Examination {
    let scratch = try ScratchFolder()
    let path = scratch["a.db"]
    try DatabaseBuilder(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO t SELECT i, 'text of row ' || i FROM n
        """,
      ], leftover: .hotJournal(["UPDATE t SET a = upper(a)"])
    ).build(at: path)
    let found = try Examination(
      Reconstruction(
        Survey(
          main: try path.contents(), journal: try path.adding(suffix: "-journal").contents())),
      use: LiveUse(writers: writers))
    var around = Circumstances()
    around.needsJournal = true
    return found.amid(around)
  }

  @Test func `a transaction whose process is gone was cut off`() throws {
    let found = try examination(writers: [])
    #expect(found.causes.leading?.kind == .interrupted)
    let hot = try #require(found.findings.first { $0.code == .hotJournal })
    #expect(hot.message.hasPrefix("a transaction was cut off"))
  }

  @Test(arguments: [([7], "process 7 may be"), ([7, 9], "process 7 and 1 other may be")])
  func `a transaction whose process lives may go on`(_ writers: [Int32], _ words: String) throws {
    let found = try examination(writers: writers)
    #expect(found.verdict == .healthy)
    let answer = found.causes
    #expect(answer.leading == nil && !answer.isUnknown)
    #expect(answer.causes.first?.kind == .interrupted)
    #expect(answer.causes.first?.happened.hasPrefix(words) == true)
    let hot = try #require(found.findings.first { $0.code == .hotJournal })
    #expect(hot.message.hasPrefix("a transaction is open, and process 7"))
  }
}
