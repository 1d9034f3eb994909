// SPDX-License-Identifier: Apache-2.0
// Overflow chains of damaged trees: whose a page is that two rows lead to, and where a chain goes
// on whose link is wrong.

import SQLiteFormat

extension Doubtful {
  /// Whether a page is known to be that of a tree or list that is not in doubt.
  fileprivate func isProven(_ page: PageNumber) -> Bool {
    survey.claims.owner(of: page).map { !owners.contains($0) } ?? false
  }
}

extension Image {
  /// Whether the chain of a cell goes on behind the last page that there is, with one that the database
  /// has: `last` is its last one.
  fileprivate func leadsBehindEnd(_ cell: Cell, _ pages: [PageNumber], upTo last: Int) -> Bool {
    let link = pages.last.map { (try? bytes(of: $0))?.big32(at: 0) } ?? cell.overflow
    guard let link = link.map(Int.init), last > pageCount else { return false }
    return (pageCount + 1...last).contains(link)
  }
}

extension ChainRepair {
  /// How many broken chains are looked at at most, and how many ways for all of them to go on.
  ///
  /// Among more than that, no way would be the only one.
  private static let brokenMax = 256
  private static let waysMax = 1 << 14

  /// A cell, its page, and the overflow pages that its links lead to.
  private struct Spill {
    let place: Place
    let cell: Cell
    let pages: [PageNumber]
    let length: Int
  }

  /// One way for a chain to go on: it keeps the first `kept` of its own pages, and a tail follows.
  private struct Way {
    let kept: Int
    let tail: Tail
  }

  /// A chain to which no cell leads: what a broken link has cut off.
  private struct Tail {
    let pages: [PageNumber]

    var head: PageNumber? { pages.first }
  }

  /// Looks at the chains of all rows whose tree is damaged, or has lost their pages.
  ///
  /// In a hostile file, every cell may lead into the same long chain: then nothing is inferred.
  init(of doubt: Doubtful, _ reassembly: Reassembly) {
    let (image, reader) = (doubt.image, doubt.pages.rested)
    guard image.hasPageNumbers else { return }
    var whole: [Spill] = []
    var broken: [Spill] = []
    var patience = 4 * image.pageCount
    for (page, isTable) in reassembly.spillingPages {
      guard let reading = reader.reading(of: page, isTable: isTable) else { continue }
      for cell in reading.content.cells where cell.overflow != nil {
        let chain = reader.chain(of: cell, on: page)
        let spill = Spill(
          place: Place(page: page, offset: cell.offset), cell: cell,
          pages: chain?.pages ?? image.reachedPages(of: cell, on: page),
          length: image.geometry.chainLength(of: cell))
        patience -= spill.pages.count
        guard patience > 0 else { return }
        if chain != nil { whole.append(spill) } else { broken.append(spill) }
      }
    }
    guard !whole.isEmpty || !broken.isEmpty else { return }
    broken += settle(&whole, doubt)
    guard !broken.isEmpty, broken.count <= Self.brokenMax else { return }
    let hasPointerMaps = doubt.survey.hasPointerMaps
    guard hasPointerMaps || doubt.knowsFreePages else { return }
    let orphans = reassembly.orphans.map(\.page)
    var taken = reassembly.ownedPages
    for page in orphans { taken.insert(page) }
    var others = taken
    for page in whole.lazy.flatMap(\.pages) { others.insert(page) }
    // The pages that a broken chain still leads to are its own or another chain's, and no tail.
    for page in (whole + broken).lazy.flatMap(\.pages) { taken.insert(page) }
    for page in orphans.lazy.flatMap({ reader.overflowPages(of: $0) }) { taken.insert(page) }
    let known = others
    var left = doubt.unproven
    for page in taken.pages { left.remove(page) }
    let end = doubt.survey.mostPagesStated
    // What lies behind the end of a file that was cut off is lost, and no other page's.
    broken.removeAll { image.leadsBehindEnd($0.cell, $0.pages, upTo: end) }
    infer(broken, from: Self.tails(among: left, in: image), image, hasPointerMaps) { spill in
      guard let first = spill.pages.first else { return true }
      return known.contains(first) || doubt.isProven(first)
    }
  }

  /// Decides to which cell a page belongs that several chains have.
  ///
  /// Returns the other cells, and removes them from `whole`.
  private mutating func settle(_ whole: inout [Spill], _ doubt: Doubtful) -> [Spill] {
    var uses: [PageNumber: Int] = [:]
    for page in whole.lazy.flatMap(\.pages) { uses[page, default: 0] += 1 }
    var losers: [Spill] = []
    var kept: [Spill] = []
    for spill in whole {
      if spill.pages.contains(where: doubt.isProven) {
        losers.append(spill)
      } else if spill.pages.allSatisfy({ uses[$0] == 1 }) {
        kept.append(spill)
      } else {
        switch doubt.image.pointerMapConfirms(spill.pages, from: spill.place.page, behind: nil) {
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

  /// Finds where broken chains go on: where there is only one way, and no other chain could go it.
  ///
  /// The ways that fit to the byte are tried first, then all that are left.
  ///
  /// The link in a cell is wrong if it leads nowhere, or to a page that another chain has. A page that
  /// nobody has can be the cell's own, and may itself be what was damaged.
  private mutating func infer(
    _ broken: [Spill], from tails: [Int: [Tail]], _ image: Image, _ hasPointerMaps: Bool,
    isFirstLinkWrong: (Spill) -> Bool
  ) {
    var patience = Self.waysMax
    var open: [(spill: Spill, ways: [Way], fitting: [Way])] = []
    for spill in broken {
      var ways: [Way] = []
      for kept in 0..<min(spill.pages.count + 1, spill.length) {
        for tail in tails[spill.length - kept] ?? [] {
          patience -= 1
          guard patience > 0 else { return }
          let isConfirmed = image.pointerMapConfirms(
            tail.pages, from: spill.place.page,
            behind: kept > 0 ? spill.pages[kept - 1] : nil)
          if isConfirmed ?? !hasPointerMaps { ways.append(Way(kept: kept, tail: tail)) }
        }
      }
      open.append((spill, ways, ways.filter { Self.fits($0.tail, spill, image) }))
    }
    while let (index, way) = Self.unambiguous(open.map(\.fitting))
      ?? Self.unambiguous(open.map(\.ways))
    {
      let spill = open.remove(at: index).spill
      repairs[spill.place] = Repair(
        chain: OverflowChain(pages: Array(spill.pages.prefix(way.kept)) + way.tail.pages),
        isSound: way.kept == 0 && isFirstLinkWrong(spill)
          && !Self.isOfOtherBytes(spill.cell.overflow, way.tail.head, image))
      for other in open.indices {
        open[other].ways.removeAll { $0.tail.head == way.tail.head }
        open[other].fitting.removeAll { $0.tail.head == way.tail.head }
      }
    }
  }

  /// Whether what stands in the place of a link is no number of a page but the end of other bytes, which
  /// were written over the end of the value before it, too.
  ///
  /// The number of a page begins with a zero, in any file that has fewer than 16,777,216, unless a bit
  /// of it has turned. Of 255 again and again, the rest of the sector tells.
  private static func isOfOtherBytes(_ link: UInt32?, _ head: PageNumber?, _ image: Image) -> Bool {
    guard let link, link >> 24 != 0, link != .max, image.pageCount >> 24 == 0 else { return false }
    return head.map { (UInt32(clamping: $0.number) ^ link).nonzeroBitCount > 1 } ?? true
  }

  /// A cell that has one way only, which no other cell has.
  private static func unambiguous(_ ways: [[Way]]) -> (index: Int, way: Way)? {
    var wanted: [PageNumber?: Int] = [:]
    for way in ways.joined() { wanted[way.tail.head, default: 0] += 1 }
    for (index, ways) in ways.enumerated() {
      if let way = ways.first, ways.count == 1, wanted[way.tail.head] == 1 { return (index, way) }
    }
    return nil
  }

  /// Whether the payload ends exactly where the zeros of the last page begin: SQLite clears new pages.
  private static func fits(_ tail: Tail, _ spill: Spill, _ image: Image) -> Bool {
    let capacity = image.geometry.overflowCapacity
    let used = spill.cell.payloadSize - spill.cell.local.count - (spill.length - 1) * capacity
    guard let last = tail.pages.last, let bytes = try? image.bytes(of: last),
      (1...capacity).contains(used), bytes.count >= 4 + capacity
    else { return false }
    return bytes[3 + used] != 0 && bytes[(4 + used)..<(4 + capacity)].allSatisfy { $0 == 0 }
  }

  /// The chains among pages that belong to nobody, by their length.
  ///
  /// Each begins with a page that no other leads to, ends with a link of 0, and has no page that two
  /// others lead to.
  ///
  /// A page of zeros says nothing, and is part of none.
  private static func tails(
    among unclaimed: PageSet, in image: Image
  ) -> [Int: [Tail]] {
    var links: [PageNumber: UInt32] = [:]
    var leading: [PageNumber: Int] = [:]
    for page in unclaimed.pages {
      guard let bytes = try? image.bytes(of: page), !bytes.isZero,
        let link = bytes.big32(at: 0)
      else { continue }
      links[page] = link
      if let next = PageNumber(link) { leading[next, default: 0] += 1 }
    }
    var tails: [Int: [Tail]] = [:]
    for head in links.keys.sorted() where leading[head] == nil {
      var pages = [head]
      var link = links[head] ?? 0
      // Only one page leads to each page that is passed here: no walk meets what another one met.
      while let next = PageNumber(link), leading[next] == 1, let following = links[next] {
        pages.append(next)
        link = following
      }
      if link == 0 { tails[pages.count, default: []].append(Tail(pages: pages)) }
    }
    return tails
  }
}
