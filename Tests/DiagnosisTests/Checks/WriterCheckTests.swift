// SPDX-License-Identifier: Apache-2.0
// Which damage a known fault of SQLite is named for.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct WriterCheckTests {
  /// The findings of a database whose index lacks a row, as it was last written by a version.
  private func findings(
    writtenBy version: UInt32, inWALMode isWAL: Bool
  ) throws -> Set<FindingCode> {
    try ScratchFolder.with { folder in
      let path = folder["a.db"]
      try DatabaseBuilder([
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "CREATE INDEX i ON t (a)",
        "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')",
      ]).build(at: path)
      var bytes = Array(try path.contents())
      bytes[18] = isWAL ? 2 : 1
      bytes[19] = isWAL ? 2 : 1
      for byte in 0..<4 { bytes[96 + byte] = UInt8(truncatingIfNeeded: version >> (24 - 8 * byte)) }
      // The table on page 2 and the index on page 3 are of two states.
      let page = 4096..<8192
      let place = try #require(page.first { Array(bytes[$0..<$0 + 3]) == Array("two".utf8) })
      bytes[place] = UInt8(ascii: "T")
      try path.replaceContents(with: Bytes(bytes))
      let survey = try Survey(
        InputFiles(path, storage: SystemStorage()).open(in: World()), parser: SandboxParser())
      return Set(survey.findings.map(\.code))
    }
  }

  @Test(
    arguments: [
      (3_046_001, true), (3_051_002, true), (3_007_000, true), (3_051_003, false),
      (3_050_007, false), (3_044_006, false), (3_006_023, false),
    ] as [(UInt32, Bool)])
  func `the WAL-reset fault is named where the version has it`(
    _ version: UInt32, isNamed: Bool
  ) throws {
    let found = try findings(writtenBy: version, inWALMode: true)
    #expect(found.contains(.indexMismatch))
    #expect(found.contains(.walResetPossible) == isNamed)
  }

  @Test func `it is not named without a log`() throws {
    #expect(
      try !findings(writtenBy: 3_046_001, inWALMode: false).contains(.walResetPossible))
  }
}
