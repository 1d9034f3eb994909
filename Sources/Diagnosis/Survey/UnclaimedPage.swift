// SPDX-License-Identifier: Apache-2.0
// Pages that belong to nothing: looked at where they hold something, else only counted.

package import SQLiteFormat

/// A page that no tree, list or map leads to.
package struct UnclaimedPage: Hashable, Sendable {
  /// What such a page looks like.
  package enum Content: Hashable, Sendable {
    /// Nothing but zeros.
    case zero
    /// A sound b-tree page with so many cells.
    case btree(BTreePage.Kind, cells: Int)
    /// Anything else: an overflow page, or damage.
    case unknown
  }

  /// The page.
  package let page: PageNumber
  /// What it looks like.
  package let content: Content

  /// Whether it may be a page with rows of a table, or lead to some.
  var mayBeOfTable: Bool {
    if case .btree(let kind, let cells) = content { kind.isTable && cells > 0 } else { false }
  }
}

extension Survey {
  /// The pages that nothing leads to, and how many more of them lie in holes of the file.
  static func unclaimedPages(
    of image: Image, _ claims: PageClaims
  ) -> (pages: [UnclaimedPage], inHoles: Int) {
    var (dataCount, claimedCount) = (0, 0)
    let pages = image.dataPages.compactMap { page -> UnclaimedPage? in
      dataCount += 1
      guard claims.owner(of: page) == nil else {
        claimedCount += 1
        return nil
      }
      guard let bytes = try? image.bytes(of: page) else {
        return UnclaimedPage(page: page, content: .unknown)
      }
      if bytes.isZero { return UnclaimedPage(page: page, content: .zero) }
      if let btree = try? BTreePage(bytes, number: page, geometry: image.geometry),
        btree.layoutFaults.isEmpty
      {
        return UnclaimedPage(page: page, content: .btree(btree.kind, cells: btree.cellCount))
      }
      return UnclaimedPage(page: page, content: .unknown)
    }
    let inHoles = image.pageCount - image.missingHead - image.missingInside - dataCount
    return (pages, max(0, inHoles - (claims.count - claimedCount)))
  }
}
