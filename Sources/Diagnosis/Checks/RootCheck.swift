// SPDX-License-Identifier: Apache-2.0
// Can the first page of every table be read?

import SQLiteFormat

enum RootCheck: Check {
  static func findings(in survey: Survey) -> [Finding] {
    guard !survey.hasHeadOfAnother else { return [] }
    return survey.trees.compactMap { tree in
      guard tree.entry.kind == .table, tree.pages == 0, let fault = tree.pageFaults.first.first
      else { return nil }
      return Finding(
        .rootLost, "the root of table '\(tree.entry.name)' cannot be read: \(fault.problem)",
        at: .init(page: tree.root, object: tree.entry.name.text),
        severity: survey.loss(of: tree) == .none ? .damage : nil)
    }
  }
}
