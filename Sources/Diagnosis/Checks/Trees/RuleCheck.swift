// SPDX-License-Identifier: Apache-2.0
// Do the rows of a table keep the rules of its declaration?

import SQLiteFormat

/// One finding for all rows against a rule: who changed the declaration by hand has it in each.
enum RuleCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    let tree = checked.tree
    let broken = tree.computed?.broken ?? FaultList()
    return [
      finding(
        .rowDoubtful, tree.mistyped, "hold", "a value of a type that its column never holds",
        checked),
      finding(.constraintBroken, tree.nulls, "hold", "NULL where a column refuses it", checked),
      finding(
        .constraintBroken, tree.mistypedDefaults, "hold",
        "a default of a type that its column refuses",
        checked),
      finding(.constraintBroken, broken, "break", "a CHECK constraint", checked),
    ].compactMap(\.self)
  }

  private static func finding(
    _ code: FindingCode, _ faults: FaultList, _ verb: String, _ what: String,
    _ checked: CheckedTree
  ) -> Finding? {
    faults.first.first.map { first in
      let verb = faults.count == 1 ? verb + "s" : verb
      return Finding(
        code, "\(counted(faults.count, "row")) of '\(checked.name)' \(verb) \(what)",
        at: checked.place(of: first), severity: .damage)
    }
  }
}
