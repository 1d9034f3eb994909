// SPDX-License-Identifier: Apache-2.0
// Tables most of whose rows do not fit into a page, where larger pages would hold them.

import SQLiteFormat

enum SmallPagesAdvice: Adviser {
  static let kind = AdviceKind.smallPages
  static let words = AdviceWords(
    title: "the pages are small for the rows",
    costs:
      "Such a row is read from several pages, which may lie anywhere, and the last one of each "
      + "is partly empty.",
    action: "Give the database larger pages. In WAL mode that works only outside of it, so go back "
      + "to it afterwards.",
    unless: "Leave it where the long values are seldom read, or small rows are changed far more "
      + "often: each change writes a whole page. Values of many pages are better kept in files.")

  private static let leastRows = 100
  /// The share of rows that may spill with the larger pages, in percent.
  private static let restMax = 10

  static func trait(of basis: AdviceBasis) -> AdviceTrait? {
    let tables = basis.measures.compactMap { tree -> (tree: TreeMeasure, size: Int)? in
      guard tree.entry.kind == .table, tree.entries >= leastRows, tree.spilled * 2 > tree.entries,
        let size = size(for: tree)
      else { return nil }
      return (tree, size)
    }.sorted { $0.tree.spilled > $1.tree.spilled }
    guard let size = tables.map(\.size).max() else { return nil }
    let isWAL = basis.survey.header?.isWAL == true
    return AdviceTrait(
      found: "a page has \(grouped(basis.pageSize)) bytes, and most rows of "
        + "\(counted(tables.count, "table", "tables")) take more; \(grouped(size)) would do",
      figures: [
        "pageSize": basis.pageSize, "pageSizeAdvised": size,
        "rowsSpilled": tables.reduce(0) { $0 + $1.tree.spilled },
      ],
      places: tables.map { table in
        Advice.Place(
          object: table.tree.entry.name.text,
          message: "\(grouped(table.tree.spilled)) of "
            + "\(counted(table.tree.entries, "row", "rows")) spill to pages of their own", sql: nil)
      },
      sql: (isWAL ? ["PRAGMA journal_mode = DELETE;"] : [])
        + ["PRAGMA page_size = \(size);", "VACUUM;"]
        + (isWAL ? ["PRAGMA journal_mode = WAL;"] : []))
  }

  /// The smallest page size that holds nearly all rows of a table; nil where none does.
  private static func size(for tree: TreeMeasure) -> Int? {
    var rest = tree.spilled
    for (size, count) in zip(Geometry.pageSizes, tree.fitting) {
      rest -= count
      if rest.percent(of: tree.entries) < restMax { return size }
    }
    return nil
  }
}
