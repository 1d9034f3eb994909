// SPDX-License-Identifier: Apache-2.0
// Roots that their tables have outgrown: what they still hold was copied to a leaf.

import SQLiteFormat

extension TreesInDoubt {
  /// The roots that hold only what is left of the time when they were the only leaf of their table.
  var outgrownRoots: Set<PageNumber> {
    Set(
      claimants.compactMap { claimant in
        guard claimant.holdsRows, let root = survey.trees[claimant.position].root,
          isOutgrown(root, by: claimant)
        else { return nil }
        return root
      })
  }

  /// Whether nothing proves that the rows of a root are in use, and a leaf without an owner has some
  /// of them: one that proves its own, where not even pointers list those of the root; else one with
  /// the very cells.
  ///
  /// A table that grows out of its root copies the cells to a leaf, and the few that the root then
  /// has overwrite hardly any of them, nor of the pointers to them (file format, section 1.6).
  private func isOutgrown(_ page: PageNumber, by claimant: Claimant) -> Bool {
    let isTable = claimant.isTable
    guard let root = pages.reading(of: page, isTable: isTable), root.content.cells.isEmpty,
      !root.content.doubtful.isEmpty
    else { return false }
    let own = root.content.listed + root.content.doubtful
    let (rowIDs, cells) = (Set(own.compactMap(\.rowID)), Set(own.map { root.page.bytes(of: $0) }))
    return orphans.contains { orphan in
      guard orphan != page, let other = pages.reading(of: orphan, isTable: isTable) else {
        return false
      }
      let isProven = !other.content.cells.isEmpty
      let known = isProven ? other.content.cells : other.content.doubtful
      let shared = known.count { $0.rowID.map(rowIDs.contains) ?? false }
      let copied = known.count { cells.contains(other.page.bytes(of: $0)) }
      return (2 * copied > shared || isProven && root.content.listed.isEmpty && shared > 0)
        && claimant.tally(pages.rows(on: orphan, isTable: isTable)).fits
    }
  }
}

extension BTreePage {
  /// The bytes of a cell.
  fileprivate func bytes(of cell: Cell) -> Bytes { bytes.slice(cell.offset..<cell.end) }
}
