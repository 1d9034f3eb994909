// SPDX-License-Identifier: Apache-2.0
// What is known of the overflow chains of damaged trees beside their own links.

import SQLiteFormat

/// What is known about the overflow chains of damaged trees beside their own links.
struct ChainRepair: Sendable {
  /// Where a cell lies.
  struct Place: Hashable {
    /// Its page.
    let page: PageNumber
    /// The byte in the page.
    let offset: Int
  }

  /// A chain for a cell whose own is broken.
  struct Repair {
    /// The chain.
    let chain: OverflowChain
    /// Whether only the link in the cell was wrong, so that no page of the chain need be damaged.
    let isSound: Bool
  }

  /// Cells whose chain another cell leads into, and nothing tells whose it is.
  var shared: Set<Place> = []
  /// The chains that were found for cells whose own is broken.
  var repairs: [Place: Repair] = [:]

  /// Whether another cell leads to the same pages, and nothing tells whose they are.
  func isShared(_ cell: Cell, on page: PageNumber) -> Bool {
    shared.contains(Place(page: page, offset: cell.offset))
  }

  /// The chain of a cell whose own is broken; nil where none is sure.
  func repair(of cell: Cell, on page: PageNumber) -> Repair? {
    repairs[Place(page: page, offset: cell.offset)]
  }
}
