// SPDX-License-Identifier: Apache-2.0
// Where rows of a table are missing: what the parents of lost pages, and the neighbours of lost
// cells, say of the keys that lay there.

package import SQLiteFormat

/// A stretch of a table, between two keys, in which rows are missing.
package enum Gap: Sendable {
  /// Rowids, from the first to the last, both among them; nil where the table begins or ends.
  case rowIDs(Int64?, Int64?)
  /// Keys of a WITHOUT ROWID table, between two rows that are not among them.
  case keys(Record?, Record?)

  /// Whether a row of the table would lie in the stretch.
  package func contains(_ stored: StoredRecord, order: KeyOrder?) -> Bool {
    switch self {
    case .rowIDs(let first, let last):
      guard let rowID = stored.rowID else { return false }
      return first.map { rowID >= $0 } ?? true && last.map { rowID <= $0 } ?? true
    case .keys(let lower, let upper):
      guard let order, stored.rowID == nil else { return false }
      return lower.map { order.allows($0, before: stored.record) } ?? true
        && upper.map { order.allows(stored.record, before: $0) } ?? true
    }
  }
}

extension [Gap] {
  /// How many are looked through one by one: a damaged tree may lead to them out of order.
  private static var lookedThroughMax: Int { 1 << 10 }

  /// Whether a row of the table would lie in one of these, which come in the order of the tree.
  package func contain(_ stored: StoredRecord, order: KeyOrder?) -> Bool {
    guard let rowID = stored.rowID, count > Self.lookedThroughMax else {
      return contains { $0.contains(stored, order: order) }
    }
    let next = partitioningIndex { gap in
      if case .rowIDs(_, let last?) = gap { last >= rowID } else { true }
    }
    return next < count && self[next].contains(stored, order: order)
  }
}

extension Reconstruction {
  /// Where rows of a table's tree are missing, in the order of the tree; leaves that were given
  /// back to the table are not.
  ///
  /// The whole table is one gap when its root cannot be read.
  package func gaps(in tree: TreeSurvey) -> [Gap] {
    guard let image = survey.image, let position = survey.position(of: tree) else {
      return [tree.isRowIDTable ? .rowIDs(nil, nil) : .keys(nil, nil)]
    }
    var walk = GapWalk(
      image: image, isTable: tree.isRowIDTable, faulty: tree.faultyPages, claims: survey.claims,
      owner: .tree(position))
    if let root = tree.root {
      walk.visit(root, above: nil, upTo: nil, depth: 0)
    } else {
      walk.openWholly()
    }
    let regained = reassembly.pagesRegained(by: position).compactMap { image.rowIDs(of: $0) }
    return walk.gaps.flatMap { $0.without(regained) }
  }

  /// Whether pages of a tree are lost, and nothing is wrong with any that is left.
  package func hasLostPagesOnly(_ tree: TreeSurvey) -> Bool {
    !tree.pageFaults.isEmpty && tree.cellFaults.isEmpty && tree.layoutFaults.isEmpty
      && tree.unevenLeaves.isEmpty && tree.misplaced.isEmpty && tree.misplacedBetween.isEmpty
      && recordsRegained(by: tree) == 0 && !survey.missesUnknownPages
  }
}

extension TreeSurvey {
  /// The pages of the tree of which cells are damaged; nil where not each of them is known.
  fileprivate var faultyPages: Set<PageNumber>? {
    let lists = [cellFaults, layoutFaults, misplaced]
    guard lists.allSatisfy({ $0.count == $0.first.count }) else { return nil }
    return Set(lists.flatMap(\.first).compactMap(\.page))
  }
}

/// A walk over the pages that a table still has, past those that it has lost.
private struct GapWalk {
  /// A key beside a gap.
  enum Edge {
    case rowID(Int64)
    case key(Record)
  }

  let image: Image
  let isTable: Bool
  /// The leaves that are to be read cell by cell; nil for all.
  let faulty: Set<PageNumber>?
  let claims: PageClaims
  let owner: PageOwner
  private(set) var gaps: [Gap] = []
  private var visited: Set<PageNumber> = []
  private let reader: PageReader

  init(
    image: Image, isTable: Bool, faulty: Set<PageNumber>?, claims: PageClaims,
    owner: PageOwner
  ) {
    self.image = image
    reader = PageReader(image)
    self.isTable = isTable
    self.faulty = faulty
    self.claims = claims
    self.owner = owner
  }

  /// Takes the whole table for a gap.
  mutating func openWholly() {
    add(nil, nil, isUpperLost: true)
  }

  /// Visits a page whose rows lie above one key and not above another.
  mutating func visit(_ number: PageNumber, above lower: Edge?, upTo upper: Edge?, depth: Int) {
    guard depth < TreeWalk.depthMax, claims.owner(of: number) == owner,
      visited.insert(number).inserted, let page = try? image.btreePage(number),
      page.kind.isTable == isTable
    else { return add(lower, upper, isUpperLost: true) }
    if page.kind.isLeaf, let faulty, !faulty.contains(number) { return }
    var previous = lower
    var isLost = false
    for cell in cells(of: page) {
      guard let cell, let edge = edge(cell, on: page) else {
        isLost = true
        continue
      }
      let isUnread = page.kind == .tableLeaf && reader.record(of: cell, on: page) == nil
      if isUnread, cell.payloadSize == 0 || !edge.lies(above: previous, upTo: upper) {
        isLost = true
        continue
      }
      if isLost { add(previous, edge, isUpperLost: false) }
      isLost = false
      if page.kind.isLeaf {
        if isUnread { add(edge) }
      } else {
        visit(child: cell.leftChild, above: previous, upTo: edge, depth: depth)
      }
      previous = edge
    }
    if isLost { add(previous, upper, isUpperLost: true) }
    guard !page.kind.isLeaf else { return }
    visit(child: page.rightChild?.rawValue ?? 0, above: previous, upTo: upper, depth: depth)
  }

  private mutating func visit(
    child: UInt32, above lower: Edge?, upTo upper: Edge?, depth: Int
  ) {
    guard let child = PageNumber(child) else { return add(lower, upper, isUpperLost: true) }
    visit(child, above: lower, upTo: upper, depth: depth + 1)
  }

  /// The cells of a page in the order of their keys; nil for one that cannot be read.
  private func cells(of page: BTreePage) -> [Cell?] {
    let (cells, faults) = image.cells(of: page)
    return faults.isEmpty ? cells : (0..<page.cellCount).map { try? page.cell($0) }
  }

  /// The key of a cell; nil where it cannot be read.
  private func edge(_ cell: Cell, on page: BTreePage) -> Edge? {
    if isTable { return cell.rowID.map { .rowID($0) } }
    return reader.record(of: cell, on: page).map { .key($0) }
  }

  private mutating func add(_ edge: Edge) {
    if case .rowID(let rowID) = edge { gaps.append(.rowIDs(rowID, rowID)) }
  }

  /// Adds what lies above one key and below another, or not above it.
  private mutating func add(_ lower: Edge?, _ upper: Edge?, isUpperLost: Bool) {
    guard isTable else {
      gaps.append(.keys(lower?.key, upper?.key))
      return
    }
    let (first, overflows) = lower?.rowID.map { $0.addingReportingOverflow(1) } ?? (nil, false)
    var last = upper?.rowID
    if let rowID = last, !isUpperLost {
      guard rowID > .min else { return }
      last = rowID - 1
    }
    guard !overflows, first ?? .min <= last ?? .max else { return }
    gaps.append(.rowIDs(first, last))
  }
}

extension GapWalk.Edge {
  /// Whether a rowid lies above one, where it is known, and not above another.
  fileprivate func lies(above lower: Self?, upTo upper: Self?) -> Bool {
    guard let rowID else { return true }
    return lower?.rowID.map { rowID > $0 } ?? true && upper?.rowID.map { rowID <= $0 } ?? true
  }

  fileprivate var rowID: Int64? { if case .rowID(let rowID) = self { rowID } else { nil } }
  fileprivate var key: Record? { if case .key(let key) = self { key } else { nil } }
}

extension Gap {
  /// The gap without what was found of it.
  ///
  /// Between the rows found, nothing tells an unused rowid from a lost row: a gap is what lies
  /// before, after and between pages, and gone where a page fills it to its end.
  fileprivate func without(_ found: [ClosedRange<Int64>]) -> [Gap] {
    guard case .rowIDs(let first, let last) = self else { return [self] }
    let inside = found.filter { $0.upperBound >= first ?? .min && $0.lowerBound <= last ?? .max }
      .sorted { $0.lowerBound < $1.lowerBound }
    guard !inside.isEmpty else { return [self] }
    var gaps: [Gap] = []
    var next = first
    for range in inside {
      if next ?? .min < range.lowerBound { gaps.append(.rowIDs(next, range.lowerBound - 1)) }
      guard range.upperBound < .max else { return gaps }
      next = max(next ?? .min, range.upperBound + 1)
    }
    if next ?? .min <= last ?? .max { gaps.append(.rowIDs(next, last)) }
    return gaps
  }
}

extension Image {
  /// The rowids of a leaf page, from the first to the last.
  fileprivate func rowIDs(of page: PageNumber) -> ClosedRange<Int64>? {
    guard let leaf = try? btreePage(page) else { return nil }
    let rowIDs = cells(of: leaf).cells.compactMap(\.rowID)
    return rowIDs.min().flatMap { first in rowIDs.max().map { first...$0 } }
  }
}
