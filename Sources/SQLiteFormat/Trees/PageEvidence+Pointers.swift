// SPDX-License-Identifier: Apache-2.0
// The cells that the pointers of a leaf list whose header is gone.
//
// A page gives up a cell by closing the gap in its pointers, and by making the cell a freeblock,
// whose first four bytes take the place of the cell's. Only a cell where the content starts stays
// as it is: the start moves up, and the last pointer may stay, too.

extension PageEvidence {
  /// The cells that the pointers of a leaf list where its header says nothing, in their order; none
  /// where they and the freeblocks do not account for everything behind the first of them.
  ///
  /// The last one is left out where it lies at the start of the content: it may have been deleted.
  /// Of a page that shows that rows were deleted, one more is for each freeblock.
  var listed: [Cell] {
    guard page.kind.isLeaf, limit == page.geometry.usable, !mayBeTrunk, let run = longestRun
    else { return [] }
    // Where pointers moved up, the last one stays behind again and again.
    let targets = Set(pointers[run].map(\.target))
    let end = pointers[run.upperBound...].firstIndex { !targets.contains($0.target) }
    let (tiling, hidden) = tilingWithFreeblocks(
      from: page.pointerArrayOffset + 2 * (end ?? pointers.count), counted: run.upperBound)
    let freed = hidden + freed(in: tiling)
    func wasDeleted(_ cell: Cell) -> Bool { freed.contains { $0.overlaps(cell.offset..<cell.end) } }
    // Pointers to cells that were deleted may stay behind the others.
    let pointed = pointers[run].compactMap(\.cell).prefix { !wasDeleted($0) }
    let isPointed = Set(pointed.map(\.offset))
    let others = tiling.cells.filter { !isPointed.contains($0.offset) && !wasDeleted($0) }
    let earlier = cells(before: run.lowerBound, pointed, among: others)
    guard tiling.cells.count(where: { isPointed.contains($0.offset) }) == pointed.count,
      earlier.count == run.lowerBound
    else { return [] }
    var cells = (inKeyOrder(earlier) + pointed)[...]
    let start = cells.map(\.offset).min() ?? limit
    let holes = tiling.gaps.filter { $0.upperBound > start }
    // Fewer than four bytes are a fragment; no cell is that short.
    guard
      holes.allSatisfy({ hole in
        hole.count < 4 || freed.contains { $0.contains(hole.lowerBound) }
      }),
      others.count(where: { $0.offset > start }) == earlier.count(where: { $0.offset > start })
    else { return [] }
    for _ in 0...(holes.count + hidden.count) {
      guard let last = cells.last, last.offset == cells.map(\.offset).min() else { break }
      cells.removeLast()
    }
    return Array(cells)
  }

  /// The cells that as many pointers led to before the others; their rowids come before.
  ///
  /// Behind the first of the others in the page, only what is in use is whole. Where that is all,
  /// what lies before it was deleted.
  private func cells(before count: Int, _ pointed: some Sequence<Cell>, among others: [Cell])
    -> [Cell]
  {
    let first = pointed.first { _ in true }?.rowID
    let earlier = others.filter { cell in
      guard let rowID = cell.rowID, let first else { return true }
      return rowID < first
    }
    let start = pointed.map(\.offset).min() ?? limit
    let inUse = earlier.filter { $0.offset > start }
    return inUse.count == count ? inUse : earlier
  }

  /// How many freeblocks are tried, at most, that hide cells.
  private static let hiddenMax = 8

  /// The best tiling from an offset on, and the freeblocks in it that hide cells.
  ///
  /// A freeblock goes on over cells that were deleted after it, and cells that are in use look as if
  /// they began in it. What its own bytes say of its end is believed where fewer bytes are left
  /// unexplained by that.
  private func tilingWithFreeblocks(
    from start: Int, counted: Int
  ) -> (PageTiling, hidden: [Range<Int>]) {
    var best = tiling(of: start..<limit, blocks: [], counted: counted)
    var hidden: [Range<Int>] = []
    let stated = best.gaps.lazy.compactMap { [self] gap in
      statedFreeblock(at: gap.lowerBound).flatMap { $0.upperBound > gap.upperBound ? $0 : nil }
    }.filter { [self] block in
      (block.upperBound..<(block.upperBound + 4)).contains {
        $0 == page.geometry.usable || candidate(at: $0, counted: 0) != nil
      }
    }
    for block in stated.prefix(Self.hiddenMax) where !hidden.contains(where: block.overlaps) {
      let other = tiling(of: start..<limit, blocks: hidden + [block], counted: counted)
      guard other.unexplained < best.unexplained else { continue }
      (best, hidden) = (other, hidden + [block])
    }
    return (best, hidden)
  }

  /// The freeblocks that the gaps of a tiling begin; one may go on over cells that were deleted
  /// after their neighbour, of which nothing is overwritten.
  private func freed(in tiling: PageTiling) -> [Range<Int>] {
    let ends = Set(tiling.cells.map(\.offset) + [page.geometry.usable])
    return tiling.gaps.compactMap { isFreeblock($0) ? $0 : freeblock(in: $0, ending: ends) }
  }

  /// Whether a trunk of the freelist may have taken the place of the header and of the first
  /// pointers: what the others list was deleted then.
  ///
  /// File format, section 1.5. An entry that was used up stays where it was.
  private var mayBeTrunk: Bool {
    func isPage(_ number: UInt32) -> Bool { number > 1 && number <= pageCount }
    guard let next = page.bytes.big32(at: 0), let count = page.bytes.big32(at: 4),
      next == 0 || isPage(next), count <= page.geometry.usable / 4 - 2
    else { return false }
    return (0..<max(1, Int(count))).allSatisfy { index in
      let entry = page.bytes.big32(at: 8 + 4 * index) ?? 0
      return count == 0 ? entry != 0 : isPage(entry)
    }
  }

  /// The longest run of pointers that lead to cells behind them, each to another one, with rowids
  /// that ascend.
  private var longestRun: Range<Int>? {
    var best = 0..<0
    var run = 0..<0
    var (targets, lowest): (Set<Int>, Int) = ([], limit)
    var last: Int64?
    for (position, pointer) in pointers.enumerated() {
      let end = page.pointerArrayOffset + 2 * (position + 1)
      let rowID = pointer.cell?.rowID
      let ascends = last.map { last in rowID.map { last < $0 } ?? true } ?? true
      guard pointer.holds, pointer.target >= end else {
        run = position + 1..<position + 1
        (targets, lowest, last) = ([], limit, nil)
        continue
      }
      if !ascends || lowest < end || targets.contains(pointer.target) {
        run = position..<position
        (targets, lowest) = ([], limit)
      }
      run = run.lowerBound..<position + 1
      targets.insert(pointer.target)
      (lowest, last) = (min(lowest, pointer.target), rowID)
      if run.count > best.count { best = run }
    }
    return best.isEmpty ? nil : best
  }
}
