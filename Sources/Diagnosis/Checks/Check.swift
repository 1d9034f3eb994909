// SPDX-License-Identifier: Apache-2.0
// What every check is: a function from a survey to findings, with its wording beside it.

/// A check: what one kind of trouble looks like in a survey, and how it is worded.
protocol Check: Sendable {
  /// The findings of this check.
  static func findings(in survey: Survey) -> [Finding]
}

extension Survey {
  /// Every check of the bytes, in the order in which findings are reported.
  private static let checks: [any Check.Type] = [
    IdentityCheck.self, ReadingCheck.self, GeometryCheck.self, JournalCheck.self,
    SchemaCheck.self, TreeCheck.self, IndexCheck.self, VirtualTableCheck.self, OrphanCheck.self,
    FreeSpaceCheck.self,
  ]

  /// What the checks find, heaviest first.
  package var findings: [Finding] { findings([], unchecked) }

  /// What the checks find, and what modules of virtual tables say, heaviest first.
  func findings(_ modules: [ModuleVerdict], _ unchecked: [Unchecked]) -> [Finding] {
    var all =
      Self.checks.flatMap { $0.findings(in: self) } + modules.flatMap { $0.findings(in: self) }
      + unchecked.compactMap(\.finding)
    all += WriterCheck.findings(in: self, besides: all)
    return all.enumerated().sorted { left, right in
      left.element.severity == right.element.severity
        ? left.offset < right.offset : left.element.severity > right.element.severity
    }.map(\.element)
  }
}

/// A count with its noun: `1 row`, `2 rows`.
func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
