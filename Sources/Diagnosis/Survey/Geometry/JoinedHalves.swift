// SPDX-License-Identifier: Apache-2.0
// The parts of a file joined again where bytes were put in or left out: the two halves of a page at
// each such place become one page, or the ends of two.

import SQLiteFormat

/// The parts of a file, with the halves in their places between which bytes were put in or left out.
struct JoinedHalves {
  /// The parts.
  private(set) var parts: [RejoinedFile.Part] = []
  /// Where cells start, by page, whose values may be others.
  private(set) var doubtfulCells: [PageNumber: [Int]] = [:]
  /// Pages of overflow chains into which bytes may have been put, or of which some may be missing.
  private(set) var doubtfulPages: Set<PageNumber> = []
  /// The same of pages that are sound as they lie before what was put in.
  private var lastCells: [PageNumber: [Int]] = [:]
  /// Whether the parts are the whole file and only lie in another order.
  private let areOnlyReordered: Bool

  /// Joins what lies at the ends of parts.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init(
    of whole: [RejoinedFile.Part], in source: any PageSource, _ geometry: Geometry
  ) throws(ReadFailure) {
    areOnlyReordered = whole.areOnlyReordered
    for part in whole {
      if let before = parts.last { try join(before, part, in: source, geometry) }
      parts.append(part)
    }
    // Where what was put in always follows a whole page, it lies between pages.
    if lastCells.count == 1 || lastCells.count <= doubtfulCells.count {
      doubtfulCells.merge(lastCells) { $1 }
    }
  }

  private mutating func join(
    _ before: RejoinedFile.Part, _ part: RejoinedFile.Part, in source: any PageSource,
    _ geometry: Geometry
  ) throws(ReadFailure) {
    let pageSize = geometry.pageSize
    guard before.byteCount >= pageSize, part.offset >= pageSize else { return }
    if before.offset + before.byteCount == part.offset {
      // Whole pages were left out: there are no halves, and zeros in the place of what is missing.
      let missing =
        before.place + before.byteCount..<max(before.place + before.byteCount, part.place)
      for place in stride(from: missing.lowerBound, to: missing.upperBound, by: pageSize)
        .prefix(MovedPages.borderMax)
      {
        if let page = PageNumber(place / pageSize + 1) { doubtfulPages.insert(page) }
      }
      return try doubtPages(atEndOf: before, part, in: source, geometry)
    }
    let tail = try source.read(at: part.offset - pageSize, count: pageSize)
    func halves(at start: Int) throws(ReadFailure) -> PageHalves? {
      guard start >= 0, let number = PageNumber((before.place + start) / pageSize + 1) else {
        return nil
      }
      return PageHalves(
        head: try source.read(at: before.offset + start, count: pageSize), tail: tail,
        distance: part.offset - before.offset - start, number: number, geometry: geometry)
    }
    var start = before.byteCount - pageSize
    guard var joined = try halves(at: start) else { return }
    // What begins like no page, behind a page that is not whole, is the end of another one.
    if !joined.isPage, let earlier = try halves(at: start - pageSize) {
      if earlier.isTorn {
        (joined, start) = (earlier, start - pageSize)
      } else if let last = earlier.lastOfWholePage, before.place + start + pageSize == part.place {
        // What is missing can be in the last cell of the page before: it goes on with the next page.
        let missing = pageSize - (part.offset - before.offset - start)
        let link = try source.read(at: before.offset + start, count: 4).big32(at: 0) ?? 0
        if missing > 0, link > source.byteCount / pageSize + 16 {
          doubtfulCells[earlier.number] = [last]
        }
        if missing > 0, let next = try halves(at: start - missing), next.lastOfWholePage != nil {
          doubtfulCells[earlier.number] = [last]
          parts[parts.count - 1] = .init(
            place: before.place, offset: before.offset, byteCount: start - missing)
          parts.append(
            .init(
              place: before.place + start, offset: before.offset + start - missing,
              byteCount: pageSize))
          return
        }
      }
    }
    if !joined.isPage { try doubtPages(atEndOf: before, part, in: source, geometry) }
    let isOnePage = before.place + start + pageSize == part.place
    guard let border = isOnePage ? joined.borderInPage : joined.borderBetweenPages else { return }
    if border.headCount == pageSize, border.tailCount == 0 {
      lastCells[joined.number] = border.doubtful
      return
    }
    doubtfulCells[joined.number] = border.doubtful
    parts[parts.count - 1] = .init(
      place: before.place, offset: before.offset, byteCount: start + border.headCount)
    guard border.tailCount > 0 else { return }
    parts.append(
      .init(
        place: part.place - border.tailCount, offset: part.offset - border.tailCount,
        byteCount: border.tailCount))
  }

  /// Notes the pages of overflow chains at the end of a part into which bytes may have been put, or of
  /// which some may be missing.
  ///
  /// That is the last one, and the one before a page that could as well lie as those behind do.
  private mutating func doubtPages(
    atEndOf before: RejoinedFile.Part, _ part: RejoinedFile.Part, in source: any PageSource,
    _ geometry: Geometry
  ) throws(ReadFailure) {
    let pageSize = geometry.pageSize
    let pageMax = source.byteCount / pageSize + 16
    let shift = (part.offset - part.place) - (before.offset - before.place)
    var start = (before.byteCount - 1) / pageSize * pageSize
    // Where as much was put in as some pages have, each page speaks for its own place.
    let isOfWholePages = shift % pageSize == 0
    if isOfWholePages {
      if areOnlyReordered { return }
      let end = before.offset + before.byteCount
      func isSame(_ side: Int) throws(ReadFailure) -> Bool {
        try source.read(at: max(0, end + side), count: pageSize)
          == source.read(at: max(0, part.offset + side), count: pageSize)
      }
      // Pages that stand there twice are whole, and so are those beside them.
      var areCopies = try isSame(0)
      if !areCopies { areCopies = try isSame(-pageSize) }
      if end < part.offset, areCopies { return }
      let parts = (before, part)
      return try doubtPages(around: parts, by: shift, pageMax, in: source, geometry)
    }
    while start >= 0, let number = PageNumber((before.place + start) / pageSize + 1) {
      let offset = before.offset + start
      guard !geometry.hasTree(try source.read(at: offset, count: pageSize), at: 0) else { return }
      doubtfulPages.insert(number)
      let other = try source.read(at: max(0, offset + shift), count: 4).big32(at: 0)
      guard let other, other <= pageMax else { return }
      start -= pageSize
    }
  }
}

extension JoinedHalves {
  /// Notes the pages of overflow chains on both sides of a place at which whole pages were put in or left
  /// out: the last one, the first one, and those beside them that could as well lie as those on the other
  /// side do.
  private mutating func doubtPages(
    around parts: (before: RejoinedFile.Part, after: RejoinedFile.Part), by shift: Int,
    _ pageMax: Int, in source: any PageSource, _ geometry: Geometry
  ) throws(ReadFailure) {
    let pageSize = geometry.pageSize
    func doubt(from start: Int, step: Int, in part: RejoinedFile.Part) throws(ReadFailure) {
      var start = start
      while start >= 0, start < part.byteCount,
        let number = PageNumber((part.place + start) / pageSize + 1)
      {
        let page = try source.read(at: part.offset + start, count: pageSize)
        guard !geometry.hasTree(page, at: 0) else { return }
        doubtfulPages.insert(number)
        let offset = part.offset + start - step * shift
        guard offset >= 0, offset < source.byteCount else { return }
        let other = try source.read(at: offset, count: pageSize)
        guard !geometry.hasTree(other, at: 0), let link = page.big32(at: 0),
          let otherLink = other.big32(at: 0), otherLink <= pageMax, otherLink != number.number,
          (link == 0) == (otherLink == 0)
        else { return }
        start += step * pageSize
      }
    }
    let last = (parts.before.byteCount - 1) / pageSize * pageSize
    try doubt(from: last, step: -1, in: parts.before)
    try doubt(from: 0, step: 1, in: parts.after)
  }
}

extension [RejoinedFile.Part] {
  /// Whether between the parts nothing is missing, and nothing lies that is in none of them.
  fileprivate var areOnlyReordered: Bool {
    func isWithoutGaps(_ start: (RejoinedFile.Part) -> Int) -> Bool {
      let sorted = self.sorted { start($0) < start($1) }
      return zip(sorted, sorted.dropFirst()).allSatisfy { start($0) + $0.byteCount == start($1) }
    }
    return isWithoutGaps(\.place) && isWithoutGaps(\.offset)
  }
}
