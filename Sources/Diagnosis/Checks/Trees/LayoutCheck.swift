// SPDX-License-Identifier: Apache-2.0
// Does every page of a tree use each of its bytes exactly once?

import SQLiteFormat

enum LayoutCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    checked.findings(checked.tree.layoutFaults) { fault in
      (.freeSpaceDamaged, words(for: fault, checked.name))
    }
  }

  private static func words(for fault: FormatError, _ name: Name) -> String {
    switch fault.problem {
    case .cellPointerOutside: "cell pointers of '\(name)' on page \(fault.pageWords) lead nowhere"
    default: "page \(fault.pageWords) of '\(name)' does not use each of its bytes exactly once"
    }
  }
}
