// SPDX-License-Identifier: Apache-2.0
// What is said of files that are no databases.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct IdentityCheckTests {
  private func said(of bytes: Bytes) -> [String] {
    IdentityCheck.findings(in: Survey(main: bytes)).map { "\($0.code.name) \($0.message)" }
  }

  @Test func `each kind of file is called by its name`() throws {
    var random = SeededRandom(seed: 7)
    #expect(said(of: []) == ["DBR-F001 the database has no pages"])
    #expect(
      said(of: Bytes(repeating: 0, count: 5000)) == ["DBR-F006 every byte of the file is zero"])
    #expect(said(of: Bytes("no database at all\n".utf8)) == ["DBR-F004 this is text"])
    #expect(
      said(of: random.bytes(1 << 16)) == [
        "DBR-F003 the bytes have no pattern: an encrypted database, or random data"
      ])
  }

  @Test func `bytes that are nothing known are no database`() {
    let bytes = Bytes((0..<3000).flatMap { [0, UInt8(1 + $0 % 7), 0xC8] })
    #expect(said(of: bytes) == ["DBR-F002 nothing here looks like an SQLite database"])
  }

  @Test func `a log or a journal alone is told from a database`() {
    let log = Bytes([0x37, 0x7F, 0x06, 0x82]) + Bytes(repeating: 1, count: 28)
    #expect(
      said(of: log) == ["DBR-F005 the file is: SQLite write-ahead log, not a database"])
    let journal = Bytes(RollbackJournal.magic) + Bytes(repeating: 1, count: 20)
    #expect(
      said(of: journal) == ["DBR-F005 the file is: SQLite rollback journal, not a database"])
  }

  @Test func `a file that the disk does not hand out is no other kind of file`() throws {
    let failure = ReadFailure(offset: 4096, reason: "input/output error")
    let findings = IdentityCheck.findings(in: Survey(kind: .unknown, readFailure: failure))
    let finding = try #require(findings.first)
    #expect(findings.count == 1 && finding.code == .unreadableBytes)
    #expect(finding.message == "the file cannot be read: input/output error")
    #expect(finding.place.offset == 4096 && finding.severity == .loss)
  }

  @Test func `nothing is said of a database`() throws {
    #expect(try said(of: Specimen().bytes).isEmpty)
  }
}
