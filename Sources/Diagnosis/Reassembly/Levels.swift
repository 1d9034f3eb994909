// SPDX-License-Identifier: Apache-2.0
// The levels of a tree, one after the other, each on several cores: all leaves lie on the lowest one.

import SQLiteFormat

/// A tree, read from its root level by level.
struct Levels {
  /// Where the reading is.
  private enum Step {
    /// What is done.
    case item(Outline.Item)
    /// Pages that are to be read.
    case open([PageNumber])
  }

  /// What one page among those that are to be read turned out to be.
  private enum Found {
    case stretch(LeafStretch)
    case leaf(PageNumber)
    case interior(PageNumber, [PageNumber?])
    /// A page that takes more than a look.
    case damaged(PageNumber)

    var isLeaf: Bool {
      switch self {
      case .stretch, .leaf: true
      case .interior, .damaged: false
      }
    }
  }

  /// One level: all leaves of a tree lie on the same.
  private struct Level {
    let depth: Int
    let hasLeaves: Bool
  }

  private let pages: PageReader
  private let test: LeafTest
  private let order: PlaceOrder
  private let exchanged: [PageNumber: PageNumber]
  private var steps: [Step]
  private var seen: PageSet
  private(set) var interiors: [PageNumber] = []

  init(
    _ pages: PageReader, from root: PageNumber, _ test: LeafTest, _ order: PlaceOrder,
    _ exchanged: [PageNumber: PageNumber]
  ) {
    self.pages = pages
    self.test = test
    self.order = order
    self.exchanged = exchanged
    steps = [.open([root])]
    seen = PageSet([root])
  }

  var items: [Outline.Item] {
    steps.map { if case .item(let item) = $0 { item } else { .gap } }
  }

  /// Reads all levels; false when a page is named twice.
  mutating func readAll() -> Bool {
    for depth in 0..<TreeWalk.depthMax {
      let open = steps.compactMap { if case .open(let pages) = $0 { pages } else { nil } }
      guard !open.isEmpty else { return true }
      let (image, test, order) = (pages.image, test, order)
      var found = Cores.map(open.count) { Self.read(open[$0], in: image, test, order) }[...]
      let level = Level(depth: depth, hasLeaves: found.joined().contains(where: \.isLeaf))
      var next: [Step] = []
      for step in steps {
        guard case .open = step else {
          next.append(step)
          continue
        }
        for found in found.popFirst() ?? [] {
          guard let steps = self.steps(for: found, on: level) else { return false }
          next += steps
        }
      }
      steps = next
    }
    return true
  }

  private mutating func steps(for found: Found, on level: Level) -> [Step]? {
    switch found {
    case .stretch(let stretch): return [.item(.stretch(stretch))]
    case .leaf(let page): return [.item(.leaf(page))]
    case .interior(let page, let children): return steps(below: page, children)
    case .damaged(let page):
      guard let reading = pages.reading(of: page, isTable: test.isTable) else {
        return [.item(level.hasLeaves ? .lost(page) : .gap)]
      }
      guard !reading.page.kind.isLeaf else {
        return reading.leafItems(isRoot: level.depth == 0).map { .item($0) }
      }
      return steps(below: page, reading.namedChildren)
    }
  }

  /// The steps to the children of an interior page; nil when one was named before.
  private mutating func steps(below page: PageNumber, _ children: [PageNumber?]) -> [Step]? {
    interiors.append(page)
    var steps: [Step] = []
    var open: [PageNumber] = []
    for child in children {
      if let child = child.map({ exchanged[$0] ?? $0 }) {
        guard seen.insert(child) else { return nil }
        open.append(child)
      } else {
        if !open.isEmpty { steps.append(.open(open)) }
        open = []
        steps.append(.item(.gap))
      }
    }
    if !open.isEmpty { steps.append(.open(open)) }
    return steps
  }

  /// Reads pages that follow one another.
  private static func read(
    _ pages: [PageNumber], in image: Image, _ test: LeafTest, _ order: PlaceOrder
  ) -> [Found] {
    var found: [Found] = []
    var located = LocatedFields()
    var open: LeafStretch?
    for number in pages {
      let next = read(number, in: image, test, &located)
      if case .stretch(let stretch) = next {
        if open?.precedes(stretch, in: order) ?? false {
          open?.append(stretch)
        } else {
          if let open { found.append(.stretch(open.fitted)) }
          open = stretch
        }
        continue
      }
      if let open { found.append(.stretch(open.fitted)) }
      open = nil
      found.append(next)
    }
    if let open { found.append(.stretch(open.fitted)) }
    return found
  }

  private static func read(
    _ number: PageNumber, in image: Image, _ test: LeafTest, _ located: inout LocatedFields
  ) -> Found {
    guard let page = try? image.btreePage(number), page.kind.isTable == test.isTable,
      let cells = page.soundCells
    else { return .damaged(number) }
    if let stretch = test.stretch(of: page, cells, in: image, &located) { return .stretch(stretch) }
    guard !page.kind.isLeaf else { return .leaf(number) }
    return .interior(number, page.children(of: cells))
  }
}
