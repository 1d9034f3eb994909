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

  /// A watch that has seen nothing.
  init(_ order: KeyOrder) {
    self.order = order
  }

  /// Turns to the next page; the cells of an unsound page may be in any order.
  mutating func turn(to page: BTreePage, isSound: Bool) {
    if isLeaf { lastOnLeaves = previous }
    isLeaf = page.kind.isLeaf
    isWatching = isSound
    // Entries of interior pages lie between leaves, and are met before them.
    previous = isLeaf && isSound ? lastOnLeaves : nil
  }

  /// Whether an entry may follow the one before it.
  func allows(_ record: Record) -> Bool {
    guard isWatching else { return true }
    return previous.map { order.allows($0, before: record) } ?? true
  }

  /// Whether an entry may follow the one before it; goes on behind it.
  mutating func accepts(_ record: Record) -> Bool {
    defer { pass(record) }
    return allows(record)
  }

  /// Goes on behind an entry.
  mutating func pass(_ record: Record) {
    if isWatching { previous = record }
  }
}
