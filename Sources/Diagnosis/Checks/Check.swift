// SPDX-License-Identifier: Apache-2.0
// What every check is: a function from a reconstruction to findings, with its wording beside it.

/// A check: what one kind of trouble looks like in a database, and how it is worded.
protocol Check: Sendable {
  /// The findings of this check.
  static func findings(in reconstruction: Reconstruction) -> [Finding]
}

/// A check of what the bytes say, whatever was put together again of them.
protocol SurveyCheck: Check {
  /// The findings of this check.
  static func findings(in survey: Survey) -> [Finding]
}

extension SurveyCheck {
  static func findings(in reconstruction: Reconstruction) -> [Finding] {
    findings(in: reconstruction.survey)
  }
}

/// The checks of the bytes.
enum Checks {
  /// How the file is cut into pages.
  static let ofGeometry: [any SurveyCheck.Type] = [
    HeaderCheck.self, StartCheck.self, TransferCheck.self, NeighbourCheck.self,
  ]

  /// The pages that are in no tree.
  static let ofFreeSpace: [any SurveyCheck.Type] = [
    FreelistCheck.self, PointerMapCheck.self, UnclaimedPageCheck.self,
  ]

  /// All, in the order in which findings are reported.
  static let all: [any Check.Type] =
    [IdentityCheck.self, StandInCheck.self, ReadingCheck.self] + ofGeometry + [
      SizeCheck.self, AttachedLogCheck.self, LogCheck.self, LogIndexCheck.self, JournalCheck.self,
      SchemaTableCheck.self, StatementCheck.self, RootCheck.self, TreeCheck.self, IndexCheck.self,
      VirtualTableCheck.self, OrphanCheck.self,
    ] + ofFreeSpace
}

extension Reconstruction {
  /// What the checks find, heaviest first.
  package var findings: [Finding] { findings([], survey.unchecked) }

  /// What the checks find, and what modules of virtual tables say, heaviest first.
  func findings(_ modules: [ModuleVerdict], _ unchecked: [Unchecked]) -> [Finding] {
    var all =
      Checks.all.flatMap { $0.findings(in: self) } + modules.flatMap { $0.findings(in: survey) }
      + unchecked.compactMap(\.finding)
    all += WriterCheck.findings(in: survey, besides: all)
    return all.enumerated().sorted { left, right in
      left.element.severity == right.element.severity
        ? left.offset < right.offset : left.element.severity > right.element.severity
    }.map(\.element)
  }
}
