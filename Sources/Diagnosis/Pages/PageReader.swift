// SPDX-License-Identifier: Apache-2.0
// Pages and their rows as they are looked at again and again.

import SQLiteFormat

/// Reads the pages of an image, with as much patience as its size deserves.
final class PageReader {
  /// The image.
  let image: Image
  private let memory: PageMemory?
  /// How many more overflow pages are read: in a hostile file, every cell may lead into the same
  /// long chain.
  private var patience: Int
  /// The page whose rows were asked for last, and those: who asks for them asks several things of them.
  private var latest: (question: PageMemory.Question, rows: [StoredRecord])?

  /// A reader; without a memory, it is for who reads no page twice.
  init(_ image: Image, _ memory: PageMemory? = nil) {
    self.image = image
    self.memory = memory
    patience = 16 * image.pageCount
  }

  /// A reader with the same memory, and with all of its patience.
  var rested: PageReader { PageReader(image, memory) }

  /// Reads a page as one of a table with rowids, or of an index; nil when nothing of such a page
  /// can be read.
  func reading(of page: PageNumber, isTable: Bool) -> PageReading? {
    reading(
      PageMemory.Question(page: page, isTable: isTable),
      as: isTable ? [.tableLeaf, .tableInterior] : [.indexLeaf, .indexInterior])
  }

  /// Whether a page for whose kind nothing else speaks is worth being taken apart.
  func mayBeTreePage(_ page: PageNumber) -> Bool {
    (try? image.bytes(of: page)).map { image.mayBeTreePage($0) } ?? false
  }

  /// Reads a page as whatever it is; nil when it is none of a tree.
  func reading(of page: PageNumber) -> PageReading? {
    guard mayBeTreePage(page) else { return nil }
    return reading(
      PageMemory.Question(page: page, isTable: nil), as: BTreePage.Kind.allCases)
  }

  private func reading(
    _ question: PageMemory.Question, as kinds: [BTreePage.Kind]
  ) -> PageReading? {
    if let answer = memory?.answer(to: question) { return answer }
    let reading = try? image.reading(of: question.page, as: kinds)
    memory?.keep(reading, for: question)
    return reading
  }

  /// What was read of a damaged page, where that is kept.
  func damagedReading(of page: PageNumber, isTable: Bool) -> PageReading? {
    memory?.reading(of: page, isTable: isTable)
  }

  /// Those of some pages that can be read as whatever they are, in order.
  func readable(among pages: PageSet, besides others: PageSet) -> [PageNumber] {
    let candidates = pages.pages.filter { !others.contains($0) }
    let size = 256
    let image = image
    // Most overflow pages, and all sound pages of trees, are told by a look.
    let looked = Cores.map((candidates.count + size - 1) / size) { part in
      candidates[(part * size)..<Swift.min(candidates.count, (part + 1) * size)]
        .map { number -> Bool? in
          guard let bytes = try? image.bytes(of: number), image.mayBeTreePage(bytes)
          else { return false }
          let page = try? BTreePage(bytes, number: number, geometry: image.geometry)
          return page?.soundCells != nil ? true : nil
        }
    }
    return zip(candidates, looked.joined()).filter { page, isReadable in
      isReadable ?? (reading(of: page) != nil)
    }.map(\.0)
  }

  /// The rows in the page's own cells, in their order; where it has none, those that its pointers
  /// list; else the doubtful ones.
  func rows(on page: PageNumber, isTable: Bool) -> [StoredRecord] {
    let question = PageMemory.Question(page: page, isTable: isTable)
    if let latest, latest.question == question { return latest.rows }
    let rows = readRows(on: page, isTable: isTable)
    latest = (question, rows)
    return rows
  }

  private func readRows(on page: PageNumber, isTable: Bool) -> [StoredRecord] {
    guard let reading = reading(of: page, isTable: isTable), reading.page.kind != .tableInterior
    else { return [] }
    let content = reading.content
    let cells = [content.cells, content.listed, content.doubtful].first { !$0.isEmpty } ?? []
    return cells.compactMap { cell in
      record(of: cell, on: reading.page).map { StoredRecord($0, of: cell, on: reading.page) }
    }
  }

  /// The overflow chain of a cell; nil where it is broken.
  func chain(of cell: Cell, on page: PageNumber) -> OverflowChain? {
    hasPatience(for: cell) ? try? image.overflowChain(of: cell, on: page) : nil
  }

  /// The overflow pages of the rows of a page, as far as a chain has so many; of a broken one, where
  /// it is wished, those whose links lead on.
  func overflowPages(
    of page: PageNumber, inChainsOf countMin: Int = 1, orBroken: Bool = false
  ) -> [PageNumber] {
    guard let reading = reading(of: page) else { return [] }
    return (reading.content.cells + reading.content.doubtful).flatMap { cell in
      if let chain = chain(of: cell, on: page) {
        return chain.pages.count >= countMin ? chain.pages : []
      }
      return orBroken && patience > 0 ? image.reachedPages(of: cell, on: page).dropLast() : []
    }
  }

  /// Those of some pages that hold the values of rows on other ones, whatever they look like.
  ///
  /// A page that shows that it is one of a tree leads to no page that there can be: it is in no
  /// whole overflow chain. Candidates that show that hold values elsewhere, too, where a chain has
  /// several pages: what leads to one page alone may be a row of an earlier time, and zeros at its
  /// beginning are no link.
  func spilled(
    of pages: PageSet, among candidates: [PageNumber], orBroken: Bool = false
  ) -> PageSet {
    let showing = candidates.map { [image] page in
      (try? image.bytes(of: page)).flatMap(\.first).flatMap(BTreePage.Kind.init) != nil
    }
    let headless = PageSet(zip(candidates, showing).lazy.filter { !$0.1 }.map(\.0))
    guard !headless.isEmpty else { return PageSet() }
    let reader = rested
    let found =
      pages.pages.flatMap { reader.overflowPages(of: $0, orBroken: orBroken) }
      + zip(candidates, showing).filter(\.1)
      .flatMap { reader.overflowPages(of: $0.0, inChainsOf: 2) }
    return PageSet(found.lazy.filter { headless.contains($0) })
  }

  /// The record of a cell; nil where it does not hold.
  func record(of cell: Cell, on page: BTreePage) -> Record? {
    hasPatience(for: cell) ? try? image.record(of: cell, on: page).record : nil
  }

  private func hasPatience(for cell: Cell) -> Bool {
    patience -= image.pagesToFollow(for: cell)
    return cell.overflow == nil || patience > 0
  }
}

extension PageReading {
  /// The pages that an interior page names; none for a leaf.
  var children: [PageNumber] { page.children(of: content.cells).compactMap(\.self) }
}

extension Image {
  /// Whether a page for whose kind nothing else speaks is worth being taken apart: it says itself
  /// that it is a page of a tree, its cell pointers do, or its header was overwritten.
  ///
  /// A page in an overflow chain and a trunk of the free list begin with the number of the next one.
  /// File format, sections 1.5 and 1.6.
  fileprivate func mayBeTreePage(_ bytes: Bytes) -> Bool {
    guard let first = bytes.first, let next = bytes.big32(at: 0) else { return false }
    if BTreePage.Kind(rawValue: first) != nil || next > pageCount { return true }
    if bytes.prefix(8).allSatisfy({ $0 == 0 }) { return bytes.contains { $0 != 0 } }
    return [8, 12].contains { header in
      let count = Swift.min(bytes.big16(at: 3) ?? 0, (geometry.usable - header) / 2)
      guard count > 0 else { return false }
      let places = header + 2 * count...max(header + 2 * count, geometry.usable - 4)
      // Three of four lead into the page, and as many to places of their own.
      var misses = 0
      for index in 0..<count where !places.contains(bytes.big16(at: header + 2 * index) ?? 0) {
        misses += 1
        if misses * 4 > count { return false }
      }
      let pointers = (0..<count).map { bytes.big16(at: header + 2 * $0) ?? 0 }
      return Set(pointers).count * 4 >= count * 3
    }
  }
}
