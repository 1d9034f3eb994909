// SPDX-License-Identifier: Apache-2.0
// The trees of the tables, one after the other: each kind of fault of a tree has a file of its own.

import SQLiteFormat

enum TreeCheck: Check {
  /// Every check of a tree, in the order in which findings are reported.
  private static let checks: [any FaultCheck.Type] = [
    PageCheck.self, RuleCheck.self, CellCheck.self, OrderCheck.self, FormCheck.self,
    LayoutCheck.self, DepthCheck.self,
  ]

  static func findings(in reconstruction: Reconstruction) -> [Finding] {
    let survey = reconstruction.survey
    return survey.trees.filter { $0.entry.kind == .table }.flatMap { tree in
      let checked = CheckedTree(
        tree: tree, survey: survey, areMisplacedRowsProven: survey.isOnlyMisplaced(tree),
        loss: reconstruction.loss(of: tree), isWhole: !reconstruction.mayMissRows(tree))
      return faults(of: checked) + LostRowsCheck.findings(in: checked)
    }
  }

  /// What is wrong with the bytes of a tree, whatever it costs.
  static func faults(of tree: CheckedTree) -> [Finding] {
    checks.flatMap { $0.findings(in: tree) }
  }
}
