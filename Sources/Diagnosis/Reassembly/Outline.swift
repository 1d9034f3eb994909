// SPDX-License-Identifier: Apache-2.0
// What a tree says it consists of, from a root or any page below one, right or wrong.

import SQLiteFormat

/// The leaves that a page leads to, in the order in which it names them.
///
/// Nothing is claimed and nothing judged: two trees may name the same page, and a page may be
/// another tree's. Where a page is missing, the outline has a gap.
struct Outline: Sendable {
  /// One place in the order of the leaves.
  enum Item: Sendable {
    /// A leaf.
    case leaf(PageNumber)
    /// Leaves with which nothing is wrong.
    case stretch(LeafStretch)
    /// A leaf by its depth, of which nothing can be read.
    case lost(PageNumber)
    /// Something that is no leaf of such a tree, or nothing.
    case gap

    /// Whether it is a leaf of which nothing can be read.
    var isLost: Bool { if case .lost = self { true } else { false } }
  }

  /// The leaves and gaps, in order.
  private(set) var items: [Item]
  /// The interior pages on the way.
  private(set) var interiors: [PageNumber]
  /// The pages that are named twice: in the place of the second one is a gap.
  private(set) var repeated = PageSet()
}

extension Outline {
  /// The outline of what hangs from a page, with those in their own places that have changed them.
  ///
  /// Each level of the tree is read on several cores, as long as no page is named twice.
  init(
    _ pages: PageReader, from root: PageNumber, _ test: LeafTest, _ order: PlaceOrder,
    _ exchanged: [PageNumber: PageNumber]
  ) {
    let root = exchanged[root] ?? root
    var levels = Levels(pages, from: root, test, order, exchanged)
    if levels.readAll() {
      self.init(items: levels.items, interiors: levels.interiors)
    } else {
      self.init(pages, from: root, isTable: test.isTable, exchanged)
    }
  }

  /// The same, page by page: of those that are named twice, the first place counts.
  private init(
    _ pages: PageReader, from root: PageNumber, isTable: Bool,
    _ exchanged: [PageNumber: PageNumber]
  ) {
    self.init(items: [], interiors: [])
    var seen: Set<PageNumber> = []
    var pending: [(page: PageNumber?, depth: Int)] = [(root, 0)]
    while let (page, depth) = pending.popLast() {
      guard let number = page, depth < TreeWalk.depthMax, seen.insert(number).inserted,
        let reading = pages.reading(of: number, isTable: isTable)
      else {
        if let page, seen.contains(page) { repeated.insert(page) }
        items.append(.gap)
        continue
      }
      if reading.page.kind.isLeaf {
        items += reading.leafItems(isRoot: depth == 0)
      } else {
        interiors.append(number)
        pending += reading.namedChildren.reversed().map { child in
          (child.map { exchanged[$0] ?? $0 }, depth + 1)
        }
      }
    }
  }

  /// Takes stretches apart that have one of these pages.
  mutating func takeApart(_ doubtful: PageSet) {
    guard !doubtful.isEmpty else { return }
    items = items.flatMap { item -> [Item] in
      guard case .stretch(let stretch) = item, stretch.pages.contains(where: doubtful.contains)
      else {
        return [item]
      }
      return stretch.pages.map { .leaf($0) }
    }
  }

  /// Opens the places of lost leaves that may lie elsewhere.
  mutating func openLost(_ mayLieElsewhere: (PageNumber) -> Bool) {
    items = items.map { item in
      if case .lost(let page) = item, mayLieElsewhere(page) { .gap } else { item }
    }
  }

  /// Puts others in the place of stretches, but for those for which there is nothing else.
  mutating func replaceStretches(_ others: (LeafStretch) -> [Item]?) {
    items = items.flatMap { item in
      if case .stretch(let stretch) = item { others(stretch) ?? [item] } else { [item] }
    }
  }

  /// The stretches, in order.
  var stretches: [LeafStretch] {
    items.compactMap { if case .stretch(let stretch) = $0 { stretch } else { nil } }
  }

  /// The pages of its leaves that are no part of a stretch.
  var leavesBesideStretches: [PageNumber] {
    items.compactMap { if case .leaf(let page) = $0 { page } else { nil } }
  }

  /// The pages of its leaves.
  var leaves: some Sequence<PageNumber> {
    items.lazy.flatMap { item -> [PageNumber] in
      switch item {
      case .leaf(let page): [page]
      case .stretch(let stretch): stretch.pages
      case .lost, .gap: []
      }
    }
  }
}

extension Sequence<Outline> {
  /// The pages of all stretches.
  var stretchPages: PageSet {
    var pages = PageSet()
    for stretch in lazy.flatMap(\.stretches) { for page in stretch.pages { pages.insert(page) } }
    return pages
  }
}

extension PageReading {
  /// A leaf in an outline; what is left of a root may look like a leaf.
  func leafItems(isRoot: Bool) -> [Outline.Item] {
    isRoot && content.isCountLost ? [.gap, .leaf(page.number), .gap] : [.leaf(page.number)]
  }

  /// The children of an interior page, nil where one is not named: each cell that cannot be read
  /// named one, which may have stood anywhere between the others.
  var namedChildren: [PageNumber?] {
    let children = page.children(of: content.cells)
    return content.layoutFault == nil ? children : children.flatMap { [nil, $0] } + [nil]
  }
}
