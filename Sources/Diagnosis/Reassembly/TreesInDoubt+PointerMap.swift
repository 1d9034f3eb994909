// SPDX-License-Identifier: Apache-2.0
// What the pointer map says of the trees in doubt.

import SQLiteFormat

extension TreesInDoubt {
  /// The leaves to which a tree leads and that the pointer map gives to another one in doubt: what
  /// leads to them is of an earlier time.
  ///
  /// The map counts for a tree where it says the same as the tree of most leaves.
  var pagesOfOthers: Set<PageNumber> {
    guard let map = pointerMap else { return [] }
    let doubtful = Set(claimants.map(\.position))
    var pages: Set<PageNumber> = []
    for (index, outline) in outlines {
      let owners = map.trees(of: outline.leaves)
      let others = owners.filter {
        $0.key != claimants[index].position && doubtful.contains($0.key)
      }
      .values.joined()
      let leaves = owners.values.reduce(0) { $0 + $1.count }
      if others.count * 2 < leaves { pages.formUnion(others) }
    }
    return pages
  }

  /// What the pointer map knows; nil where there is none.
  var pointerMap: PointerMapTrail? {
    guard survey.hasPointerMaps else { return nil }
    var trees = survey.treesByRoot
    for page in leading.keys { trees[page] = leader(of: page).map { claimants[$0].position } }
    let known = trees
    return PointerMapTrail(pages.image) { known[$0] }
  }
}
