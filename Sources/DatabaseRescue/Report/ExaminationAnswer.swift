// SPDX-License-Identifier: Apache-2.0
// What a look at a database answers: the verdict, and what is behind it.

package import Diagnosis

/// What `check` answers: the verdict, the findings behind it, and the next command.
package struct CheckAnswer: CommandAnswer {
  private let result: RunResult<Examination>
  private let file: FilePath
  private let options: (contract: String, journals: String, vault: String)

  /// Makes the answer of a run; `contract`, `journals` and `vault` are the options of the next
  /// command.
  package init(
    _ result: RunResult<Examination>, of file: FilePath, contract: String, journals: String,
    vault: String
  ) {
    self.result = result
    self.file = file
    options = (contract, journals, vault)
  }

  package var exitStatus: Int32 { result.value.verdict.exitStatus }

  package var document: JSON {
    get throws(RescueError) { try result.document(ofLook: "check", at: file) }
  }

  package var lines: [AnswerLine] {
    let text = ExaminationText(result.value, of: file)
    let next = text.next(
      contract: options.contract, journals: options.journals, vault: options.vault)
    return (text.headline + text.findings + text.unchecked + next).map { .result($0) }
  }
}

/// What `contract verify` answers: the verdict, and every difference.
package struct ContractVerificationAnswer: CommandAnswer {
  private let result: RunResult<Examination>
  private let file: FilePath

  /// Makes the answer of a run.
  package init(_ result: RunResult<Examination>, of file: FilePath) {
    self.result = result
    self.file = file
  }

  package var exitStatus: Int32 { result.value.verdict.exitStatus }

  package var document: JSON {
    get throws(RescueError) { try result.document(ofLook: "contract-verify", at: file) }
  }

  package var lines: [AnswerLine] {
    let text = ExaminationText(result.value, of: file)
    return (text.headline + text.findings).map { .result($0) } + result.value.diff.map(Self.line)
  }

  /// A statement to paste is never cut.
  private static func line(_ difference: String) -> AnswerLine {
    difference.hasPrefix("      ") || difference.hasPrefix("    mend: ")
      ? .pasted("  \(difference.harmless())") : .result("  \(difference)")
  }
}

extension RunResult<Examination> {
  /// The document of a look at a file.
  fileprivate func document(
    ofLook command: String, at file: FilePath
  ) throws(RescueError) -> JSON {
    try DiagnosisReport(
      ofLook: command, value, file: file, code: code, created: started
    ).document
  }
}
