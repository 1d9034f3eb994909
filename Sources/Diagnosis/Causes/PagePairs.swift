// SPDX-License-Identifier: Apache-2.0
// Pages that contradict each other in pairs: one of the two is of another moment. Where they lie
// tells what made the mixture.
//
//   a copy that is read from        page   1 2 3 4 5 6 7 8 9      every pair has a page on either
//   beginning to end                from   A A A A B B B B B      side of one place
//
//   writes that did not arrive,     page   1 2 3 4 5 6 7 8 9      some pairs lie side by side, also
//   or of two writers               from   A B B A B A A B A      far from each other

import SQLiteFormat

/// The pages of a database that contradict each other in pairs.
struct PagePairs {
  /// Two pages of which one is of another moment, by their numbers.
  private struct Pair: Hashable {
    let low: PageNumber
    let high: PageNumber
  }

  /// A place in the file with everything before it of one moment, and everything behind it of
  /// another.
  struct Seam: Hashable {
    /// How many pairs have a page on either side of it.
    let pairCount: Int
    /// The last page before it that contradicts one behind it.
    let before: PageNumber
    /// The first page behind it that contradicts one before it.
    let behind: PageNumber
  }

  private var pairs: Set<Pair> = []
  /// How many pairs there are.
  var count: Int { pairs.count }
  private let image: Image
  /// How many pages the header counts.
  private let stated: Int
  private var seen: [PageNumber: (tree: Int, parent: PageNumber)] = [:]

  /// The most pages of a file that is looked at.
  private static let pagesMax = 1 << 16
  /// How many pages have to be in pairs on either side of a seam.
  private static let pagesMin = 4
  /// No tree of SQLite is deeper.
  private static let depthMax = 20

  /// Looks for the pairs of a database; nil where it has very many pages.
  init?(in survey: Survey) {
    guard let image = survey.image, image.pageCount <= Self.pagesMax else { return nil }
    self.image = image
    stated = survey.header?.pageCount ?? 0
    for (position, tree) in survey.trees.enumerated() {
      guard let root = tree.root else { continue }
      visit(root, of: position, isTable: tree.isRowIDTable, from: .first, Bounds(), depth: 0)
    }
    for tree in survey.trees where tree.entry.kind == .index {
      for pages in MissingPartners(of: tree, in: survey, upTo: Self.pagesMax)?.pages ?? [] {
        add(pages.0, pages.1)
      }
    }
  }

  /// The place that every pair has between its pages; nil where there is none, or too few pairs show
  /// it.
  ///
  /// Pages that were added contradict older ones that were not written, wherever those lie: some of
  /// the later pages have to lie among the older ones. A few pages of another moment contradict, by
  /// chance, pages on one side of them only.
  var seam: Seam? {
    guard let before = pairs.map(\.low).max(),
      let behind = pairs.map(\.high).min(), before < behind,
      behind.number <= min(image.pageCount, stated),
      Set(pairs.map(\.low)).count >= Self.pagesMin,
      Set(pairs.map(\.high)).count >= Self.pagesMin
    else { return nil }
    return Seam(pairCount: pairs.count, before: before, behind: behind)
  }

  private mutating func add(_ one: PageNumber, _ other: PageNumber) {
    if one != other { pairs.insert(Pair(low: min(one, other), high: max(one, other))) }
  }

  /// Between which rowids the rows of a page lie, and which pages say so.
  private struct Bounds {
    var above: (rowID: Int64, page: PageNumber)?
    var upTo: (rowID: Int64, page: PageNumber)?
  }

  /// Compares a page of a tree with the one that leads to it, and goes on below it.
  private mutating func visit(
    _ page: PageNumber, of tree: Int, isTable: Bool, from parent: PageNumber, _ bounds: Bounds,
    depth: Int
  ) {
    guard page.number <= image.pageCount, depth < Self.depthMax else { return }
    if let other = seen[page] {
      // Within a tree, one page may have two parents that are both of another moment.
      if other.tree != tree { add(other.parent, parent) }
      return
    }
    seen[page] = (tree, parent)
    guard let content = try? image.btreePage(page), content.kind.isTable == isTable else {
      // What was never written says nothing of when.
      if (try? image.bytes(of: page))?.isZero == false { add(parent, page) }
      return
    }
    let cells = image.cells(of: content).cells
    if isTable { compare(cells.compactMap(\.rowID), on: page, with: bounds) }
    guard !content.kind.isLeaf else { return }
    var rest = bounds
    for cell in cells {
      var own = rest
      if isTable, let rowID = cell.rowID {
        own.upTo = (rowID, page)
        rest.above = (rowID, page)
      }
      guard let child = PageNumber(cell.leftChild) else { continue }
      visit(child, of: tree, isTable: isTable, from: page, own, depth: depth + 1)
    }
    if let child = content.rightChild {
      visit(child, of: tree, isTable: isTable, from: page, rest, depth: depth + 1)
    }
  }

  private mutating func compare(_ rowIDs: [Int64], on page: PageNumber, with bounds: Bounds) {
    guard let low = rowIDs.min(), let high = rowIDs.max() else { return }
    if let above = bounds.above, low <= above.rowID { add(above.page, page) }
    if let upTo = bounds.upTo, high > upTo.rowID { add(upTo.page, page) }
  }
}
