// SPDX-License-Identifier: Apache-2.0
// Do the rows of a tree lie where their keys belong?

import SQLiteFormat

enum OrderCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    let tree = checked.tree
    return checked.findings(tree.misplaced) { _ in
      (
        checked.areMisplacedRowsProven ? .keyOrder : .rowDoubtful,
        "a row of '\(checked.name)' lies where its key does not belong"
      )
    }
      + checked.findings(tree.misplacedBetween) { _ in
        (.keyOrder, "an entry of '\(checked.name)' between two pages is not between those on them")
      }
  }
}
