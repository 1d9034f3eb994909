// SPDX-License-Identifier: Apache-2.0
// What is said of rows that are lost.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LostRowsCheckTests {
  @Test(
    arguments: [
      (.exactly(1), "exactly 1 row"), (.atLeast(3), "at least 3 rows"),
      (.unknown, "an unknown number of rows"),
    ] as [(Loss, String)])
  func `a loss is said in its own words`(_ loss: Loss, _ words: String) {
    let findings = LostRowsCheck.findings(in: .table(loss: loss) { _ in })
    #expect(findings.map(\.code) == [.rowsLost])
    #expect(findings.first?.message == "\(words) of 't' cannot be read")
    #expect(findings.first?.place == .init(object: "t"))
  }

  @Test func `a table that lost nothing is not named`() {
    #expect(LostRowsCheck.findings(in: .table { _ in }).isEmpty)
  }

  @Test func `the rows of a leaf that an index still counts are known exactly`() throws {
    let specimen = try Specimen()
    let leaf = specimen.pages(of: "note", "leaf")[3]
    let count = specimen.bytes.bigEndian16(at: specimen[page: leaf].lowerBound + 3)
    #expect(
      specimen.with(.zeroPage(leaf)).said(.rowsLost).map(\.message)
        == ["exactly \(count) rows of 'note' cannot be read"])
  }
}
