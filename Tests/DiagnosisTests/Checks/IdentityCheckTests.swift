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

  @Test func `nothing is said of a database`() throws {
    #expect(try said(of: Specimen().bytes).isEmpty)
  }
}
