// SPDX-License-Identifier: Apache-2.0
// The pointer maps against what really points to each page.

import SQLiteFormat

/// A look at every pointer of a database, and at what the pointer maps say of it.
struct PointerMapReview {
  /// Pages whose entry says something else.
  private(set) var faults = FaultList()

  private let image: Image
  private var map: PageNumber?
  private var bytes: Bytes = []

  /// A look at a database with pointer maps.
  ///
  /// Where a tree is damaged, only the roots are looked at: nothing sure points to the other pages.
  init(_ image: Image, trees: [TreeSurvey], schema: TreeSurvey, freelist: Freelist?) {
    self.image = image
    for root in trees.compactMap(\.root) { expect(PointerMapEntry(.root), for: root) }
    guard schema.isSound, trees.allSatisfy(\.isSound) else { return }
    var claims = PageClaims(pageCount: image.pageCount)
    for tree in [schema] + trees {
      guard let root = tree.root else { continue }
      var walk = TreeWalk(
        image, root: root, isTable: tree.isRowIDTable, owner: .tree(0))
      while let step = walk.next(&claims) {
        if case .page(let visit) = step { look(at: visit) }
      }
    }
    guard let freelist, freelist.faults.isEmpty else { return }
    for page in freelist.trunks + freelist.leaves { expect(PointerMapEntry(.free), for: page) }
  }

  private mutating func look(at visit: TreeWalk.Visit) {
    let page = visit.page
    if let child = page.rightChild {
      expect(PointerMapEntry(.child, parent: page.number), for: child)
    }
    for cell in visit.content.cells {
      if !page.kind.isLeaf, let child = PageNumber(cell.leftChild) {
        expect(PointerMapEntry(.child, parent: page.number), for: child)
      }
      guard cell.overflow != nil, let chain = try? image.record(of: cell, on: page).1 else {
        continue
      }
      var entry = PointerMapEntry(.firstOverflow, parent: page.number)
      for next in chain.pages {
        expect(entry, for: next)
        entry = PointerMapEntry(.laterOverflow, parent: next)
      }
    }
  }

  private mutating func expect(_ entry: PointerMapEntry, for page: PageNumber) {
    guard let map = image.geometry.pointerMapPage(for: page) else { return }
    if map != self.map {
      self.map = map
      bytes = (try? image.bytes(of: map)) ?? []
    }
    guard !bytes.isEmpty, image.pointerMapEntry(of: page, in: bytes) != entry else { return }
    faults.add(FormatError(.chainAstray, page: page))
  }
}
