// SPDX-License-Identifier: Apache-2.0
// What is said of pages of rows that no tree leads to.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OrphanCheckTests {
  @Test func `rows that their table gets back are damage`() throws {
    let specimen = try Specimen()
    let root = try specimen.root(of: "note")
    let finding = try #require(specimen.with(.zeroPage(root)).said(.orphanRows).first)
    #expect(
      finding.message
        == "301 rows of 'note' lie on pages that its tree has lost; indexes, rowids or their form "
        + "prove whose they are")
    #expect(finding.place.object == "note")
    #expect(finding.severity == .damage)
  }
}
