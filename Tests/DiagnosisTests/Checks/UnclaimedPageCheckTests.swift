// SPDX-License-Identifier: Apache-2.0
// What is said of pages that belong to nothing.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct UnclaimedPageCheckTests {
  @Test func `the pages of a free list that is forgotten belong to nothing`() throws {
    var specimen = try Specimen()
    #expect(specimen.said(.pageUnclaimed).isEmpty)
    specimen.bytes.setBigEndian(0, at: 32)
    specimen.bytes.setBigEndian(0, at: 36)
    let finding = try #require(specimen.said(.pageUnclaimed).first)
    let page = try #require(finding.place.page)
    #expect(finding.message.hasSuffix("pages belong to nothing, the first is page \(page)"))
    #expect(finding.severity == .damage)
  }
}
