// SPDX-License-Identifier: Apache-2.0
// Pages with rows that no tree leads to.

import SQLiteFormat

enum OrphanCheck: Check {
  static func findings(in survey: Survey) -> [Finding] {
    let (pages, rows) = survey.rowsWithoutTable
    let regained = survey.trees.filter { $0.regained > 0 }.map { tree in
      Finding(
        .orphanRows,
        "\(counted(tree.regained, "row")) of '\(tree.entry.name)' lie on pages that its tree has "
          + "lost; indexes, rowids or their form prove whose they are",
        at: .init(object: tree.entry.name.text), severity: .damage)
    }
    guard pages > 0 else { return regained }
    return regained + [
      Finding(
        .orphanRows,
        "\(counted(rows, "row")) on \(counted(pages, "page")) that no table leads to")
    ]
  }
}
