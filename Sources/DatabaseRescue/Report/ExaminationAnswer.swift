// SPDX-License-Identifier: Apache-2.0
// What a look at a database answers: the verdict, and what is behind it.

package import Diagnosis

/// What `check` answers: the verdict, the findings behind it, and the next command.
package struct CheckAnswer: CommandAnswer {
  private let report: DiagnosisReport
  private let text: ExaminationText
  private let options: (contract: String, journals: String)

  /// Makes the answer of a run; `contract` and `journals` are the options of the next command.
  package init(
    _ result: RunResult<Examination>, of file: FilePath, contract: String, journals: String
  ) {
    report = DiagnosisReport(ofLook: "check", result, at: file)
    text = ExaminationText(result.value, of: file)
    options = (contract, journals)
  }

  package var document: JSON { get throws(RescueError) { try report.document } }

  package var lines: [AnswerLine] {
    let next = text.next(contract: options.contract, journals: options.journals)
    return ([text.headline] + text.findings + text.unchecked + next).map { .result($0) }
  }
}

/// What `contract verify` answers: the verdict, and every difference.
package struct ContractVerificationAnswer: CommandAnswer {
  private let report: DiagnosisReport
  private let text: ExaminationText
  private let differences: [String]

  /// Makes the answer of a run.
  package init(_ result: RunResult<Examination>, of file: FilePath) {
    report = DiagnosisReport(ofLook: "contract-verify", result, at: file)
    text = ExaminationText(result.value, of: file)
    differences = result.value.diff
  }

  package var document: JSON { get throws(RescueError) { try report.document } }

  package var lines: [AnswerLine] {
    ([text.headline] + text.findings).map { .result($0) } + differences.map(Self.line)
  }

  /// A statement to paste is never cut.
  private static func line(_ difference: String) -> AnswerLine {
    difference.hasPrefix("      ") || difference.hasPrefix("    mend: ")
      ? .pasted("  \(difference.harmless())") : .result("  \(difference)")
  }
}

extension DiagnosisReport {
  /// The report of a look at a file, and at no option.
  fileprivate init(ofLook command: String, _ result: RunResult<Examination>, at file: FilePath) {
    self.init(
      ofLook: command, result.value, file: PlainName(file), code: result.code,
      created: result.started)
  }
}
