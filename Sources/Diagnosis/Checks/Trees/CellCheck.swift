// SPDX-License-Identifier: Apache-2.0
// Does every cell of a tree yield its record, with the overflow chain of a long one?

import SQLiteFormat

enum CellCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    checked.findings(checked.survey.placedCellFaults(of: checked.tree)) {
      words(for: $0, checked.name)
    }
  }

  private static func words(for fault: FormatError, _ name: Name) -> (FindingCode, String) {
    let isOfChain =
      fault.problem.breaksChain || [.chainDisputed, .textOverwritten].contains(fault.problem)
    return isOfChain
      ? (
        .overflowBroken,
        "a long value of '\(name)' is broken at page \(fault.pageWords): \(fault.problem)"
      )
      : (.cellDamaged, "a cell of '\(name)' on page \(fault.pageWords): \(fault.problem)")
  }
}
