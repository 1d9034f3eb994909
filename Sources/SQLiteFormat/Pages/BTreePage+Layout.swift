// SPDX-License-Identifier: Apache-2.0
// Whether a b-tree page uses its bytes exactly once: the strongest evidence that it is one.

extension BTreePage {
  /// What is wrong with the way the page uses its bytes; empty on a sound page.
  ///
  /// Cells, freeblocks and fragments must tile the cell content area without
  /// overlap and without a gap. File format, section 1.6.
  public var layoutFaults: [FormatError] {
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

  /// The freeblocks of the page; nil when their chain does not ascend inside the page.
  ///
  /// offset 0: next freeblock, 2 bytes; offset 2: size with these four bytes, 2 bytes.
  public var freeblocks: [Range<Int>]? {
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
