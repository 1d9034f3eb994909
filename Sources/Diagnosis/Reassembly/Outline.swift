// SPDX-License-Identifier: Apache-2.0
// What a tree says it consists of, from a root or any page below one, right or wrong.

import SQLiteFormat

/// The leaves that a page leads to, in the order in which it names them.
///
/// Nothing is claimed and nothing judged: two trees may name the same page, and a page may be
/// another tree's. Where a page is missing, the outline has a gap.
struct Outline {
  /// One place in the order of the leaves.
  enum Item: Hashable {
    /// A leaf.
    case leaf(PageNumber)
    /// Something that is no leaf of such a tree, or nothing.
    case gap
  }

  /// The leaves and gaps, in order.
  private(set) var items: [Item] = []
  /// The interior pages on the way.
  private(set) var interiors: [PageNumber] = []

  /// The outline of what hangs from a page.
  init(_ pages: PageReader, from root: PageNumber, isTable: Bool) {
    var seen: Set<PageNumber> = []
    var pending: [(page: PageNumber?, depth: Int)] = [(root, 0)]
    while let (page, depth) = pending.popLast() {
      guard let number = page, depth < TreeWalk.depthMax, seen.insert(number).inserted,
        let reading = pages.reading(of: number, isTable: isTable)
      else {
        items.append(.gap)
        continue
      }
      if reading.page.kind.isLeaf {
        // What is left of a root may look like a leaf.
        let isAll = depth > 0 || !reading.content.isCountLost
        items += isAll ? [.leaf(number)] : [.gap, .leaf(number), .gap]
        continue
      }
      interiors.append(number)
      var children = reading.content.cells.map { PageNumber($0.leftChild) }
      children.append(reading.page.rightChild)
      // Each cell that cannot be read named a child, which may have stood anywhere between them.
      if reading.content.layoutFault != nil { children = children.flatMap { [nil, $0] } + [nil] }
      pending += children.reversed().map { ($0, depth + 1) }
    }
  }
}
