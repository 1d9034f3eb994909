// SPDX-License-Identifier: Apache-2.0
// What is said of a second database in the file.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct NeighbourCheckTests {
  @Test func `the second of two databases is named with its place`() throws {
    let bytes = try Specimen().bytes
    let survey = Survey(main: bytes + bytes)
    let findings = NeighbourCheck.findings(in: survey)
    #expect(findings.map(\.code) == [.databaseBeside])
    #expect(findings.first?.place.offset == bytes.count)
    #expect(findings.first?.message == survey.neighbours.first?.message)
    #expect(NeighbourCheck.findings(in: Survey(main: bytes)).isEmpty)
  }
}
