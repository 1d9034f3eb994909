// SPDX-License-Identifier: Apache-2.0
// Overflow chains of damaged trees: whose a page is that two rows lead to, and where a chain goes
// on whose link is wrong.

import SQLiteFormat

/// What is known about the overflow chains of damaged trees beside their own links.
struct ChainRepair: Sendable {
  /// Where a cell lies.
  private struct Place: Hashable {
    let page: PageNumber
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
  private var shared: Set<Place> = []
  /// The chains that were found for cells whose own is broken.
  private var repairs: [Place: Repair] = [:]

  /// Whether another cell leads to the same pages, and nothing tells whose they are.
  func isShared(_ cell: Cell, on page: PageNumber) -> Bool {
    shared.contains(Place(page: page, offset: cell.offset))
  }

  /// The chain of a cell whose own is broken; nil where none is sure.
  func repair(of cell: Cell, on page: PageNumber) -> Repair? {
    repairs[Place(page: page, offset: cell.offset)]
  }
}

extension PageReader {
  /// The overflow pages of the rows of a page.
  fileprivate func overflowPages(of page: PageNumber) -> [PageNumber] {
    guard let reading = reading(of: page) else { return [] }
    return (reading.content.cells + reading.content.doubtful).flatMap {
      (try? image.overflowChain(of: $0, on: page))?.pages ?? []
    }
  }
}

extension ChainRepair {
  /// A cell, its page, and the overflow pages that its links lead to.
  private struct Spill {
    let place: Place
    let cell: Cell
    let pages: [PageNumber]
    let length: Int
  }

  /// One way for a chain to go on: behind the first `kept` of its own pages, with those from `head`.
  private struct Way: Hashable {
    let kept: Int
    let head: PageNumber
  }

  /// Looks at the chains of all rows whose tree is damaged, or has lost their pages.
  init(_ survey: Survey, _ image: Image) {
    guard image.hasPageNumbers else { return }
    let reader = PageReader(image)
    var whole: [Spill] = []
    var broken: [Spill] = []
    for (page, isTable) in survey.reassembly.ownedPages {
      guard let reading = reader.reading(of: page, isTable: isTable) else { continue }
      for cell in reading.content.cells where cell.overflow != nil {
        let chain = try? image.overflowChain(of: cell, on: page)
        let spill = Spill(
          place: Place(page: page, offset: cell.offset), cell: cell,
          pages: chain?.pages ?? image.reachedPages(of: cell, on: page),
          length: image.chainLength(of: cell))
        if chain != nil { whole.append(spill) } else { broken.append(spill) }
      }
    }
    guard !whole.isEmpty || !broken.isEmpty else { return }
    broken += settle(&whole, survey, image)
    guard !broken.isEmpty else { return }
    let strays = survey.straysOnFreelist
    guard survey.hasPointerMaps || survey.knowsFreePages(strays: strays, reader) else { return }
    let loose = survey.reassembly.loose.map(\.page)
    var taken = Set(whole.flatMap(\.pages) + survey.reassembly.ownedPages.map(\.page) + loose)
    for page in loose { taken.formUnion(reader.overflowPages(of: page)) }
    let left = survey.pagesWithoutProof(survey.treesInDoubt, strays: strays).subtracting(taken)
    infer(broken, from: Tails(left, in: image), image, survey.hasPointerMaps)
  }

  /// Decides whose the pages are that more than one chain has; returns the cells that they are not
  /// of, and takes those off `whole`.
  private mutating func settle(
    _ whole: inout [Spill], _ survey: Survey, _ image: Image
  ) -> [Spill] {
    var uses: [PageNumber: Int] = [:]
    for page in whole.lazy.flatMap(\.pages) { uses[page, default: 0] += 1 }
    let doubtful = Set(
      survey.treesInDoubt.map { Survey.firstTreeOwner + PageClaims.Owner(clamping: $0) })
    func isProven(_ page: PageNumber) -> Bool {
      survey.claims.owner(of: page).map { !doubtful.contains($0) } ?? false
    }
    var losers: [Spill] = []
    var kept: [Spill] = []
    for spill in whole {
      if spill.pages.contains(where: isProven) {
        losers.append(spill)
      } else if spill.pages.allSatisfy({ uses[$0] == 1 }) {
        kept.append(spill)
      } else {
        switch image.pointerMapConfirms(spill.pages, from: spill.place.page, behind: nil) {
        case true?: kept.append(spill)
        case false?: losers.append(spill)
        case nil:
          kept.append(spill)
          shared.insert(spill.place)
        }
      }
    }
    whole = kept
    return losers
  }

  /// Finds for broken chains where they go on, when there is one way only and no other chain could
  /// go that way; first among the ways that fit to the byte, then among all that are left.
  private mutating func infer(
    _ broken: [Spill], from tails: Tails, _ image: Image, _ hasPointerMaps: Bool
  ) {
    var open = broken.map { spill in
      let ways = tails.ways(for: spill).filter { way in
        guard hasPointerMaps else { return true }
        return image.pointerMapConfirms(
          tails.pages(from: way.head), from: spill.place.page,
          behind: way.kept > 0 ? spill.pages[way.kept - 1] : nil) ?? false
      }
      return (spill: spill, ways: ways, fitting: ways.filter { tails.fits($0, spill, image) })
    }
    while true {
      let found =
        Self.unambiguous(open.map(\.fitting)) ?? Self.unambiguous(open.map(\.ways))
      guard let (index, way) = found else { return }
      let spill = open.remove(at: index).spill
      repairs[spill.place] = Repair(
        chain: OverflowChain(
          pages: Array(spill.pages.prefix(way.kept)) + tails.pages(from: way.head)),
        isSound: way.kept == 0)
      for other in open.indices {
        open[other].ways.removeAll { $0.head == way.head }
        open[other].fitting.removeAll { $0.head == way.head }
      }
    }
  }

  /// A cell that has one way only, which no other cell has.
  private static func unambiguous(_ ways: [[Way]]) -> (index: Int, way: Way)? {
    var wanted: [PageNumber: Int] = [:]
    for head in ways.joined().lazy.map(\.head) { wanted[head, default: 0] += 1 }
    for (index, ways) in ways.enumerated() {
      if let way = ways.first, ways.count == 1, wanted[way.head] == 1 { return (index, way) }
    }
    return nil
  }

  /// Chains to which no cell leads: what a broken link has cut off.
  private struct Tails {
    private let next: [PageNumber: PageNumber]
    /// The first pages of chains, by the length of these.
    private let heads: [Int: [PageNumber]]

    /// The chains among pages that belong to nobody; a page of zeros says nothing and is none.
    init(_ loose: Set<PageNumber>, in image: Image) {
      var next: [PageNumber: PageNumber] = [:]
      var ends: Set<PageNumber> = []
      for page in loose {
        guard let bytes = try? image.bytes(of: page), !bytes.isZero,
          let link = bytes.big32(at: 0)
        else { continue }
        if link == 0 { ends.insert(page) }
        if let number = PageNumber(link), loose.contains(number) { next[page] = number }
      }
      let behind = Set(next.values)
      var heads: [Int: [PageNumber]] = [:]
      for head in (ends.union(next.keys)).subtracting(behind).sorted() {
        var page = head
        var length = 1
        while !ends.contains(page), let following = next[page], length <= next.count + 1 {
          page = following
          length += 1
        }
        if ends.contains(page) { heads[length, default: []].append(head) }
      }
      self.next = next
      self.heads = heads
    }

    /// The pages of a chain, from its first.
    func pages(from head: PageNumber) -> [PageNumber] {
      Array(sequence(first: head) { next[$0] }.prefix(next.count + 1))
    }

    /// Whether what a payload leaves of the last page is all zero, and what it takes is not:
    /// SQLite clears new pages.
    func fits(_ way: Way, _ spill: Spill, _ image: Image) -> Bool {
      let capacity = image.geometry.overflowCapacity
      let used = spill.cell.payloadSize - spill.cell.local.count - (spill.length - 1) * capacity
      guard let last = pages(from: way.head).last, let bytes = try? image.bytes(of: last),
        (1...capacity).contains(used), bytes.count >= 4 + capacity
      else { return false }
      return bytes[3 + used] != 0 && bytes[(4 + used)..<(4 + capacity)].allSatisfy { $0 == 0 }
    }

    /// The ways for a broken chain to go on.
    func ways(for spill: Spill) -> [Way] {
      (0..<min(spill.pages.count + 1, spill.length)).flatMap { kept in
        (heads[spill.length - kept] ?? []).map { Way(kept: kept, head: $0) }
      }
    }
  }
}
