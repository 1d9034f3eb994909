// SPDX-License-Identifier: Apache-2.0
// What is said of leaves that do not lie as deep as the others of their tree.

@testable import Diagnosis
import SQLiteFormat
import Testing

@Suite struct DepthCheckTests {
  @Test func `a leaf at another depth than the others is named with its page`() {
    let findings = DepthCheck.findings(
      in: .table { $0.unevenLeaves.add(FormatError(.tooDeep, page: PageNumber(7))) })
    #expect(findings.map(\.code) == [.treeUneven])
    #expect(
      findings.first?.message == "a leaf of 't' lies deeper or less deep than the others")
    #expect(findings.first?.place.page?.number == 7)
  }

  @Test func `a tree whose leaves all lie at one depth is not named`() {
    #expect(DepthCheck.findings(in: .table { _ in }).isEmpty)
  }
}
