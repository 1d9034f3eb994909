// SPDX-License-Identifier: Apache-2.0
// Pages with rows that no tree leads to.

import SQLiteFormat

enum OrphanCheck: Check {
  static func findings(in reconstruction: Reconstruction) -> [Finding] {
    let (pages, rows) = reconstruction.rowsWithoutTable
    let regained =
      reconstruction.survey.trees.compactMap { tree -> Finding? in
        let rows = reconstruction.recordsRegained(by: tree)
        guard rows > 0 else { return nil }
        return Finding(
          .orphanRows,
          "\(counted(rows, "row")) of '\(tree.entry.name)' lie on pages that its tree has "
            + "lost; indexes, rowids or their form prove whose they are",
          at: .init(object: tree.entry.name.text), severity: .damage)
      }
      + reconstruction.undecidedTables.map { Finding(.orphanRows, $0) }
    guard pages > 0 else { return regained }
    let words =
      rows > 0
      ? "\(counted(rows, "row")) on \(counted(pages, "page")) that no table leads to"
      : "no table leads to \(counted(pages, "page")), and no row there can be read"
    return regained + [Finding(.orphanRows, words)]
  }
}
