// SPDX-License-Identifier: Apache-2.0
// Whether a database has pointer maps, where its header is not believed.

import SQLiteFormat

extension Image {
  /// Whether a page can be nothing but a pointer map: each of its entries makes sense.
  func startsPointerMap(_ number: Int) -> Bool {
    guard let number = PageNumber(number), hasPageNumbers, let bytes = try? bytes(of: number) else {
      return false
    }
    let count = min(geometry.usable / 5, pageCount - number.number)
    return count > 0
      && (1...count).allSatisfy { offset in
        guard let page = PageNumber(number.number + offset),
          let entry = pointerMapEntry(of: page, in: bytes)
        else { return false }
        switch entry.kind {
        case .root, .free: return entry.parent == nil
        case .child, .firstOverflow, .laterOverflow:
          return entry.parent.map { $0.number <= pageCount && $0 != page } ?? false
        }
      }
  }

  /// Whether a page is beyond doubt one of a tree, which a pointer-map page never looks like.
  func isTreePage(_ number: Int) -> Bool {
    guard let number = PageNumber(number), let page = try? btreePage(number) else { return false }
    return page.layoutFaults.isEmpty && (page.kind.isLeaf || page.cellCount > 0)
  }
}
