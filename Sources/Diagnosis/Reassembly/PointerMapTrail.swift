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

  /// A trail that ends at the roots of a survey's trees.
  init(_ image: Image, roots survey: Survey) {
    let roots = survey.treesByRoot
    self.init(image) { roots[$0] }
  }

  /// Whether a page is one of the free list.
  func isFree(_ page: PageNumber) -> Bool { entry(of: page)?.kind == .free }

  private func entry(of page: PageNumber) -> PointerMapEntry? {
    image.geometry.pointerMapPage(for: page).flatMap { try? image.bytes(of: $0) }
      .flatMap { image.pointerMapEntry(of: page, in: $0) }
  }

  /// The page that leads to all these pages by most of their entries, of which there have to be two.
  func parent(of children: [PageNumber]) -> PageNumber? {
    let parents = children.compactMap { child in
      entry(of: child).flatMap { $0.kind == .child ? $0.parent : nil }
    }
    let counts = Dictionary(grouping: parents) { $0 }.mapValues(\.count)
    guard let most = counts.max(by: { $0.value < $1.value }), most.value >= 2,
      most.value * 3 >= children.count * 2
    else { return nil }
    return most.key
  }

  /// From how many pages with one parent on no damage of the map can have made it that.
  private static let pagesMin = 3

  /// The pages of each tree to which the entries of several pages with one parent lead: a single
  /// entry may be damaged.
  func trees(of pages: some Sequence<PageNumber>) -> [Int: [PageNumber]] {
    var families: [PageNumber: [PageNumber]] = [:]
    for page in pages {
      if let parent = entry(of: page)?.parent { families[parent, default: []].append(page) }
    }
    var trees: [Int: [PageNumber]] = [:]
    for family in families.values where family.count >= Self.pagesMin {
      if let tree = tree(of: family[0]) { trees[tree, default: []] += family }
    }
    return trees
  }

  /// The tree that the entries of a page and of those above it lead to.
  func tree(of page: PageNumber) -> Int? {
    var page = page
    for _ in 0..<TreeWalk.depthMax {
      guard let entry = entry(of: page) else { return nil }
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

extension Survey {
  /// The trees by their roots, as positions among all; of two with one root, the last.
  var treesByRoot: [PageNumber: Int] {
    Dictionary(
      trees.enumerated().compactMap { position, tree in tree.root.map { ($0, position) } },
      uniquingKeysWith: { $1 })
  }
}
