// SPDX-License-Identifier: Apache-2.0
// Do all leaves of a tree lie at the same depth?

import SQLiteFormat

enum DepthCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    checked.findings(checked.tree.unevenLeaves) { _ in
      (.treeUneven, "a leaf of '\(checked.name)' lies deeper or less deep than the others")
    }
  }
}
