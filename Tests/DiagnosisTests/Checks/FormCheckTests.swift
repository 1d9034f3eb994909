// SPDX-License-Identifier: Apache-2.0
// What is said of rows with fields that their table has not.

@testable import Diagnosis
import SQLiteFormat
import Testing

@Suite struct FormCheckTests {
  @Test func `rows with other fields than their table are counted at the first of them`() {
    let findings = FormCheck.findings(
      in: .table {
        for page in 4..<6 { $0.unfit.add(FormatError(.recordHeader, page: PageNumber(page))) }
      })
    #expect(findings.map(\.code) == [.rowDoubtful])
    #expect(findings.first?.message == "a row of 't' has fields that the table has not")
    #expect(findings.first?.place.page?.number == 4)
  }

  @Test func `a table without such rows is not named`() {
    #expect(FormCheck.findings(in: .table { _ in }).isEmpty)
  }
}
