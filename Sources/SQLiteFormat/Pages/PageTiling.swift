// SPDX-License-Identifier: Apache-2.0
// Which cells fill a range of a page best: a tiling with as few unexplained bytes as possible.

/// Cells that lie one behind the other, with the gaps between them.
struct PageTiling {
  /// A cell that can lie at a place.
  struct Candidate {
    /// The cell.
    let cell: Cell
    /// Whether a pointer leads to it.
    let isPointed: Bool
  }

  /// The cells, in the order in which they lie.
  let cells: [Cell]
  /// What neither cells nor freeblocks account for.
  let gaps: [Range<Int>]
  /// The freeblocks that were not known.
  let stated: [Range<Int>]

  /// The bytes that neither cells nor freeblocks account for.
  var unexplained: Int { gaps.reduce(0) { $0 + $1.count } }

  fileprivate init(cells: [Cell], gaps: [Range<Int>], stated: [Range<Int>]) {
    (self.cells, self.gaps, self.stated) = (cells, gaps, stated)
  }
}

/// The best tilings of a range of a page, one from each of its bytes on.
struct PageTilings {
  /// What a byte that nothing explains costs; where it is zero, it was never written or is wiped,
  /// and nothing needs to explain it.
  private static let gapCost = 1 << 16
  private static let zeroCost = 1 << 11
  /// What a cell costs: it explains its bytes, the better when a pointer leads to it.
  private static let cellCost = 1
  private static let pointedCost = -4 * gapCost
  /// What a freeblock costs of which only its own bytes tell: less than the few bytes that are left
  /// unexplained where cells are looked for in it, and far more than the cells that it may hide.
  private static let statedCost = 3 * gapCost

  private let range: Range<Int>
  private let blocks: [Range<Int>]
  private let candidate: (Int) -> PageTiling.Candidate?
  /// Where the cheapest way goes on from each byte of the range.
  private var following: [Int]

  /// Tiles a range with freeblocks, which are known, ascend and lie in it, and with cells, which
  /// `candidate` finds; `freeblock` finds those of which only their own bytes tell.
  ///
  /// From the end to the start, the cheapest way to go on from each byte is noted.
  init(
    _ range: Range<Int>, of bytes: Bytes, blocks: [Range<Int>],
    freeblock: (Int) -> Range<Int>? = { _ in nil },
    candidate: @escaping (Int) -> PageTiling.Candidate?
  ) {
    (self.range, self.blocks, self.candidate) = (range, blocks, candidate)
    var cost = [Int](repeating: 0, count: range.count + 1)
    following = [Int](repeating: 0, count: range.count + 1)
    var rest = blocks[...]
    var limit = range.upperBound
    for offset in range.reversed() {
      let place = offset - range.lowerBound
      if let block = rest.last, block.contains(offset) {
        guard offset == block.lowerBound else { continue }
        cost[place] = cost[block.upperBound - range.lowerBound]
        following[place] = block.upperBound
        limit = offset
        rest.removeLast()
        continue
      }
      cost[place] = cost[place + 1] + (bytes[offset] == 0 ? Self.zeroCost : Self.gapCost)
      following[place] = offset + 1
      if let end = freeblock(offset)?.upperBound, end <= limit,
        cost[end - range.lowerBound] + Self.statedCost < cost[place]
      {
        cost[place] = cost[end - range.lowerBound] + Self.statedCost
        following[place] = end
      }
      guard let found = candidate(offset), found.cell.end <= limit else { continue }
      let asCell =
        cost[found.cell.end - range.lowerBound]
        + (found.isPointed ? Self.pointedCost : Self.cellCost)
      guard asCell < cost[place] else { continue }
      cost[place] = asCell
      following[place] = found.cell.end
    }
  }

  /// The best tiling from an offset on, or from the range's start where that lies behind it.
  func tiling(from start: Int) -> PageTiling {
    var (cells, gaps, stated): ([Cell], [Range<Int>], [Range<Int>]) = ([], [], [])
    var rest = blocks.drop { $0.lowerBound < start }
    var offset = max(start, range.lowerBound)
    while offset < range.upperBound {
      let next = following[offset - range.lowerBound]
      if let block = rest.first, block.lowerBound == offset {
        rest.removeFirst()
      } else if next - offset >= 4, let found = candidate(offset), found.cell.end == next {
        cells.append(found.cell)
      } else if next - offset >= 4 {
        stated.append(offset..<next)
      } else if let last = gaps.last, last.upperBound == offset {
        gaps[gaps.count - 1] = last.lowerBound..<next
      } else {
        gaps.append(offset..<next)
      }
      offset = next
    }
    return PageTiling(cells: cells, gaps: gaps, stated: stated)
  }
}
