// SPDX-License-Identifier: Apache-2.0
// The cells that the pointers of a leaf list whose header is gone.
//
// A page gives up a cell by closing the gap in its pointers, and by making the cell a freeblock,
// whose first four bytes take the place of the cell's. Only a cell where the content starts stays
// as it is: the start moves up, and the last pointer may stay, too.

extension PageEvidence {
  /// How many places before the cells that are listed are tried for the start of the content.
  private static let startsMax = 256

  /// The cells that the pointers of a leaf list where its header says nothing, in their order; none
  /// where they and the freeblocks do not account for everything behind the first of them.
  ///
  /// The last ones are left out as long as they lie at the start of the content: they may have been
  /// deleted.
  var listed: [Cell] {
    guard page.kind.isLeaf, limit == page.geometry.usable, !mayBeTrunk, let run = longestRun
    else { return [] }
    // Where pointers moved up, the last one stays behind again and again.
    let targets = Set(pointers[run].map(\.target))
    let end = pointers[run.upperBound...].firstIndex { !targets.contains($0.target) }
    let rest = page.pointerArrayOffset + 2 * (end ?? pointers.count)..<limit
    let tilings = PageTilings(rest, of: page.bytes, blocks: [], freeblock: chainedFreeblock) {
      candidate(at: $0, counted: run.upperBound)
    }
    // Pointers that are gone may have led to cells before all others. What lies before the content
    // can look like cells, too: what counts is in the page wherever the content may start.
    let lowest = targets.min() ?? limit
    var starts = [lowest]
    if run.lowerBound > 0 {
      for offset in stride(from: lowest - 1, through: rest.lowerBound, by: -1)
      where starts.count < Self.startsMax && candidate(at: offset, counted: 0) != nil {
        starts.append(offset)
      }
    }
    let accounts = starts.compactMap { cells(listedBy: run, in: tilings.tiling(from: $0)) }
    let others = accounts.dropFirst().map(Set.init)
    return accounts.first?.filter { cell in others.allSatisfy { $0.contains(cell) } } ?? []
  }

  /// The cells that a run of pointers lists, and those before them of which the pointers are gone,
  /// where the tiling from the first of them on accounts for everything; else nil.
  private func cells(listedBy run: Range<Int>, in tiling: PageTiling) -> [Cell]? {
    // A freeblock goes on over cells that were deleted after it, and cells that are in use can look
    // as if they began in it.
    let blocks = (tiling.stated + freed(in: tiling)).filter { !$0.isEmpty }.sorted {
      $0.lowerBound < $1.lowerBound
    }
    var furthest = blocks.map(\.upperBound)
    for index in furthest.indices.dropFirst() {
      furthest[index] = max(furthest[index], furthest[index - 1])
    }
    func wasDeleted(_ cell: Cell) -> Bool {
      let next = blocks.partitioningIndex { $0.lowerBound >= cell.end }
      return next > 0 && furthest[next - 1] > cell.offset
    }
    // Pointers to cells that were deleted may stay behind the others.
    let pointed = pointers[run].compactMap(\.cell).prefix { !wasDeleted($0) }
    let isPointed = Set(pointed.map(\.offset))
    let others = tiling.cells.filter { !isPointed.contains($0.offset) && !wasDeleted($0) }
    // Their rowids come before those of the others.
    let earlier = others.filter { cell in
      guard let rowID = cell.rowID, let first = pointed.first?.rowID else { return true }
      return rowID < first
    }
    guard tiling.cells.count(where: { isPointed.contains($0.offset) }) == pointed.count,
      earlier.count == run.lowerBound
    else { return nil }
    var cells = (inKeyOrder(earlier) + pointed)[...]
    let start = cells.map(\.offset).min() ?? limit
    let holes = tiling.gaps.filter { $0.upperBound > start }
    // Fewer than four bytes are a fragment; no cell is that short.
    guard
      holes.allSatisfy({ hole in
        hole.count < 4 || blocks.contains { $0.contains(hole.lowerBound) }
      }),
      others.count(where: { $0.offset > start }) == earlier.count(where: { $0.offset > start })
    else { return nil }
    let freed = blocks.reduce(0) { $0 + ($1.upperBound > start ? $1.count : 0) }
    for _ in 0..<min(1 + holes.count + tiling.stated.count, lastInDoubt(cells, freed: freed)) {
      guard let last = cells.last, last.offset == cells.map(\.offset).min() else { break }
      cells.removeLast()
    }
    return Array(cells)
  }

  /// How many of the last cells may have been deleted one by one, of which nothing tells: one, and
  /// as many more as chance deletes together on one page in a thousand, where every row goes with
  /// the share of the page that freeblocks tell of.
  private func lastInDoubt(_ cells: some Collection<Cell>, freed: Int) -> Int {
    let used = cells.reduce(0) { $0 + $1.size }
    guard used > 0 else { return 0 }
    let share = Double(freed) / Double(freed + used)
    var (count, chance) = (1, share)
    while chance > 0.001, count < cells.count { (count, chance) = (count + 1, chance * share) }
    return count
  }

  /// The freeblocks that the gaps of a tiling begin; one may go on over cells that were deleted
  /// after their neighbour, of which nothing is overwritten.
  private func freed(in tiling: PageTiling) -> [Range<Int>] {
    let ends = Set(tiling.cells.map(\.offset) + [page.geometry.usable])
    return tiling.gaps.compactMap { isFreeblock($0) ? $0 : freeblock(in: $0, ending: ends) }
  }

  /// The freeblock at an offset that leads to another one, or is the last.
  func chainedFreeblock(at offset: Int) -> Range<Int>? {
    guard let block = statedFreeblock(at: offset), let next = page.bytes.big16(at: offset) else {
      return nil
    }
    return next == 0 || statedFreeblock(at: next) != nil ? block : nil
  }

  /// Whether a trunk of the free list may have taken the place of the header and of the first
  /// pointers: what the others list was deleted then.
  ///
  /// File format, section 1.5. An entry that was used up stays where it was. Where the list of the
  /// file is whole, it tells.
  private var mayBeTrunk: Bool {
    func isPage(_ number: UInt32) -> Bool { number > 1 && number <= image.pageCount }
    guard let next = page.bytes.big32(at: 0), let count = page.bytes.big32(at: 4),
      next == 0 || isPage(next), count <= page.geometry.trunkCapacity
    else { return false }
    return (0..<max(1, Int(count))).allSatisfy { index in
      let entry = page.bytes.big32(at: 8 + 4 * index) ?? 0
      return count == 0 ? entry != 0 : isPage(entry)
    } && image.mayBeTrunk(page.number)
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
