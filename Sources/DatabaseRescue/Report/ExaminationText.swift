// SPDX-License-Identifier: Apache-2.0
// An examination in a few lines: the verdict, what is behind it, and the next command.

package import Diagnosis

/// An examination in a few lines of text.
package struct ExaminationText {
  private let examination: Examination
  private let file: FilePath

  /// Makes the text of what was found of a file.
  package init(_ examination: Examination, of file: FilePath) {
    self.examination = examination
    self.file = file
  }

  /// The verdict and what it means.
  package var headline: [StyledText] {
    let verdict = examination.verdict
    let line: StyledText = "\(file.name): \(verdict.word, verdict.style) — \(examination.meaning)"
    return line.wrapped(to: TextTable.reportWidth)
  }

  /// What happened, as far as it is known.
  package var causes: [StyledText] {
    let answer = examination.causes
    guard let cause = answer.leading else {
      return answer.isUnknown ? ["what happened: not known"] : []
    }
    return [
      "what happened: \(cause.title, .emphasised) (\(cause.confidence.words))"
    ] + TextTable.list(["\(cause.happened)", "\(cause.now)"])
  }

  /// The findings, heaviest first.
  package var findings: [StyledText] {
    var table = TextTable([.text(""), .text(""), .prose("")], isIndented: true)
    let findings = examination.findings.filter { $0.code != .notChecked }
    for finding in findings {
      // What sums up others says itself how many they are, and has no page.
      let isRepeated = finding.count > 1 && finding.place.page != nil
      table.add([
        "\(finding.severity.rawValue, finding.severity.style)", "\(finding.code.name, .dim)",
        "\(finding.message)\(isRepeated ? ", \(finding.count) times" : "")",
      ])
    }
    return table.lines()
  }

  /// What was not checked, the first of it.
  package var unchecked: [StyledText] { Self.lines(for: examination.unchecked) }

  /// The most things that are listed; JSON and reports have the rest.
  private static let uncheckedMax = 40

  /// How many things were not checked, and which.
  static func lines(for unchecked: [Unchecked]) -> [StyledText] {
    guard !unchecked.isEmpty else { return [] }
    let shown = TextTable.list(unchecked.prefix(uncheckedMax).map { "\($0.message)" })
    let rest = unchecked.count - uncheckedMax
    return ["\(Unchecked.count(unchecked)):"] + shown + (rest > 0 ? ["  … and \(rest) more"] : [])
  }

  /// The next command, ready to paste: `contract`, `journals` and `vault` are the options that it
  /// needs of those that were given.
  func next(contract: String, journals: String, vault: String) -> [StyledText] {
    let file = file.shellQuoted
    if let process = examination.use.process {
      return ["next: dbrescue backup \(file) --from-process \(process)"]
    }
    if let move = examination.sidecarMove {
      let (log, away) = ("\(file)\(move.suffix)", "\(file)\(move.newSuffix)")
      return ["next: mv \(log) \(away)", "undo: mv \(away) \(log)"]
    }
    switch examination.verdict {
    case .healthy where examination.isOlderThanBackup:
      return ["next: dbrescue diagnose \(file)\(contract)\(journals)\(vault)"]
    case .healthy: return []
    case .outdated:
      return ["next: dbrescue guard \(file)\(contract) -- MIGRATION"]
    case .newer: return ["next: install the newer app; change nothing here"]
    case .drifted, .damagedIntact, .damagedLossy:
      return ["next: dbrescue diagnose \(file)\(contract)\(journals)"]
    case .unreadable:
      let now = "make sure that this is the right file, and ask for its -wal"
      let line: StyledText = "next: \(examination.causes.leading?.now ?? now)"
      return line.wrapped(to: TextTable.reportWidth)
    }
  }
}

extension Examination {
  /// The differences from the contract, line by line.
  var diff: [String] { ContractDifference.lines(for: comparison?.differences ?? []) }
}
