// SPDX-License-Identifier: Apache-2.0
// Verifications as findings.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ContractVerificationTests {
  private let drift = ContractDifference(
    .missing, .table, "t", expected: "1 column", mend: .none(because: "x"))
  private let notice = ContractDifference(
    .changed, .columnOrder, "u", expected: "a, b", found: "b, a", mend: .none(because: "x"),
    weight: .notice)

  @Test func `what holds gives no finding but that of unsynced rows`() {
    let result = ContractVerification(
      expectedVersion: 1, foundVersion: 1,
      unsynced: [.init(name: "o", table: "outbox", rows: .none)])
    #expect(result.holds)
    #expect(result.unsyncedRows == .none)
    #expect(ContractVerification.findings(of: result) == [])
  }

  @Test func `drift is damage, another order of columns a notice`() {
    var result = ContractVerification(
      expectedVersion: 1, foundVersion: 1, differences: [notice, drift])
    let findings = ContractVerification.findings(of: result).filter { $0.code == .schemaDrift }
    #expect(findings.map(\.severity) == [.damage, .notice])
    #expect(findings.map(\.place.object) == ["t", "u"])
    #expect(findings.first?.message == "missing table t (1 column)")
    #expect(!result.holds)
    result.differences = [notice]
    #expect(result.holds)
  }

  @Test func `many differences are cut, and the rest counted`() {
    let result = ContractVerification(
      expectedVersion: 1, foundVersion: 1,
      differences: Array(repeating: drift, count: 60) + [notice])
    let findings = ContractVerification.findings(of: result).filter { $0.code == .schemaDrift }
    #expect(findings.count == 51)
    #expect(findings.last?.message == "11 more differences")
    #expect(findings.last?.severity == .damage)
  }

  @Test func `a long statement is not repeated in a message`() {
    let long = String(repeating: "x", count: 500)
    let result = ContractVerification(
      expectedVersion: 1, foundVersion: 1,
      differences: [
        ContractDifference(
          .changed, .trigger, "r", expected: long, found: long, mend: .none(because: ""))
      ])
    #expect(ContractVerification.findings(of: result).first?.message == "changed trigger r")
  }

  static let sums: [([UnsyncedRows], UnsyncedRows)] = [
    ([], .cannotTell), ([.none], .none), ([.none, .cannotTell], .cannotTell),
    ([.some(2), .cannotTell, .some(3)], .some(5)),
  ]

  @Test(arguments: sums)
  func `cannot tell is never none`(places: [UnsyncedRows], sum: UnsyncedRows) {
    let result = ContractVerification(
      expectedVersion: 1, foundVersion: 1,
      unsynced: places.map { .init(name: "n", table: "t", rows: $0) })
    #expect(result.unsyncedRows == sum)
    let codes = Set(ContractVerification.findings(of: result).map(\.code))
    #expect(codes.contains(.unsyncedUnknown) == (places.isEmpty || places.contains(.cannotTell)))
    #expect(codes.contains(.unsyncedRows) == (sum == .some(5)))
  }

  @Test func `another version and application are said with both numbers`() {
    let result = ContractVerification(
      expectedVersion: 4, foundVersion: 3, expectedApplicationID: 7, foundApplicationID: 8,
      unsynced: [.init(name: "o", table: "outbox", rows: .some(1))])
    #expect(
      ContractVerification.findings(of: result).map(\.message) == [
        "the application id is 8, and 7 is expected",
        "the version is 3, and 4 is expected; the schema is the expected one",
        "1 row of table 'outbox' waits to be sent (o)",
      ])
  }
}
