// SPDX-License-Identifier: Apache-2.0
// What is said of a file that was sent as text.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct TransferCheckTests {
  @Test func `carriage returns that came in are counted`() throws {
    let specimen = try Specimen()
    let count = specimen.bytes.count { $0 == 0x0A }
    let finding = try #require(specimen.with(.crlf).said(.lineEndingsConverted).first)
    #expect(
      finding.message
        == "every line feed follows a carriage return: the file was transferred as text, and is read "
        + "without \(count) carriage return\(count == 1 ? "" : "s")")
    #expect(finding.severity == .damage)
    #expect(specimen.said(.lineEndingsConverted).isEmpty)
  }
}
