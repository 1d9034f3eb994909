// SPDX-License-Identifier: Apache-2.0
// Whose a page is, of the trees in doubt that lead to it.

import SQLiteFormat

extension TreesInDoubt {
  /// The tree that a page belongs to, of those that lead to it; nil when it belongs to none, or
  /// nothing tells to which.
  func owner(of page: PageNumber, _ named: [Int]) -> Int? {
    let rows = pages.rows(on: page, isTable: claimants[named[0]].isTable)
    let tallies = named.map { ($0, claimants[$0].tally(rows)) }
    var fitting = tallies.filter { $0.1.fits }
    // A page of which most rows are damaged is still that of the only tree that leads to it.
    if fitting.isEmpty, named.count == 1, tallies[0].1.admitted * 2 >= rows.count {
      fitting = tallies
    }
    guard !rows.isEmpty, !fitting.isEmpty else { return nil }
    let witnessed = fitting.filter { $0.1.isWitnessed }
    if witnessed.count == 1 { return witnessed[0].0 }
    guard fitting.count == 1 else { return nil }
    let (only, tally) = fitting[0]
    let isRoot = survey.trees[claimants[only].position].root == page
    guard tally.isDenied || isRoot && tally.isUnexpected && !tally.isWitnessed else { return only }
    // Its indexes do not know the rows, or its types are not theirs: whose do, and are?
    let isAnothers = claimants.indices.contains { index in
      guard index != only, claimants[index].isTable == claimants[only].isTable else { return false }
      let other = claimants[index].tally(rows)
      // Rows that all lack columns here may be all that another tree has in its records.
      guard !tally.isDenied else {
        return other.isWitnessed
          || tally.whole == 0 && other.whole == other.rows && other.isPromised
      }
      // Roots change places: one that was destroyed is not here instead.
      guard other.isPromised, let root = survey.trees[claimants[index].position].root else {
        return false
      }
      return pages.reading(of: root) != nil
    }
    return isAnothers ? nil : only
  }

  /// The tree that has an interior page, of those that lead to it; nil where nothing tells.
  ///
  /// It is the one whose declared types the rows of the page have best.
  func leader(of page: PageNumber) -> Int? {
    guard let candidates = leading[page], candidates.count > 1 else { return leading[page]?.first }
    let tallies = candidates.filter { !claimants[$0].isTable }.map { index in
      (index: index, tally: claimants[index].tally(pages.rows(on: page, isTable: false)))
    }.filter(\.tally.fits)
    guard let best = tallies.max(by: { $0.tally.expected < $1.tally.expected }),
      tallies.count(where: { $0.tally.expected == best.tally.expected }) == 1
    else { return nil }
    return best.index
  }
}
