// SPDX-License-Identifier: Apache-2.0
// What every check is: a function from a survey to findings, with its wording beside it.

/// A check: what one kind of trouble looks like in a survey, and how it is worded.
protocol Check: Sendable {
  /// The findings of this check.
  static func findings(in survey: Survey) -> [Finding]
}

/// Several checks under one name, in the order in which their findings are reported.
protocol CheckGroup: Check {
  /// The checks.
  static var checks: [any Check.Type] { get }
}

extension CheckGroup {
  static func findings(in survey: Survey) -> [Finding] {
    checks.flatMap { $0.findings(in: survey) }
  }
}

/// How the file is cut into pages, and whether all of them are there.
enum GeometryCheck: CheckGroup {
  static let checks: [any Check.Type] = [
    HeaderCheck.self, StartCheck.self, TransferCheck.self, NeighbourCheck.self, SizeCheck.self,
  ]
}

/// The pages that are in no tree.
enum FreeSpaceCheck: CheckGroup {
  static let checks: [any Check.Type] = [
    FreelistCheck.self, PointerMapCheck.self, UnclaimedPageCheck.self,
  ]
}

/// Every check of the bytes, in the order in which findings are reported.
private enum EveryCheck: CheckGroup {
  static let checks: [any Check.Type] = [
    IdentityCheck.self, ReadingCheck.self, GeometryCheck.self, LogCheck.self, LogIndexCheck.self,
    JournalCheck.self,
    SchemaTableCheck.self, StatementCheck.self, RootCheck.self, TreeCheck.self, IndexCheck.self,
    VirtualTableCheck.self, OrphanCheck.self, FreeSpaceCheck.self,
  ]
}

extension Survey {
  /// What the checks find, heaviest first.
  package var findings: [Finding] { findings([], unchecked) }

  /// What the checks find, and what modules of virtual tables say, heaviest first.
  func findings(_ modules: [ModuleVerdict], _ unchecked: [Unchecked]) -> [Finding] {
    var all =
      EveryCheck.findings(in: self) + modules.flatMap { $0.findings(in: self) }
      + unchecked.compactMap(\.finding)
    all += WriterCheck.findings(in: self, besides: all)
    return all.enumerated().sorted { left, right in
      left.element.severity == right.element.severity
        ? left.offset < right.offset : left.element.severity > right.element.severity
    }.map(\.element)
  }
}
