// SPDX-License-Identifier: Apache-2.0
// What is said of tables whose first page is gone.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RootCheckTests {
  @Test func `a root that is gone is named with its page`() throws {
    let specimen = try Specimen()
    let root = try specimen.root(of: "letter")
    let finding = try #require(specimen.with(.zeroPage(root)).said(.rootLost).first)
    #expect(
      finding.message
        == "the root of table 'letter' cannot be read: it does not begin as a page of a table or "
        + "index does")
    #expect(finding.place == .init(page: PageNumber(root), object: "letter"))
    #expect(finding.severity == .loss)
  }

  @Test func `one whose rows an index proves to be there is damage`() throws {
    let specimen = try Specimen()
    let root = try specimen.root(of: "note")
    let finding = try #require(specimen.with(.zeroPage(root)).said(.rootLost).first)
    #expect(finding.place.object == "note")
    #expect(finding.severity == .damage)
  }
}
