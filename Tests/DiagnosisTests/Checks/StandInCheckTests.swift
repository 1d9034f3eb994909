// SPDX-License-Identifier: Apache-2.0
// What is said of a file in the place of the database, whose log is still there.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct StandInCheckTests {
  /// The findings of a database that lies in its log alone, beside a file with these bytes in its stead.
  private func findings(beside main: Bytes) throws -> [Finding] {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, [],
      leftover: .wal(["CREATE TABLE t (id INTEGER PRIMARY KEY)", "INSERT INTO t VALUES (1)"])
    ).build(at: path)
    let log = try path.adding(suffix: "-wal").contents()
    return StandInCheck.findings(in: Survey(main: main, wal: log))
  }

  @Test func `an empty file has lost what SQLite deletes when it opens it`() throws {
    let findings = try findings(beside: [])
    #expect(findings.map(\.code) == [.sidecarDeleted])
    #expect(
      findings.first?.message.hasPrefix(
        "the file is empty, and all that is read here lies in the -wal beside it") == true)
  }

  @Test func `a file that was erased is named with what is read instead`() throws {
    let findings = try findings(beside: Bytes(repeating: 255, count: 4096))
    #expect(findings.map(\.code) == [.allZero])
    #expect(
      findings.first?.message
        == "every byte of the file is 255; all that is read here lies in the -wal beside it")
    #expect(findings.first?.severity == .damage)
  }

  @Test func `SQLite reads the log of a file of zeros by itself`() throws {
    #expect(try findings(beside: Bytes(repeating: 0, count: 4096)).isEmpty)
  }
}
