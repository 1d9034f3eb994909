// SPDX-License-Identifier: Apache-2.0
// A set of pages, a bit for each.

import SQLiteFormat

/// A set of pages.
///
/// Room is taken for stretches of pages of which one is in it: a file can have far more pages
/// than it has bytes on the disk.
struct PageSet: Hashable, Sendable {
  /// How many pages a stretch has.
  private static let stretch = 4096
  private var stretches: [[UInt64]] = []
  /// How many pages are in it.
  private(set) var count = 0

  /// An empty set.
  init() {}

  /// A set of these pages.
  init(_ pages: some Sequence<PageNumber>) {
    for page in pages { insert(page) }
  }

  /// Whether no page is in it.
  var isEmpty: Bool { count == 0 }

  /// Whether a page is in it.
  func contains(_ page: PageNumber) -> Bool {
    let (index, place) = page.number.quotientAndRemainder(dividingBy: Self.stretch)
    guard index < stretches.count, !stretches[index].isEmpty else { return false }
    return stretches[index][place / 64] & 1 << UInt64(place % 64) != 0
  }

  /// Puts a page into it; false when it was there.
  @discardableResult
  mutating func insert(_ page: PageNumber) -> Bool {
    let (index, place) = page.number.quotientAndRemainder(dividingBy: Self.stretch)
    if index >= stretches.count {
      stretches += Array(repeating: [], count: index + 1 - stretches.count)
    }
    if stretches[index].isEmpty {
      stretches[index] = Array(repeating: 0, count: Self.stretch / 64)
    }
    let bit: UInt64 = 1 << UInt64(place % 64)
    guard stretches[index][place / 64] & bit == 0 else { return false }
    stretches[index][place / 64] |= bit
    count += 1
    return true
  }

  /// Takes a page out of it.
  mutating func remove(_ page: PageNumber) {
    let (index, place) = page.number.quotientAndRemainder(dividingBy: Self.stretch)
    guard contains(page) else { return }
    stretches[index][place / 64] &= ~(1 << UInt64(place % 64))
    count -= 1
  }

  /// Its pages, in order.
  var pages: [PageNumber] {
    var pages: [PageNumber] = []
    pages.reserveCapacity(count)
    for (index, words) in stretches.enumerated() {
      for (place, word) in words.enumerated() {
        var rest = word
        while rest != 0 {
          let number = index * Self.stretch + place * 64 + rest.trailingZeroBitCount
          if let page = PageNumber(number) { pages.append(page) }
          rest &= rest - 1
        }
      }
    }
    return pages
  }
}
