// SPDX-License-Identifier: Apache-2.0
// Proving the cells of a leaf of which the header is gone: by the pointers that are left.
//
// A page gives up a cell by closing the gap in its pointers, and by making the cell a freeblock,
// whose first four bytes take the place of the cell's. Only the cell where the content starts stays
// as it is: the start moves up. So whatever a pointer before another one that counts leads to is
// in use, and the last ones are, too, where the content shows no hole.

extension PageEvidence {
  /// What the pointers of a leaf say where the header says nothing; nil where too few are left.
  var pointed: PageAccount? {
    guard page.kind.isLeaf, limit == page.geometry.usable, !isStartConfirmed, let run = longestRun
    else { return nil }
    let listed = pointers[run].compactMap(\.cell)
    let tiling = tiling(
      of: page.pointerArrayOffset + 2 * run.upperBound..<limit, blocks: [],
      counted: run.upperBound)
    let offsets = Set(listed.map(\.offset))
    guard tiling.cells.count(where: { offsets.contains($0.offset) }) == listed.count else {
      return nil
    }
    let unlisted = tiling.cells.filter { !offsets.contains($0.offset) }
    // The pointers before the run led to as many cells, whose rowids come before.
    let earlier = unlisted.filter { cell in
      guard let rowID = cell.rowID, let first = listed.first?.rowID else { return true }
      return rowID < first
    }
    guard earlier.count == run.lowerBound else { return nil }
    let used = inKeyOrder(earlier) + listed
    let start = used.map(\.offset).min() ?? limit
    let hasHoles =
      tiling.gaps.contains { $0.upperBound > start }
      || unlisted.count(where: { $0.offset > start }) > earlier.count(where: { $0.offset > start })
    let certain = hasHoles || !page.kind.isTable ? Self.withoutLooseEnd(used) : used
    let places = Set(certain.map(\.offset))
    let doubtful = tiling.cells.filter { !places.contains($0.offset) }
    return PageAccount(
      page: page.with(cellCount: certain.count, contentStart: start, rightChild: nil),
      content: PageContent(
        cells: certain, doubtful: inKeyOrder(doubtful), faults: [],
        layoutFault: FormatError(.pageHeader, page: page.number, offset: page.headerOffset),
        isCountLost: hasHoles),
      isProven: false)
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

  /// The cells without the last ones that lie where the content starts: they may have been deleted.
  private static func withoutLooseEnd(_ cells: [Cell]) -> [Cell] {
    // The lowest offset among each cell and those before it.
    var lowest: [Int] = []
    for cell in cells { lowest.append(min(lowest.last ?? cell.offset, cell.offset)) }
    var count = cells.count
    while count > 0, cells[count - 1].offset == lowest[count - 1] { count -= 1 }
    return Array(cells[..<count])
  }
}
