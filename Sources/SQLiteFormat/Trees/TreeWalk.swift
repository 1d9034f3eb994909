// SPDX-License-Identifier: Apache-2.0
// Walking a b-tree from its root, leaf by leaf, past whatever is broken on the way.

/// A walk over one b-tree, in key order, that survives damage.
///
/// Each page is visited at most once: a page that is already claimed, by this tree
/// or another, is reported and not followed, so that no walk is longer than the
/// file has pages.
package struct TreeWalk: Sendable {
  /// What the walk met.
  package enum Step: Sendable {
    /// A page of the tree.
    case page(Visit)
    /// A page that could not be visited, and the page that points to it.
    case fault(FormatError, parent: PageNumber?)
  }

  /// A page of the tree, and what its ancestors say about it.
  package struct Visit: Sendable {
    /// The page.
    package let page: BTreePage
    /// Its cells.
    package let content: PageContent
    /// How many pages lie above it.
    package let depth: Int
    /// The largest key of everything to the left; rowids here are above it.
    ///
    /// Tables only.
    package let lower: Int64?
    /// The largest rowid that may lie here.
    ///
    /// Tables only.
    package let upper: Int64?
    /// The entry of a page above that lies between this page and the one to the left.
    ///
    /// Indexes and WITHOUT ROWID tables only.
    package let before: Separator?
    /// The entry of a page above that lies between this page and the one to the right.
    ///
    /// Indexes and WITHOUT ROWID tables only.
    package let behind: Separator?
  }

  /// An entry of an interior page, which lies between two of its children.
  package struct Separator: Sendable {
    /// The interior page.
    package let page: BTreePage
    /// The entry.
    package let cell: Cell
  }

  /// The most levels that a tree can have: SQLite's own limit (BTCURSOR_MAX_DEPTH).
  package static let depthMax = 20

  private struct Pending {
    let page: PageNumber
    let parent: PageNumber?
    let depth: Int
    let lower: Int64?
    let upper: Int64?
    var before: Separator?
    var behind: Separator?
  }

  private let image: Image
  private let kinds: [BTreePage.Kind]
  private let owner: PageOwner
  private var pending: [Pending]
  private var faults: [Step] = []
  /// The pages that cannot be read, to which many may lead.
  private var unreadable: [PageNumber: FormatError] = [:]

  /// A walk from a root; pages are claimed for `owner`.
  package init(_ image: Image, root: PageNumber, isTable: Bool, owner: PageOwner) {
    self.image = image
    kinds = BTreePage.Kind.allCases.filter { $0.isTable == isTable }
    self.owner = owner
    pending = [Pending(page: root, parent: nil, depth: 0, lower: nil, upper: nil)]
  }

  /// The next step; nil when the walk is over.
  package mutating func next(_ claims: inout PageClaims) -> Step? {
    if let fault = faults.popLast() { return fault }
    guard let item = pending.popLast() else { return nil }
    do {
      return .page(try visit(item, &claims))
    } catch {
      return .fault(
        FormatError(error.problem, page: error.page ?? item.page, offset: error.offset),
        parent: item.parent)
    }
  }

  private mutating func visit(
    _ item: Pending, _ claims: inout PageClaims
  ) throws(FormatError) -> Visit {
    guard item.page.number <= image.pageCount else {
      throw FormatError(.pageMissing, page: item.page)
    }
    guard claims.owner(of: item.page) == nil else {
      throw FormatError(.claimedTwice, page: item.page)
    }
    let (page, content) = try read(item.page, &claims)
    if content.isCountLost {
      faults.append(.fault(FormatError(.pageHeader, page: page.number), parent: item.parent))
    }
    if !page.kind.isLeaf {
      guard item.depth < Self.depthMax else { throw FormatError(.tooDeep, page: item.page) }
      push(childrenOf: page, content, item)
    }
    return Visit(
      page: page, content: content, depth: item.depth, lower: item.lower, upper: item.upper,
      before: item.before, behind: item.behind)
  }

  /// Reads a page and claims it, or leaves it to another tree.
  private mutating func read(
    _ number: PageNumber, _ claims: inout PageClaims
  ) throws(FormatError) -> (page: BTreePage, content: PageContent) {
    if let error = unreadable[number] { throw error }
    do {
      let reading = try image.reading(of: number, as: kinds)
      _ = claims.claim(number, for: owner)
      return (reading.page, reading.content)
    } catch {
      claims.passOver(number)
      unreadable[number] = error
      throw error
    }
  }

  /// Queues the children of a page so that the left-most is visited first.
  private mutating func push(
    childrenOf page: BTreePage, _ content: PageContent, _ item: Pending
  ) {
    guard image.hasPageNumbers else {
      return fault(FormatError(.noChild, page: page.number), page.number)
    }
    var children: [Pending] = []
    var lower = item.lower
    var before = item.before
    func add(_ child: UInt32, upper: Int64?, behind: Separator?, at offset: Int) {
      guard let number = PageNumber(child) else {
        return fault(.init(.noChild, page: page.number, offset: offset), page.number)
      }
      children.append(
        Pending(
          page: number, parent: page.number, depth: item.depth + 1, lower: lower, upper: upper,
          before: before, behind: behind))
    }
    for error in content.faults { fault(error, page.number) }
    for cell in content.doubtful {
      fault(image.doubt(of: cell, on: page.number), page.number)
    }
    for cell in content.cells {
      let behind = page.kind.isTable ? nil : Separator(page: page, cell: cell)
      add(cell.leftChild, upper: cell.rowID, behind: behind, at: cell.offset)
      (lower, before) = (cell.rowID, behind)
    }
    add(
      page.rightChild?.rawValue ?? 0, upper: item.upper, behind: item.behind,
      at: page.headerOffset + 8)
    pending.append(contentsOf: children.reversed())
  }

  private mutating func fault(_ error: FormatError, _ parent: PageNumber) {
    faults.append(.fault(error, parent: parent))
  }
}
