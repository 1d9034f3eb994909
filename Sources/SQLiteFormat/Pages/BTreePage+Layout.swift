// SPDX-License-Identifier: Apache-2.0
// Whether a b-tree page uses its bytes exactly once: the strongest evidence that it is one.

extension BTreePage {
  /// What is wrong with the way the page uses its bytes; empty on a sound page.
  ///
  /// Cells, freeblocks and fragments must tile the cell content area without
  /// overlap and without a gap. File format, section 1.6.
  package var layoutFaults: [FormatError] {
    guard bytes.count >= geometry.usable else {
      return [FormatError(.pageIncomplete, page: number)]
    }
    var faults: [FormatError] = []
    var pieces: [Range<Int>] = []
    pieces.reserveCapacity(cellCount + 4)
    for index in 0..<cellCount {
      do {
        let cell = try cell(index)
        pieces.append(cell.offset..<cell.end)
      } catch {
        faults.append(error)
      }
    }
    guard faults.isEmpty else { return faults }
    guard let blocks = freeblocks else {
      return [FormatError(.listCount, page: number, offset: headerOffset + 1)]
    }
    pieces.append(contentsOf: blocks)
    pieces.sort { $0.lowerBound < $1.lowerBound }

    let misused = FormatError(.cellCutOff, page: number, offset: headerOffset + 5)
    guard contentStart >= pointerArrayEnd, contentStart <= geometry.usable else { return [misused] }
    var cursor = contentStart
    var fragments = 0
    for piece in pieces {
      guard piece.lowerBound >= cursor else {
        return [FormatError(.cellCutOff, page: number, offset: piece.lowerBound)]
      }
      fragments += piece.lowerBound - cursor
      cursor = piece.upperBound
    }
    fragments += geometry.usable - cursor
    return fragments == fragmentedBytes ? [] : [misused]
  }

  /// Whether cells, freeblocks and fragments tile the cell content area: ``layoutFaults`` without
  /// the reason, of cells that are known.
  func isTiled(by cells: [Cell]) -> Bool {
    guard bytes.count >= geometry.usable, contentStart >= pointerArrayEnd,
      contentStart <= geometry.usable, let blocks = freeblocks
    else { return false }
    var isFree = blocks.isEmpty && cells.descend ? nil : FreeBytes(geometry.usable)
    var used = 0
    for cell in cells {
      guard cell.offset >= contentStart, isFree?.take(cell.offset..<cell.end) ?? true else {
        return false
      }
      used += cell.size
    }
    for block in blocks {
      guard isFree?.take(block) ?? true else { return false }
      used += block.count
    }
    return geometry.usable - contentStart - used == fragmentedBytes
  }

  /// The freeblocks of the page; nil when their chain does not ascend inside the page.
  ///
  /// offset 0: next freeblock, 2 bytes; offset 2: size with these four bytes, 2 bytes.
  package var freeblocks: [Range<Int>]? {
    var blocks: [Range<Int>] = []
    var next = firstFreeblock
    var end = contentStart
    while next != 0 {
      guard next >= end, next <= geometry.usable - 4, let size = bytes.big16(at: next + 2),
        size >= 4, size <= geometry.usable - next, let following = bytes.big16(at: next)
      else { return nil }
      blocks.append(next..<(next + size))
      end = next + size
      next = following
    }
    return blocks
  }
}

extension [Cell] {
  /// Whether each cell ends before the one that comes before it in the order of the keys: so lie
  /// those of rows that were appended, for SQLite fills a page from its end.
  fileprivate var descend: Bool {
    var limit = Int.max
    for cell in self {
      guard cell.end <= limit else { return false }
      limit = cell.offset
    }
    return true
  }
}

/// Which bytes of a page nothing has taken yet, a bit for each.
private struct FreeBytes {
  private var taken: [UInt64]

  init(_ count: Int) {
    taken = Array(repeating: 0, count: (count + 63) / 64)
  }

  /// Takes a range of bytes; false when one of them is taken already, or there is no such byte.
  mutating func take(_ range: Range<Int>) -> Bool {
    guard range.lowerBound >= 0, range.upperBound <= taken.count * 64 else { return false }
    var start = range.lowerBound
    while start < range.upperBound {
      let end = Swift.min(range.upperBound, (start | 63) + 1)
      let bits = (UInt64.max >> UInt64(64 - (end - start))) << UInt64(start & 63)
      guard taken[start >> 6] & bits == 0 else { return false }
      taken[start >> 6] |= bits
      start = end
    }
    return true
  }
}
