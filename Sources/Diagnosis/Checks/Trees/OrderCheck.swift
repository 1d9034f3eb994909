// SPDX-License-Identifier: Apache-2.0
// Do the rows of a tree lie where their keys belong?

import SQLiteFormat

enum OrderCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    let tree = checked.tree
    // Of a transaction that is there in part, other rows may be missing.
    let isInPart = checked.survey.isOfTwoMoments(tree)
    return checked.findings(
      tree.misplaced, severity: { isInPart ? .loss : $0.severity }
    ) { fault in
      (
        checked.areMisplacedRowsProven ? .keyOrder : .rowDoubtful,
        fault.problem == .keyTwice
          ? sameKey(in: checked)
          : "a row of '\(checked.name)' lies where its key does not belong"
      )
    }
      + checked.findings(tree.misplacedBetween) { fault in
        (
          .keyOrder,
          fault.problem == .keyTwice
            ? sameKey(in: checked)
            : "an entry of '\(checked.name)' between two pages is not between those on them"
        )
      }
  }

  /// Of the order nothing is wrong there, but SQLite refuses to write such a row.
  private static func sameKey(in checked: CheckedTree) -> String {
    guard checked.tree.entry.kind == .index else {
      return "rows of '\(checked.name)' have the same PRIMARY KEY"
    }
    // Where its table has other keys, the rows need not be so.
    return checked.survey.isAtOdds(checked.tree)
      ? "entries have the same key, which is to be UNIQUE"
      : "rows of '\(checked.tree.entry.table)' have the same key, which is UNIQUE by it"
  }
}
