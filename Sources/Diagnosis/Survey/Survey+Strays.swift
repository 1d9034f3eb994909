// SPDX-License-Identifier: Apache-2.0
// Pages in use that no tree of a schema leads to, although all of it can be read: the schema table
// has lost rows, and nothing is wrong with those that are left.
//
// DROP TABLE puts the pages of a table on the list of free pages in the transaction that deletes
// its row: pages with rows that are neither in a tree nor on the list are those of a table without
// its row.

import SQLiteFormat

extension Survey {
  /// The pages with rows that are neither free nor in a tree, where all trees can be read.
  ///
  /// Where one of them cannot, or the list of free pages is not whole, such a page may be a lost one
  /// of the tree, or a free one.
  var strays: Set<PageNumber> {
    guard let schema, schema.isWhole, let image, image.hasPageNumbers, isFreelistWhole,
      trees.allSatisfy(\.isReadable)
    else { return [] }
    return Set(unclaimed.filter(\.mayHoldRows).map(\.page))
  }

  /// How many pages are compared with the tables that they may belong to, at most.
  private static let strayLeavesMax = 256

  /// Whether this survey names a table that another one does not, and to which some of these pages
  /// can belong by what is known of it.
  func namesOwners(of strays: Set<PageNumber>, besides other: Survey) -> Bool {
    guard let image, let schema else { return false }
    let known = Set(other.trees.map(\.entry.key))
    let pages = strays.sorted().lazy.compactMap { try? image.btreePage($0) }
      .filter(\.kind.isLeaf).prefix(Self.strayLeavesMax)
    return trees.contains { tree in
      guard tree.entry.kind == .table, !known.contains(tree.entry.key) else { return false }
      if let root = tree.root { return strays.contains(root) }
      guard let form = form(of: tree, schema) else { return false }
      return pages.contains { page in
        page.kind.isTable == tree.isRowIDTable
          && form.isBorneOut(by: page, in: image, isOfIndex: false) == true
      }
    }
  }
}

extension UnclaimedPage {
  /// Whether it is a page of a tree with cells.
  fileprivate var mayHoldRows: Bool {
    if case .btree(_, let cells) = content { cells > 0 } else { false }
  }
}
