// SPDX-License-Identifier: Apache-2.0
// What a kind of finding means, or every kind there is: pages of the catalogue.

import Diagnosis

/// Pages of the catalogue of findings.
package struct FindingAnswer: CommandAnswer {
  private let findings: [FindingCode]
  private let isWhole: Bool

  /// Looks up the code of a finding, or `findings` for all of them; nil where it is neither.
  package init?(_ subject: String) {
    isWhole = subject == "findings"
    findings =
      isWhole
      ? FindingCode.allCases.sorted { $0.rawValue < $1.rawValue }
      : FindingCode(name: subject).map { [$0] } ?? []
    guard !findings.isEmpty else { return nil }
  }

  package var document: JSON {
    isWhole
      ? .document("findings", ["findings": .array(findings.map { .object($0.members) })])
      : .document("finding", findings[0].members.mapValues(Optional.some))
  }

  package var lines: [AnswerLine] {
    guard isWhole else {
      return findings.flatMap { finding -> [AnswerLine] in
        [
          .result("\(finding.name, .emphasised)  \(finding.title)"),
          .result("  \(finding.meaning)"),
          .result(
            "  \(finding.severity.rawValue, finding.severity.style): \(finding.severity.meaning), "
              + "unless its place in the file says otherwise"),
          .result("  in a file: dbrescue diagnose FILE"),
        ]
      }
    }
    var table = TextTable([.text("code"), .text("severity"), .prose("finding")])
    for finding in findings {
      table.add([
        "\(finding.name)", "\(finding.severity.rawValue, finding.severity.style)",
        "\(finding.title)",
      ])
    }
    return [.table(table)]
  }

  /// The pages in Markdown.
  package var markdown: String {
    let head =
      isWhole
      ? [
        "# The findings", "", "`dbrescue explain findings --markdown` prints this page.", "",
        "How much each weighs: "
          + Finding.Severity.allCases.map { "*\($0.rawValue)*: \($0.meaning)" }
          .joined(separator: "; ")
          + ". A finding can weigh more or less than it does here: what is known of its place decides.",
        "",
      ] : []
    let pages = findings.flatMap { finding in
      [
        "## \(finding.name): \(finding.title)", "",
        finding.severity.rawValue.sentence + " " + finding.meaning.sentence, "",
      ]
    }
    return (head + pages).dropLast().joined(separator: "\n") + "\n"
  }
}

extension Finding.Severity {
  /// What it means for the database.
  fileprivate var meaning: String {
    switch self {
    case .notice: "worth knowing, and nothing is wrong"
    case .warning: "not as it should be, and no row depends on it"
    case .damage: "something is wrong, and every row can still be read"
    case .loss: "rows are lost or doubtful, or the file cannot be read"
    }
  }
}

extension FindingCode {
  fileprivate var members: [String: JSON] {
    [
      "code": .string(name), "title": .string(title), "meaning": .string(meaning),
      "severity": .string(severity.rawValue),
    ]
  }
}
