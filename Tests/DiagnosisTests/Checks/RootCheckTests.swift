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

  /// The specimen with another number as the root of a table.
  private func said(ofRoot number: UInt8) throws -> (finding: Finding, page: Int) {
    var specimen = try Specimen()
    let root = try specimen.root(of: "letter")
    // The number stands before the statement, behind the name of the table that it repeats.
    let words = "tableletterletter"
    let place = try #require(specimen.places(of: words).first)
    #expect(Int(specimen.bytes[place + words.utf8.count]) == root)
    specimen.bytes[place + words.utf8.count] = number
    return (try #require(specimen.said(.rootLost).first), place / Specimen.pageSize + 1)
  }

  @Test func `a root that can be none is named with the row that leads there`() throws {
    let beyond = try said(ofRoot: 127)
    let taken = try said(ofRoot: UInt8(Specimen().root(of: "note")))
    let index = try said(ofRoot: UInt8(Specimen().root(of: "bodies")))
    for (finding, page) in [beyond, taken, index] {
      #expect(finding.place == .init(page: PageNumber(page), object: "letter"))
    }
  }
}
