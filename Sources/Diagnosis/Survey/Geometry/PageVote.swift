// SPDX-License-Identifier: Apache-2.0
// Which page size, reserved bytes and alignment the bytes of a file speak for.
//
// A b-tree page uses each of its bytes exactly once: header, cell pointers, free space, cells,
// freeblocks and fragments add up to its usable size. So a page says itself how large it is,
// wherever in the file it starts.

import SQLiteFormat

/// A vote of the pages of a file about how it is cut.
struct PageVote {
  /// What a page votes for.
  struct Ballot: Hashable {
    /// The geometry.
    let geometry: Geometry
    /// Where the first whole page of the file starts.
    let phase: Int
  }

  /// How many runs of bytes are looked at, at most, spread over the file.
  private static let runMax = 64
  /// The length of a run: four pages of the largest size.
  private static let runSize = 4 << 16
  /// How many pages with values that may spill are tried under every geometry, at most.
  private static let patienceMax = 48
  /// How many geometries of other pages they are tried under, at most.
  private static let knownMax = 16

  /// The bytes of the pages that voted for each ballot, most first.
  private let results: [Result]
  /// The ballot that dominates; nil when there is none.
  ///
  /// It has four times the pages of any other or, where none has, twice the bytes: chance makes
  /// single pages, large ones as well as small ones. Else the pages of overflow chains tell.
  private(set) var winner: Ballot?

  /// What the pages voted for, and the bytes of those that did.
  private typealias Result = (ballot: Ballot, bytes: Int)

  /// The ballot with four times the pages of any other or, where none has, twice the bytes.
  private static func dominant(of results: [Result]) -> Ballot? {
    dominant(of: results, by: 4) { $0.bytes / $0.ballot.geometry.pageSize }
      ?? dominant(of: results, by: 2, \.bytes)
  }

  /// The ballot that has so many times as much as any other.
  private static func dominant(
    of results: [Result], by factor: Int, _ size: (Result) -> Int
  ) -> Ballot? {
    let ordered = results.sorted { size($0) > size($1) }
    guard let best = ordered.first else { return nil }
    return ordered.count > 1 && size(ordered[1]) * factor > size(best) ? nil : best.ballot
  }

  /// The bytes of the pages that voted for the first of the ballots.
  var weight: Int { results.first?.bytes ?? 0 }

  /// The geometries that were voted for, best first; those with less than a tenth are left out.
  var candidates: [Geometry] {
    var seen: [Geometry] = []
    for result in results where result.bytes * 10 >= results[0].bytes {
      if !seen.contains(result.ballot.geometry) { seen.append(result.ballot.geometry) }
    }
    return Array(seen.prefix(8))
  }

  /// Whether what lies at an offset can be the header of a page other than the first.
  static func mayStartPage(_ bytes: Bytes, at offset: Int) -> Bool {
    Candidate(bytes, at: offset, base: offset) != nil
  }

  /// Holds the vote over a file, whose header may state reserved bytes.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init(_ source: any PageSource, reserved: Int) throws(ReadFailure) {
    results = try Self.results(source, nil, reserved: reserved)
    winner = Self.dominant(of: results)
    // Two pages can look like one with reserved bytes: a leaf, and behind it the rest of its last row. No
    // larger page looks like a smaller one: its cells lie behind the end of that.
    if winner?.geometry.reserved != reserved {
      let known = candidates.prefix(4)
      let halves = known.compactMap { Geometry(pageSize: $0.pageSize / 2, reserved: reserved) }
      for geometry in Set(known + halves).sorted(by: { $0.pageSize < $1.pageSize }) {
        let ballot = Self.dominant(of: try Self.results(source, geometry, reserved: reserved))
        guard let ballot, ballot.geometry == geometry else { continue }
        winner = ballot
        break
      }
    }
    if winner == nil, !results.isEmpty { winner = try borneOutByChains(source) }
  }

  /// The bytes of the pages that vote for each ballot, most first; each page that can be one of the
  /// `preferred` geometry is.
  private static func results(
    _ source: any PageSource, _ preferred: Geometry?, reserved: Int
  ) throws(ReadFailure) -> [Result] {
    var votes: [Ballot: Int] = [:]
    var known: [Geometry] = []
    var patience = Self.patienceMax
    try Self.forEachRun(of: source) { bytes, offset in
      var cursor = 0
      while cursor + 8 <= bytes.count {
        guard
          let page = Self.page(
            in: bytes, at: cursor, preferred, known, reserved: reserved, &patience)
        else {
          cursor += 1
          continue
        }
        if known.count < Self.knownMax, !known.contains(page.geometry) {
          known.append(page.geometry)
        }
        let phase = (offset + page.base) % page.geometry.pageSize
        votes[Ballot(geometry: page.geometry, phase: phase), default: 0] += page.geometry.pageSize
        cursor = page.base + page.geometry.pageSize
      }
    }
    return votes.map { (ballot: $0.key, bytes: $0.value) }.sorted { left, right in
      if left.bytes != right.bytes { return left.bytes > right.bytes }
      let (a, b) = (left.ballot, right.ballot)
      return (a.geometry.pageSize, a.geometry.reserved, a.phase)
        < (b.geometry.pageSize, b.geometry.reserved, b.phase)
    }
  }

  /// Reads runs of bytes that are spread over a file.
  private static func forEachRun(
    of source: any PageSource, _ body: (_ bytes: Bytes, _ offset: Int) -> Void
  ) throws(ReadFailure) {
    let runs = min(Self.runMax, (source.byteCount + Self.runSize - 1) / Self.runSize)
    let last = max(0, source.byteCount - Self.runSize)
    var seen = 0
    for run in 0..<runs {
      var offset = runs > 1 ? last / (runs - 1) * run : 0
      // A hole says nothing: the bytes behind it do, once.
      guard let data = source.dataRange(from: offset) else { break }
      if data.lowerBound >= offset + Self.runSize {
        offset = data.lowerBound
        guard offset >= seen else { continue }
        seen = offset + Self.runSize
      }
      body(try source.read(at: offset, count: Self.runSize), offset)
    }
  }

  /// The ballot whose pages follow one another in overflow chains, and those of no other size do.
  ///
  /// A long value is mostly written to pages side by side, each of which begins with the number of the
  /// next one (file format, section 1.6): one more than on the page before.
  private func borneOutByChains(_ source: any PageSource) throws(ReadFailure) -> Ballot? {
    var chained: [Cut: Int] = [:]
    let cuts = Set(
      results.map { Cut(pageSize: $0.ballot.geometry.pageSize, phase: $0.ballot.phase) })
    try Self.forEachRun(of: source) { bytes, offset in
      for cut in cuts {
        var previous: UInt32?
        let first = (cut.phase - offset % cut.pageSize + cut.pageSize) % cut.pageSize
        for start in stride(from: first, to: bytes.count - 3, by: cut.pageSize) {
          guard let next = bytes.big32(at: start) else { break }
          if next > 1, next - 1 == previous { chained[cut, default: 0] += 1 }
          previous = next
        }
      }
    }
    let ordered = chained.sorted { $0.value > $1.value }
    guard let (cut, count) = ordered.first, count >= Self.chainedMin,
      ordered.dropFirst().allSatisfy({ $0.value * 4 <= count })
    else { return nil }
    let fitting = results.filter {
      $0.ballot.geometry.pageSize == cut.pageSize && $0.ballot.phase == cut.phase
    }
    return fitting.count == 1 || fitting[0].bytes >= 2 * fitting[1].bytes ? fitting[0].ballot : nil
  }

  /// How a file is cut into pages.
  private struct Cut: Hashable {
    let pageSize: Int
    let phase: Int
  }

  /// How many pages have to follow one another in chains to tell anything.
  private static let chainedMin = 8

  /// The page whose header lies at an offset, where there is one; page 1 starts earlier.
  private static func page(
    in bytes: Bytes, at offset: Int, _ preferred: Geometry?, _ known: [Geometry], reserved: Int,
    _ patience: inout Int
  ) -> (base: Int, geometry: Geometry)? {
    guard BTreePage.Kind(rawValue: bytes[offset]) != nil else { return nil }
    for base in [offset, offset - DatabaseHeader.byteCount] where base >= 0 {
      if let candidate = Candidate(bytes, at: offset, base: base),
        let geometry = candidate.geometry(
          in: bytes, preferred, known, reserved: reserved, &patience)
      {
        return (base, geometry)
      }
    }
    return nil
  }
}

/// Bytes that may be the header of a b-tree page.
private struct Candidate {
  let kind: BTreePage.Kind
  /// Where the page starts: the header is 100 bytes later on page 1.
  let base: Int
  let headerAt: Int
  let cellCount: Int
  let contentStart: Int
  let fragmentedBytes: Int
  let firstFreeblock: Int

  /// Where the cell pointers start, from the start of the page.
  private var pointers: Int { headerAt - base + (kind.isLeaf ? 8 : 12) }

  init?(_ bytes: Bytes, at offset: Int, base: Int) {
    guard offset + 7 < bytes.count, let kind = BTreePage.Kind(rawValue: bytes[offset]),
      let count = bytes.big16(at: offset + 3), count > 0,
      let content = bytes.big16(at: offset + 5), let free = bytes.big16(at: offset + 1),
      bytes[offset + 7] <= 60
    else { return nil }
    let start = content == 0 ? 65536 : content
    guard start >= offset - base + 8 + 2 * count, free == 0 || free >= start,
      let first = bytes.big16(at: offset + (kind.isLeaf ? 8 : 12)), first >= start
    else { return nil }
    self.kind = kind
    self.base = base
    headerAt = offset
    cellCount = count
    contentStart = start
    fragmentedBytes = Int(bytes[offset + 7])
    firstFreeblock = free
  }

  /// The geometry in which this is a page that uses each of its bytes once.
  ///
  /// Values that spill take more room the larger a page is: then those that other pages have are
  /// tried, and all others as long as there is `patience`.
  func geometry(
    in bytes: Bytes, _ preferred: Geometry?, _ known: [Geometry], reserved: Int,
    _ patience: inout Int
  ) -> Geometry? {
    guard let cells = cells(in: bytes), let free = freeBytes(in: bytes) else { return nil }
    let rest = contentStart + free + fragmentedBytes
    if let preferred, fits(cells, rest, preferred), isPage(bytes, preferred) { return preferred }
    let whole = rest + cells.sizes.reduce(0) { $0 + max(4, $1.head + $1.payload) }
    if let geometry = Self.geometry(usable: whole), fits(cells, rest, geometry),
      isPage(bytes, geometry)
    {
      return geometry
    }
    if let geometry = known.first(where: { fits(cells, rest, $0) && isPage(bytes, $0) }) {
      return geometry
    }
    guard patience > 0, cells.sizes.contains(where: { $0.payload > 100 }) else { return nil }
    patience -= 1
    for pageSize in Geometry.pageSizes where pageSize > cells.lastStart {
      for reserve in [reserved] + Array(0...255) {
        if let geometry = Geometry(pageSize: pageSize, reserved: reserve),
          fits(cells, rest, geometry), isPage(bytes, geometry)
        {
          return geometry
        }
      }
    }
    return nil
  }

  private struct Cells {
    /// The bytes before each cell's payload, and of all of its payload.
    var sizes: [(head: Int, payload: Int)] = []
    var lastStart = 0
  }

  private func cells(in bytes: Bytes) -> Cells? {
    var cells = Cells()
    cells.sizes.reserveCapacity(cellCount)
    for index in 0..<cellCount {
      guard let start = bytes.big16(at: base + pointers + 2 * index), start >= contentStart else {
        return nil
      }
      var cursor = base + start + (kind.isLeaf ? 0 : 4)
      var payload = 0
      if kind != .tableInterior {
        guard let (size, length) = bytes.varint(at: cursor, limit: bytes.count),
          size <= 0x7FFF_FFFF
        else { return nil }
        payload = Int(size)
        cursor += length
      }
      if kind.isTable {
        guard let (_, length) = bytes.varint(at: cursor, limit: bytes.count) else { return nil }
        cursor += length
      }
      cells.sizes.append((cursor - base - start, payload))
      cells.lastStart = max(cells.lastStart, start)
    }
    return cells
  }

  private func freeBytes(in bytes: Bytes) -> Int? {
    var total = 0
    var end = contentStart
    var next = firstFreeblock
    while next != 0 {
      guard next >= end, let size = bytes.big16(at: base + next + 2), size >= 4,
        let following = bytes.big16(at: base + next)
      else { return nil }
      total += size
      end = next + size
      next = following
    }
    return total
  }

  private func fits(_ cells: Cells, _ rest: Int, _ geometry: Geometry) -> Bool {
    let isLeaf = kind == .tableLeaf
    let used = cells.sizes.reduce(rest) { sum, cell in
      let local = geometry.localPayload(total: cell.payload, tableLeaf: isLeaf)
      return sum + max(4, cell.head + local + (local < cell.payload ? 4 : 0))
    }
    return used == geometry.usable
  }

  /// Whether the bytes are a whole page of this geometry, the first of whose records holds.
  private func isPage(_ bytes: Bytes, _ geometry: Geometry) -> Bool {
    let number = headerAt > base ? PageNumber.first : PageNumber(2) ?? .first
    guard base + geometry.pageSize <= bytes.count,
      let page = try? BTreePage(
        bytes.slice(base..<(base + geometry.pageSize)), number: number, geometry: geometry),
      page.layoutFaults.isEmpty, let cell = try? page.cell(0)
    else { return false }
    if !kind.isLeaf, cell.leftChild == 0 || page.rightChild == nil { return false }
    if kind == .tableInterior || cell.overflow != nil { return true }
    return (try? Record(page.bytes, in: cell.local)) != nil
  }

  private static func geometry(usable: Int) -> Geometry? {
    guard let pageSize = Geometry.pageSizes.first(where: { $0 >= usable }) else { return nil }
    return Geometry(pageSize: pageSize, reserved: pageSize - usable)
  }
}
