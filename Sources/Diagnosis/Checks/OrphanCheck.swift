// SPDX-License-Identifier: Apache-2.0
// Pages with rows that no tree leads to.

import SQLiteFormat

enum OrphanCheck: Check {
  static func findings(in survey: Survey) -> [Finding] {
    var pages = 0
    var rows = 0
    for page in survey.unclaimed {
      guard case .btree(.tableLeaf, let cells) = page.content, cells > 0 else { continue }
      pages += 1
      rows += cells
    }
    guard pages > 0 else { return [] }
    return [
      Finding(
        .orphanRows,
        "\(counted(rows, "row")) on \(counted(pages, "page")) that no table leads to")
    ]
  }
}
