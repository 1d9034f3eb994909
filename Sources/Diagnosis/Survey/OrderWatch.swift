// SPDX-License-Identifier: Apache-2.0
// Whether the entries of an index come in their order: within each page, and from leaf to leaf.

import SQLiteFormat

/// A watch over the entries of an index tree, in the order in which a scan meets them.
struct OrderWatch {
  private let order: KeyOrder
  private var isLeaf = false
  private var isWatching = false
  private var previous: Record?
  private var lastOnLeaves: Record?
  /// The entry between two pages that was read last.
  private var known: (page: PageNumber, offset: Int, record: Record?)?
  /// How many overflow pages may still be followed: each page adds some.
  private var patience = 0
  private static let overflowPerPage = 256
  private static let overflowMax = 1 << 12

  /// A watch that has seen nothing.
  init(_ order: KeyOrder) {
    self.order = order
  }

  /// Turns to the next page; the cells of an unsound page may be in any order.
  mutating func turn(to page: BTreePage, isSound: Bool) {
    if isLeaf { lastOnLeaves = previous }
    isLeaf = page.kind.isLeaf
    isWatching = isSound
    patience = min(patience + Self.overflowPerPage, Self.overflowMax)
    // Entries of interior pages lie between leaves, and are met before them.
    previous = isLeaf && isSound ? lastOnLeaves : nil
  }

  /// The entry of an interior page between which and this page the order is not right; nil where
  /// it is.
  mutating func faultBeside(_ visit: TreeWalk.Visit, in image: Image) -> FormatError? {
    guard visit.content.layoutFault == nil, let first = visit.content.cells.first,
      let last = visit.content.cells.last
    else { return nil }
    if let separator = visit.before, let lower = record(of: separator, in: image),
      let record = image.record(of: first, on: visit.page, &patience),
      !order.allows(lower, before: record)
    {
      return FormatError(
        problem(lower, record), page: separator.page.number, offset: separator.cell.offset)
    }
    if let separator = visit.behind, let upper = record(of: separator, in: image),
      let record = image.record(of: last, on: visit.page, &patience),
      !order.allows(record, before: upper)
    {
      return FormatError(
        problem(record, upper), page: separator.page.number, offset: separator.cell.offset)
    }
    return nil
  }

  private mutating func record(of separator: TreeWalk.Separator, in image: Image) -> Record? {
    let (page, offset) = (separator.page.number, separator.cell.offset)
    if let known, known.page == page, known.offset == offset { return known.record }
    let record = image.record(of: separator.cell, on: separator.page, &patience)
    known = (page, offset, record)
    return record
  }

  /// Whether an entry may follow the one before it.
  func allows(_ record: Record) -> Bool {
    guard isWatching else { return true }
    return previous.map { order.allows($0, before: record) } ?? true
  }

  /// Whether an entry may follow the one before it; goes on behind it.
  mutating func accepts(_ record: Record) -> Bool { fault(of: record) == nil }

  /// Why an entry may not follow the one before it, nil where it may; goes on behind it.
  mutating func fault(of record: Record) -> FormatError.Problem? {
    defer { pass(record) }
    guard let previous, !allows(record) else { return nil }
    return problem(previous, record)
  }

  /// What is wrong with two entries that may not follow one another.
  private func problem(_ left: Record, _ right: Record) -> FormatError.Problem {
    order.haveSameKey(left, right) ? .keyTwice : .keyOrder
  }

  /// Goes on behind an entry.
  mutating func pass(_ record: Record) {
    if isWatching { previous = record }
  }
}
