// SPDX-License-Identifier: Apache-2.0
// The cells that the pointers of a leaf list whose header is gone.
//
// A page gives up a cell by closing the gap in its pointers, and by making the cell a freeblock,
// whose first four bytes take the place of the cell's. Only the cell where the content starts stays
// as it is: the start moves up, and the last pointer may stay, too.

extension PageEvidence {
  /// The cells that the pointers of a leaf list where its header says nothing, in their order; none
  /// where they do not account for every cell, or the content shows a hole, as deleted rows leave it.
  ///
  /// The last one is left out where it lies at the start of the content: it may have been deleted.
  var listed: [Cell] {
    guard page.kind.isLeaf, limit == page.geometry.usable, !mayBeTrunk, let run = longestRun
    else { return [] }
    let pointed = pointers[run].compactMap(\.cell)
    let tiling = tiling(
      of: page.pointerArrayOffset + 2 * run.upperBound..<limit, blocks: [],
      counted: run.upperBound)
    let offsets = Set(pointed.map(\.offset))
    let others = tiling.cells.filter { !offsets.contains($0.offset) }
    // The pointers before the run led to as many cells, whose rowids come before.
    let earlier = others.filter { cell in
      guard let rowID = cell.rowID, let first = pointed.first?.rowID else { return true }
      return rowID < first
    }
    guard tiling.cells.count - others.count == pointed.count, earlier.count == run.lowerBound
    else { return [] }
    let cells = inKeyOrder(earlier) + pointed
    let start = cells.map(\.offset).min() ?? limit
    let isWhole =
      !tiling.gaps.contains { $0.upperBound > start }
      && others.count { $0.offset > start } == earlier.count { $0.offset > start }
    guard isWhole else { return [] }
    return cells.last?.offset == start ? cells.dropLast() : cells
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
    return best.count > 1 ? best : nil
  }
}
