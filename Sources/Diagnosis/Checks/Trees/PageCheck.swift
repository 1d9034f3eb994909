// SPDX-License-Identifier: Apache-2.0
// Can every page of a tree be visited?

import SQLiteFormat

enum PageCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    let tree = checked.tree
    // A root that is gone has its own finding.
    guard tree.pages > 0 else { return [] }
    // A page that is gone weighs less where every row is proven to be there all the same.
    let lightest: Set<FindingCode> = checked.loss == .none ? [.pageDamaged, .pageLost] : []
    return checked.findings(
      tree.pageFaults, severity: { lightest.contains($0) ? .damage : $0.severity }
    ) { words(for: $0, checked.name) }
  }

  private static func words(for fault: FormatError, _ name: Name) -> (FindingCode, String) {
    let page = fault.pageWords
    return switch fault.problem {
    case .pageMissing:
      (.pageLost, "'\(name)' leads to page \(page), which the file does not have")
    case .claimedTwice:
      (.pageClaimedTwice, "'\(name)' leads to page \(page), which has another owner")
    case .tooDeep: (.treeCycle, "the tree of '\(name)' does not end")
    default: (.pageDamaged, "page \(page) of '\(name)': \(fault.problem)")
    }
  }
}
