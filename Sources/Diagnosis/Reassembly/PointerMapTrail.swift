// SPDX-License-Identifier: Apache-2.0
// Whose a page is, by the pointer map.

import SQLiteFormat

/// What a pointer map says about the owner of a page.
struct PointerMapTrail {
  private let image: Image
  private let treeOf: (PageNumber) -> Int?

  /// A trail; `treeOf` names the tree of a root, or of a page whose owner is known.
  init(_ image: Image, treeOf: @escaping (PageNumber) -> Int?) {
    self.image = image
    self.treeOf = treeOf
  }

  /// The tree that the entries of a page and of those above it lead to.
  func tree(of page: PageNumber) -> Int? {
    var page = page
    for _ in 0..<TreeWalk.depthMax {
      guard let map = image.geometry.pointerMapPage(for: page),
        let bytes = try? image.bytes(of: map),
        let entry = image.pointerMapEntry(of: page, in: bytes)
      else { return nil }
      switch entry.kind {
      case .root: return treeOf(page)
      case .child:
        guard let parent = entry.parent else { return nil }
        if let tree = treeOf(parent) { return tree }
        page = parent
      case .free, .firstOverflow, .laterOverflow: return nil
      }
    }
    return nil
  }
}
