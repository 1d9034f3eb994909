// SPDX-License-Identifier: Apache-2.0
// What is said of write-ahead logs.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LogCheckTests {
  private func recipe(_ name: String) throws -> (main: Bytes, wal: Bytes, pageSize: Int) {
    let scratch = try ScratchFolder()
    let recipe = try Recipe.named(name)
    let path = try recipe.build(in: scratch.path)
    return (
      try path.contents(), try path.adding(suffix: "-wal").contents(), recipe.builder.pageSize
    )
  }

  @Test func `a log that is missing is worth a notice`() throws {
    let findings = LogCheck.findings(in: Survey(main: try Specimen(journal: .wal).bytes))
    #expect(findings.map(\.code) == [.walMissing])
    #expect(
      findings.first?.message
        == "the database is in WAL mode and there is no -wal file beside it")
  }

  @Test func `what a log adds is counted`() throws {
    let (main, wal, pageSize) = try recipe("wal-committed")
    let findings = LogCheck.findings(in: Survey(main: main, wal: wal))
    let frames = (wal.count - 32) / (24 + pageSize)
    #expect(findings.map(\.code) == [.walCommitted])
    #expect(
      findings.first?.message.hasSuffix("in \(frames) frames of the -wal are part of the database")
        == true)
  }

  @Test(arguments: [
    (1, "it does not begin as a write-ahead log does"),
    (20, "its checksum is another than its bytes give"),
  ])
  func `a header that does not hold takes the log with it`(_ byte: Int, _ reason: String) throws {
    var (main, wal, _) = try recipe("wal-committed")
    wal = Bytes(wal.prefix(32))
    wal[byte] ^= 1
    let findings = LogCheck.findings(in: Survey(main: main, wal: wal))
    #expect(findings.map(\.code) == [.walDamaged])
    #expect(findings.map(\.message) == ["the header of the -wal does not hold: \(reason)"])
  }

  @Test func `a log with other pages is another database's`() throws {
    let (main, _, own) = try recipe("wal-committed")
    let scratch = try ScratchFolder()
    let strange = 8192
    try DatabaseBuilder(
      pageSize: strange, journal: .wal, ["CREATE TABLE t (a)"],
      leftover: .wal(["INSERT INTO t VALUES (1)"])
    ).build(at: scratch["other.db"])
    let wal = try scratch["other.db-wal"].contents()
    let findings = LogCheck.findings(in: Survey(main: main, wal: wal))
    #expect(findings.map(\.code) == [.walForeign])
    #expect(
      findings.first?.message
        == "the -wal has pages of \(strange) bytes, the database of \(own)")
  }

  @Test func `a frame that is broken is named with its page`() throws {
    var (main, wal, pageSize) = try recipe("wal-committed")
    let log = try WriteAheadLog(MemorySource(wal))
    let broken = try #require(log.committed.first)
    // More than one bit, which would be turned back.
    for offset in 40..<50 { wal[broken.offset + pageSize - offset] ^= 0x5A }
    let finding = try #require(
      LogCheck.findings(in: Survey(main: main, wal: wal)).first { $0.code == .walDamaged })
    #expect(finding.severity == .loss && finding.place == .init(page: broken.page))
  }
}
