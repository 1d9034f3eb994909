// SPDX-License-Identifier: Apache-2.0
// Where in a file its pages lie, in the order in which they lie there: one behind the other, unless
// bytes were put in or left out between them.

import SQLiteFormat

/// Where in a file its pages lie.
struct PageSlots {
  /// Pages that lie one behind the other.
  private struct Stretch {
    /// The position of the first of them among all.
    let first: Int
    /// Where it lies.
    let offset: Int
  }

  /// How many bytes that are no page of a tree are searched for one that lies askew, at most.
  private static let searchMax = 32 << 20
  /// How many places where bytes are missing or were put in are looked for, at most.
  private static let stretchMax = 4096
  /// How many bytes less than a page behind an offset are tried as the start of one, at most.
  private static let triesMax = 256

  /// How long a page is.
  let pageSize: Int
  private var stretches: [Stretch]
  /// How many there are; the last one may be cut off.
  private(set) var count: Int

  /// The pages from an offset to the end of a file, one behind the other.
  init(_ source: any PageSource, _ pageSize: Int, phase: Int) {
    self.pageSize = pageSize
    stretches = [Stretch(first: 0, offset: phase)]
    count = max(0, source.byteCount - phase) / pageSize
  }

  /// The same, where bytes may be missing or have been put in: pages are looked for at any offset.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init(
    searching source: any PageSource, _ geometry: Geometry, phase: Int
  ) throws(ReadFailure) {
    pageSize = geometry.pageSize
    stretches = [Stretch(first: 0, offset: phase)]
    count = 0
    var patience = Self.searchMax
    var offset = phase
    // Up to here, pages lie as those before them do.
    var settled = phase + pageSize
    while offset < source.byteCount {
      // What is less than a sector at the end and does not begin like a page is none.
      if source.byteCount - offset < 512,
        !PageVote.mayStartPage(try source.read(at: offset, count: 512), at: 0)
      {
        break
      }
      count += 1
      guard patience > 0, stretches.count < Self.stretchMax else {
        count += (source.byteCount - offset - 1) / pageSize
        break
      }
      let bytes = try source.read(at: offset, count: 2 * pageSize)
      let page = bytes.prefix(pageSize)
      let isTree = geometry.hasTree(bytes, at: 0)
      if isTree || page.allSatisfy({ $0 == 0 }) || geometry.hasTree(bytes, at: pageSize) {
        offset += pageSize
        if isTree { settled = offset }
        continue
      }
      patience -= pageSize
      if let next = try Self.placeAskew(in: source, geometry, from: offset) {
        let before = try Self.pages(before: next, downTo: settled, in: source, geometry)
        let short = (next - offset, offset - before * pageSize)
        count -= before
        // What is short and does not begin like a page was put in between two.
        if short.0 < pageSize / 2,
          !PageVote.mayStartPage(try source.read(at: short.1, count: 512), at: 0)
        {
          count -= 1
        }
        stretches.append(Stretch(first: count, offset: next - before * pageSize))
        count += before
        (offset, settled) = (next, next)
      } else {
        offset += pageSize
      }
    }
  }

  /// How many of the pages between two places lie as the page at the second one does, and not as
  /// those before the first one: overflow pages tell by the number of the next one.
  private static func pages(
    before next: Int, downTo settled: Int, in source: any PageSource, _ geometry: Geometry
  ) throws(ReadFailure) -> Int {
    let pageSize = geometry.pageSize
    let pageMax = source.byteCount / pageSize + 16
    func weight(at offset: Int) throws(ReadFailure) -> Int {
      let bytes = try source.read(at: offset, count: pageSize)
      // The last page of a chain begins like many others.
      guard let number = bytes.big32(at: 0), number > 0 else { return 0 }
      return Int(number) <= pageMax || geometry.treePage(bytes) != nil ? 1 : -1
    }
    let most = max(0, next - settled) / pageSize
    // What speaks for each number of pages: more than for none of them.
    var (best, weightBest, sum) = (0, 0, 0)
    for count in stride(from: 1, through: most, by: 1) {
      sum += try weight(at: next - count * pageSize)
      sum -= try weight(at: settled + (most - count) * pageSize)
      if sum > weightBest { (best, weightBest) = (count, sum) }
    }
    return best
  }

  /// Where the next page of a tree lies, less than a page behind an offset, where others follow it
  /// as if pages lay there; nil where none does, or one lies at the offset.
  static func placeAskew(
    in source: any PageSource, _ geometry: Geometry, from offset: Int
  ) throws(ReadFailure) -> Int? {
    let pageSize = geometry.pageSize
    let bytes = try source.read(at: offset, count: 2 * pageSize)
    guard !geometry.hasTree(bytes, at: 0), !geometry.hasTree(bytes, at: pageSize),
      let next = (1..<pageSize).lazy.filter({ PageVote.mayStartPage(bytes, at: $0) })
        .prefix(triesMax).first(where: { geometry.hasTree(bytes, at: $0) }),
      try goesOn(source, geometry, from: offset + next + pageSize)
    else { return nil }
    return offset + next
  }

  /// Whether the pages behind one that lies askew lie like it; of the last one, whether it has rows.
  private static func goesOn(
    _ source: any PageSource, _ geometry: Geometry, from offset: Int
  ) throws(ReadFailure) -> Bool {
    let pageSize = geometry.pageSize
    guard offset + pageSize <= source.byteCount else {
      return try source.read(at: offset - pageSize + 3, count: 2).big16(at: 0) ?? 0 > 0
    }
    let bytes = try source.read(at: offset, count: 8 * pageSize)
    return (0..<8).contains { geometry.hasTree(bytes, at: $0 * pageSize) }
  }

  /// The positions of the first pages behind the places where bytes were put in or left out.
  var breaks: Set<Int> { Set(stretches.dropFirst().map(\.first)) }

  /// Whether all lie one behind the other.
  var isPlain: Bool { stretches.count == 1 }

  /// Where the page at a position lies.
  func offset(of position: Int) -> Int {
    let stretch = stretches[max(0, stretches.partitioningIndex { $0.first > position } - 1)]
    return stretch.offset + (position - stretch.first) * pageSize
  }

  /// How many of the pages from a position on, up to a number of them, lie one behind the other.
  func run(from position: Int, upTo most: Int) -> Int {
    let next = stretches.partitioningIndex { $0.first > position }
    return min(most, (next < stretches.count ? stretches[next].first : count) - position)
  }
}

extension Geometry {
  /// Bytes as a page of a tree, but the first one; nil where they do not begin like one.
  fileprivate func treePage(_ bytes: Bytes) -> BTreePage? {
    PageNumber(2).flatMap { try? BTreePage(bytes, number: $0, geometry: self) }
  }

  /// Whether a page of a tree that uses each of its bytes once lies at an offset.
  func hasTree(_ bytes: Bytes, at offset: Int) -> Bool {
    guard offset + pageSize <= bytes.count, PageVote.mayStartPage(bytes, at: offset),
      let page = treePage(bytes.slice(offset..<(offset + pageSize)))
    else { return false }
    return page.layoutFaults.isEmpty
  }
}
