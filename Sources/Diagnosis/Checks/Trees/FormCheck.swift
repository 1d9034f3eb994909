// SPDX-License-Identifier: Apache-2.0
// Can every record of a table be a row of it?

import SQLiteFormat

enum FormCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    checked.findings(checked.tree.unfit) { _ in
      (.rowDoubtful, "a row of '\(checked.name)' has fields that the table has not")
    }
  }
}
