// SPDX-License-Identifier: Apache-2.0
// Whether the pages that do not show what they are must all be roots: then none is a trunk of the
// free list, and no page of rows is a free one.

import SQLiteFormat

extension Placement {
  /// How many of a tree's pages are looked at.
  static let sampleMax = 8

  /// How many trees have a hidden root: one whose page cannot be read.
  ///
  /// Several pages of a tree lie under another one. If no page that can be read leads to them, their
  /// root is hidden. So is the root of a tree of which no page was found, once every page that was
  /// found has its tree. A page without rows may be the root of a tree that was emptied.
  func hiddenRoots(_ open: [Open], _ isRootless: [Bool]) -> Int {
    let soles = open.map { open -> Int? in
      let likely = likely(candidates(for: open))
      return likely.count == 1 ? likely[0].claimant : nil
    }
    let isEveryPageSomebodys = open.allSatisfy { !$0.tallies.isEmpty || $0.group.spans.isEmpty }
    let hidden = claimants.indices.count { index in
      guard isRootless[index] else { return false }
      let own =
        zip(open, soles).filter { $1 == index }.map(\.0.group)
        + placed.filter { $0.claimant == index }.map(\.group)
      if own.isEmpty {
        return isEveryPageSomebodys && !open.contains { $0.tallies[index] != nil }
      }
      return areApart(own, claimants[index])
    }
    return hidden - open.count { $0.group.spans.isEmpty }
  }

  /// Whether these are several groups, and no two have rows of the same places.
  private func areApart(_ groups: [OrphanGroup], _ claimant: Claimant) -> Bool {
    let order = claimant.order
    guard groups.count > 1, order.isKnown else { return groups.count > 1 }
    let sorted = groups.compactMap { claimant.span(of: $0.spans) }
      .sorted { order.compare($0.first, $1.first) < 0 }
    return zip(sorted, sorted.dropFirst()).allSatisfy { order.compare($0.last, $1.first) < 0 }
  }

  /// Those of some candidates whose declared types the rows have, and whose other rows are not all
  /// longer.
  func likely(_ candidates: [Candidate]) -> [Candidate] {
    candidates.filter { candidate in
      candidate.tally.expected * 2 >= candidate.tally.rows
        && (candidate.tally.whole > 0 || !knowsOnlyWholeRows(candidate.claimant))
    }
  }

  /// Whether every row that is known of a claimant has every column.
  func knowsOnlyWholeRows(_ index: Int) -> Bool {
    let tally = known(claimants[index])
    return tally.rows > 0 && tally.whole == tally.rows
  }
}
