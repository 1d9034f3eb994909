// SPDX-License-Identifier: Apache-2.0
// Where a chain of overflow pages left its way: at the page whose link leads to pages of others, and
// not at the page of those where that shows.

import SQLiteFormat

extension Survey {
  /// The faults of the cells of a tree, those of broken chains where they left their way.
  package func placedCellFaults(of tree: TreeSurvey) -> FaultList {
    tree.cellFaults.mapped { image?.strayLink(of: $0, claims) ?? $0 }
  }
}

extension Image {
  /// The fault of a broken chain at the link that leads to a page with another owner; nil where the
  /// chain leads to none.
  ///
  /// The pages of a chain that is broken are nobody's: one that has an owner is part of something else
  /// that was read whole.
  fileprivate func strayLink(of fault: FormatError, _ claims: PageClaims) -> FormatError? {
    guard let place = fault.cell, fault.problem != .claimedTwice,
      let page = try? btreePage(place.page), let cell = try? page.cell(at: place.offset),
      var next = cell.overflow.flatMap({ PageNumber($0) })
    else { return nil }
    var previous = place.page
    var seen = PageSet()
    for _ in 0...pagesToFollow(for: cell) {
      guard next.number <= pageCount, seen.insert(next) else { return nil }
      guard claims.owner(of: next) == nil else {
        return FormatError(
          .chainAstray, page: previous, offset: previous == place.page ? place.offset : 0,
          cell: place)
      }
      guard let following = (try? bytes(of: next))?.big32(at: 0).flatMap({ PageNumber($0) }) else {
        return nil
      }
      (previous, next) = (next, following)
    }
    return nil
  }
}
