// SPDX-License-Identifier: Apache-2.0
// Which tables that seem whole may miss the rows that no table leads to.

import SQLiteFormat

extension Doubtful {
  /// How many rows of a page are looked at to tell whose it may be.
  private static let sampleMax = 64
  /// How many pairs of a page and a table are compared at most; what is left then may miss rows.
  private static let comparisonMax = 1 << 20

  /// The tables with rowids that are sound, and of which some of these pages can be, as positions
  /// among the trees.
  ///
  /// Where every table and every free page is known, an orphan is in use although no table leads to
  /// it: the root of its table may be of another time. Without an index that counts the rows, nothing
  /// in the table itself shows that.
  func tablesThatMayMiss(_ orphans: [Reassembly.OrphanPage]) -> Set<Int> {
    guard schema.namesEveryTable, knowsFreePages else { return [] }
    let inDoubt = Set(trees)
    let sound = survey.trees.indices.filter { position in
      let tree = survey.trees[position]
      return tree.entry.kind == .table && tree.isRowIDTable && !inDoubt.contains(position)
        && survey.soundIndexes(over: tree).isEmpty
    }
    guard !sound.isEmpty else { return [] }
    var forms = sound.compactMap { position in
      survey.form(of: survey.trees[position], schema).map { (position: position, form: $0) }
    }
    var found: Set<Int> = []
    var patience = Self.comparisonMax
    let pages = pages.rested
    for orphan in orphans where orphan.isTable && !forms.isEmpty {
      patience -= forms.count
      guard patience > 0 else { return found.union(forms.map(\.position)) }
      let rows = pages.rows(on: orphan.page, isTable: true).prefix(Self.sampleMax)
      guard !rows.isEmpty else { continue }
      forms.removeAll { position, form in
        guard
          rows.allSatisfy({ form.admits($0.record) && form.expects($0.record) }),
          let root = survey.trees[position].root,
          // If the table has all of these rows itself, the page is a copy of one of its own.
          rows.contains(where: { !image.holds($0.rowID, inTableAt: root) })
        else { return false }
        found.insert(position)
        return true
      }
    }
    return found
  }
}

extension Image {
  /// Whether a table has a row of a rowid.
  fileprivate func holds(_ rowID: Int64?, inTableAt root: PageNumber) -> Bool {
    rowID.map { (try? cell(ofRow: $0, inTableAt: root)) != nil } ?? false
  }
}
