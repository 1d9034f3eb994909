// SPDX-License-Identifier: Apache-2.0
// How many rows of a table are lost?

import SQLiteFormat

enum LostRowsCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    guard checked.loss != .none else { return [] }
    return [
      Finding(
        .rowsLost, "\(checked.loss.description) of '\(checked.name)' cannot be read",
        at: .init(object: checked.name.text))
    ]
  }
}
