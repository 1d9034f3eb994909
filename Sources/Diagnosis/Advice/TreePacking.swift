// SPDX-License-Identifier: Apache-2.0
// How many pages a tree takes when its entries are written anew one after the other.

import SQLiteFormat

/// How many pages a tree takes when its entries are written anew one after the other, as VACUUM does.
///
/// A page is filled until an entry does not fit. In a table that entry begins the next page, and the
/// parent gets the last rowid; in an index, and above the leaves, it moves to the parent itself.
struct TreePacking: Hashable, Sendable {
  private struct Level: Hashable {
    var pages = 1
    var used = 0
  }

  private static let pointerSize = 2
  private static let childSize = 4

  private let isTable: Bool
  private let usable: Int
  private var levels: [Level] = [Level()]
  private var lastRowID: Int64 = 0

  /// An empty tree in pages of so many usable bytes; `taken` are those that something else has in
  /// its root.
  init(isTable: Bool, usable: Int, taken: Int = 0) {
    self.isTable = isTable
    self.usable = usable
    levels[0].used = taken
  }

  /// How many pages the tree has, without those that values spill to.
  var pages: Int { levels.reduce(0) { $0 + $1.pages } }

  /// Adds a row of a table, or an entry of an index, by the size of its cell in a leaf.
  mutating func add(_ size: Int, rowID: Int64?) {
    let needed = size + Self.pointerSize
    if levels[0].used + needed <= usable - 8 {
      levels[0].used += needed
    } else if isTable {
      levels[0].pages += 1
      levels[0].used = needed
      add(divider: Self.childSize + Self.varintSize(lastRowID), at: 1)
    } else {
      levels[0].pages += 1
      levels[0].used = 0
      add(divider: Self.childSize + size, at: 1)
    }
    lastRowID = rowID ?? 0
  }

  private mutating func add(divider size: Int, at level: Int) {
    var level = level
    while true {
      if level == levels.count { levels.append(Level()) }
      let needed = size + Self.pointerSize
      if levels[level].used + needed <= usable - 12 {
        levels[level].used += needed
        return
      }
      levels[level].pages += 1
      levels[level].used = 0
      level += 1
    }
  }

  /// The length of a rowid as it is stored.
  private static func varintSize(_ value: Int64) -> Int {
    let bits = UInt64.bitWidth - UInt64(bitPattern: value).leadingZeroBitCount
    return min(9, max(1, (bits + 6) / 7))
  }
}
