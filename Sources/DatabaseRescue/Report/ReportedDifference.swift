// SPDX-License-Identifier: Apache-2.0
// A difference from a contract as it stands in documents.

package import Diagnosis

/// A difference from a contract as it stands in documents.
package struct ReportedDifference: Hashable, Sendable, Encodable {
  private let kind: ContractDifference.Kind
  private let subject: ContractDifference.Subject
  private let object: String
  private let weight: ContractDifference.Weight
  private let expected: String?
  private let found: String?
  private let sql: String?
  private let warnings: [String]

  /// Takes what is told of a difference.
  package init(_ difference: ContractDifference) {
    kind = difference.kind
    subject = difference.subject
    object = difference.object
    weight = difference.weight
    // A rule that rows break is the file's own.
    expected = difference.kind == .broken ? difference.expected?.shownMessage : difference.expected
    found = difference.found?.shownMessage
    sql = difference.mend.sql
    warnings = difference.mend.warnings.map(\.shownMessage)
  }
}
