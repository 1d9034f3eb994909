// SPDX-License-Identifier: Apache-2.0
// Copies of pages with their numbers, in the log or the journal: a page of the file that is like one of
// them has its number, wherever in the file it lies.
//
//   log   page 7   A B C D             file   … A B x D   …   A B C D at these places is page 7,
//         page 9   E F G H                    … E F G y   …   or was made from it

import SQLiteFormat

/// Pages of which a log or a journal has copies.
struct NumberedCopies {
  /// Sixteen bytes at their place in a page.
  private struct Block: Hashable {
    let offset: Int
    let left: Int64
    let right: Int64
  }

  /// How many pages are compared, at most: few are enough.
  private static let copiesMax = 256
  /// From how many blocks on a page is like a copy, and not by chance.
  private static let blocksMin = 4
  /// From how many such pages on they tell, and how many more than for any other number.
  private static let (pagesMin, lead) = (2, 4)

  /// How many pages a file has, at most, of which each is compared to find out whether any has moved.
  private static let searchMax = 1 << 14

  private let geometry: Geometry
  /// The page of each block, but for those that several pages have.
  private var pages: [Block: PageNumber?] = [:]

  /// The copies in the log and the journal of a file set.
  ///
  /// - Throws: ``ReadFailure`` when a file cannot be read.
  init(_ files: FileSet, _ geometry: Geometry) throws(ReadFailure) {
    self.geometry = geometry
    if let bytes = files.wal, let log = try? WriteAheadLog(bytes), log.pageSize == geometry.pageSize
    {
      try add(log.applied.map { ($0.page, $0.offset) }, in: bytes)
    }
    if let bytes = files.journal,
      let journal = try? RollbackJournal(bytes, databasePageSize: geometry.pageSize),
      journal.pageSize == geometry.pageSize
    {
      try add(journal.allRecords.map { ($0.page, $0.offset) }, in: bytes)
    }
  }

  private mutating func add(
    _ copies: [(page: PageNumber, offset: Int)], in source: any PageSource
  ) throws(ReadFailure) {
    // Page 1 has its place by what it says itself.
    let step = max(1, copies.count / Self.copiesMax)
    for index in stride(from: 0, to: copies.count, by: step) where copies[index].page != .first {
      let (page, offset) = copies[index]
      for block in blocks(of: try source.read(at: offset, count: geometry.pageSize)) {
        if let other = pages[block], other != page {
          pages[block] = .some(nil)
        } else {
          pages[block] = page
        }
      }
    }
  }

  /// The blocks of a page, but for those that repeat themselves, such as nothing but zeros.
  private func blocks(of page: Bytes) -> [Block] {
    stride(from: 0, to: page.count - 15, by: 16).compactMap { offset in
      guard let left = page.signed(at: offset, width: 8),
        let right = page.signed(at: offset + 8, width: 8), left != right
      else { return nil }
      return Block(offset: offset, left: left, right: right)
    }
  }

  /// The number that a page of the file has, and whether it is hardly anything but the copy; nil where
  /// it is like none.
  private func number(of page: Bytes) -> (page: PageNumber, isCopy: Bool)? {
    let blocks = blocks(of: page)
    var alike: [PageNumber: Int] = [:]
    for block in blocks {
      if let page = pages[block] ?? nil { alike[page, default: 0] += 1 }
    }
    guard let most = alike.max(by: { $0.value < $1.value }), most.value >= Self.blocksMin else {
      return nil
    }
    return (most.key, most.value * 2 >= blocks.count)
  }

  /// A page of the file that is like a copy, or hardly anything else.
  struct Place {
    let number: Int
    let position: Int
    let isCopy: Bool
    /// The number of the file's first page, if nothing has moved before this one.
    var firstNumber: Int { number - position }
  }

  /// The pages in some slots of a file that are like copies.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  func places(in source: any PageSource, _ slots: PageSlots) throws(ReadFailure) -> [Place] {
    guard !pages.isEmpty else { return [] }
    var places: [Place] = []
    for position in 0..<min(PageRoll.pageMax, slots.count) {
      if let found = number(of: try slots.read(position, of: source)) {
        places.append(
          Place(number: found.page.number, position: position, isCopy: found.isCopy))
      }
    }
    return places
  }

  /// Whether pages lie elsewhere than where they have to, in a file whose page 1 starts at an offset.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  func tellMoves(of source: any PageSource, from start: Int) throws(ReadFailure) -> Bool {
    let phase = (start % geometry.pageSize + geometry.pageSize) % geometry.pageSize
    let slots = PageSlots(source, geometry.pageSize, phase: phase)
    let plain = (phase - start) / geometry.pageSize + 1
    guard slots.count <= Self.searchMax else { return false }
    let others = try places(in: source, slots).filter { $0.firstNumber != plain }
    return others.count >= Self.pagesMin
  }

  /// The number of the first whole page of a file; nil where nothing tells.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  func firstNumber(in source: any PageSource, phase: Int) throws(ReadFailure) -> Int? {
    let slots = PageSlots(source, geometry.pageSize, phase: phase)
    let ordered = Self.votes(of: try places(in: source, slots))
    guard let best = ordered.first, best.value >= Self.pagesMin,
      ordered.dropFirst().allSatisfy({ $0.value * Self.lead <= best.value })
    else { return nil }
    return best.key
  }

  /// The numbers of the first page for which pages speak, those of most first, each with how many do.
  static func votes(of places: [Place]) -> [(key: Int, value: Int)] {
    Dictionary(places.map { ($0.firstNumber, 1) }, uniquingKeysWith: +)
      .sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
  }
}
