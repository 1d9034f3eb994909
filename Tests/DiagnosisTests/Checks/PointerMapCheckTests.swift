// SPDX-License-Identifier: Apache-2.0
// What is said of pointer maps.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PointerMapCheckTests {
  @Test func `an entry that the trees contradict is named with its page`() throws {
    var specimen = try Specimen(autoVacuum: .full)
    #expect(specimen.said(.pointerMapMismatch).isEmpty)
    let leaf = try #require(specimen.pages(of: "note", "leaf").first { $0 < 90 })
    // Five bytes for each page behind the map on page 2: what it is, and what leads to it.
    specimen.bytes[specimen[page: 2].lowerBound + 5 * (leaf - 3)] = 1
    let finding = try #require(specimen.said(.pointerMapMismatch).first)
    #expect(finding.message == "the pointer map contradicts 1 page")
    #expect(finding.place.page?.number == leaf)
    #expect(finding.severity == .damage)
  }
}
