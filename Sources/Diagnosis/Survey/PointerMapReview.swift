// SPDX-License-Identifier: Apache-2.0
// The pointer maps against what really points to each page.

import SQLiteFormat

/// A look at every pointer of a database, and at what the pointer maps say of it.
struct PointerMapReview {
  /// Pages whose entry says something else.
  private(set) var faults = FaultList()

  /// An entry that says something else than what was met.
  private struct Contradiction {
    let page: PageNumber
    let stated: PointerMapEntry?
    let met: PointerMapEntry
  }

  /// The most pages that have changed places: where there are more, the maps are of another time.
  private static let exchangedMax = 16
  private var contradictions: [Contradiction] = []
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
    let stated = image.pointerMapEntry(of: page, in: bytes)
    guard !bytes.isEmpty, stated != entry else { return }
    faults.add(FormatError(.chainAstray, page: page))
    if contradictions.count < Self.exchangedMax {
      contradictions.append(Contradiction(page: page, stated: stated, met: entry))
    }
  }

  /// Overflow pages that the maps have in each other's places, where the maps are right otherwise.
  ///
  /// An entry names the page in which the link lies that leads to its own (section 1.8). Where pages
  /// of two chains have changed places, or the links to them, the maps name for each page of some the
  /// link that leads to another of them: what is wrong with a map alone does not come out even.
  var exchanged: Set<PageNumber> {
    guard contradictions.count == faults.count else { return [] }
    var balance: [PointerMapEntry: Int] = [:]
    for contradiction in contradictions {
      guard let stated = contradiction.stated, contradiction.met.isOfOverflow else { return [] }
      balance[stated, default: 0] += 1
      balance[contradiction.met, default: 0] -= 1
    }
    return balance.values.allSatisfy { $0 == 0 } ? Set(contradictions.map(\.page)) : []
  }
}

extension PointerMapEntry {
  /// Whether the page is one of an overflow chain.
  fileprivate var isOfOverflow: Bool { kind == .firstOverflow || kind == .laterOverflow }
}
