// SPDX-License-Identifier: Apache-2.0
// Proving the cells of a page whose header or pointers are damaged: two accounts that agree.

extension PageEvidence {
  /// What the page holds: proven as a whole where that can be, else weighed cell by cell.
  var account: PageAccount { proof ?? weighed }

  /// The cells that fill the page exactly, where pointers or content and most of the header agree.
  private var proof: PageAccount? {
    guard limit == page.geometry.usable else { return nil }
    return provenByCount ?? provenByLength ?? provenByContent ?? provenWithoutStart
  }

  private func proven(_ cells: [Cell], start: Int? = nil) -> PageAccount? {
    let repaired = page.with(
      cellCount: cells.count, contentStart: start ?? page.contentStart, rightChild: page.rightChild)
    let broken = cells.count { candidate(at: $0.offset, counted: 0) == nil }
    guard repaired.pointerArrayEnd <= repaired.contentStart, 2 * broken <= cells.count else {
      return nil
    }
    let fault =
      page.layoutFault
      ?? FormatError(
        .pageHeader, page: page.number, offset: page.headerOffset)
    return PageAccount(
      page: repaired,
      content: PageContent(cells: cells, layoutFault: fault),
      isProven: true)
  }

  /// The cells of the first pointers; nil when one leads to none.
  private func cells(of count: Int) -> [Cell]? {
    guard count <= pointers.count else { return nil }
    var cells: [Cell] = []
    for pointer in pointers[..<count] {
      guard let cell = pointer.cell else { return nil }
      cells.append(cell)
    }
    return cells
  }

  /// The bytes from a start on that neither cells nor freeblocks take; nil when two of them share
  /// a byte, or one lies before the start.
  private func gaps(from start: Int, _ cells: [Cell], _ blocks: [Range<Int>]) -> [Range<Int>]? {
    var gaps: [Range<Int>] = []
    var cursor = start
    for piece in (cells.map { $0.offset..<$0.end } + blocks).sorted(by: \.lowerBound) {
      guard piece.lowerBound >= cursor else { return nil }
      if piece.lowerBound > cursor { gaps.append(cursor..<piece.lowerBound) }
      cursor = piece.upperBound
    }
    if cursor < limit { gaps.append(cursor..<limit) }
    return gaps
  }

  /// As many pointers as the header counts lead to cells that leave nothing unexplained: the chain
  /// of freeblocks or the number of fragments may be wrong.
  private var provenByCount: PageAccount? {
    guard let cells = cells(of: page.cellCount), !cells.isEmpty else { return nil }
    if areBlocksWhole, let gaps = gaps(from: page.contentStart, cells, blocks) {
      if gaps.byteCount == page.fragmentedBytes { return proven(cells) }
      if gaps.allSatisfy({ $0.count < 4 }), areInOrder(cells) { return proven(cells) }
    }
    guard let free = gaps(from: page.contentStart, cells, []), areInOrder(cells) else { return nil }
    // A freeblock that reaches over cells has a wrong size: it ends where the next of them begins.
    let ends = Dictionary(
      blocks.map { ($0.lowerBound, $0.upperBound) }, uniquingKeysWith: max)
    let fragments = free.reduce(0) { sum, gap in
      ends[gap.lowerBound, default: 0] > gap.upperBound ? sum : sum + self.fragments(in: gap)
    }
    return fragments == page.fragmentedBytes ? proven(cells) : nil
  }

  /// Whether the cells of the first pointers are beyond doubt: each has the form of one, and their
  /// rowids ascend.
  private func areInOrder(_ cells: [Cell]) -> Bool {
    pointers[..<cells.count].allSatisfy(\.holds) && cells.ascend
  }

  /// As many pointers as the header counts lead to cells that fill what lies behind the first of
  /// them: the start of the content is wrong, and nothing begins there.
  private var provenWithoutStart: PageAccount? {
    guard areBlocksWhole, candidate(at: page.contentStart, counted: 0) == nil,
      let cells = cells(of: page.cellCount),
      let start = (cells.map(\.offset) + blocks.map(\.lowerBound)).min(),
      let gaps = gaps(from: start, cells, blocks), gaps.byteCount == page.fragmentedBytes
    else { return nil }
    return proven(cells, start: start)
  }

  /// The first pointers, as many as it takes to fill the content area: the count is wrong.
  private var provenByLength: PageAccount? {
    guard areBlocksWhole, page.contentStart < limit else { return nil }
    let wanted = limit - page.contentStart - blocks.byteCount - page.fragmentedBytes
    var taken = 0
    for (position, pointer) in pointers.enumerated() {
      guard let cell = pointer.cell else { return nil }
      taken += cell.size
      guard taken < wanted else {
        guard taken == wanted, let cells = cells(of: position + 1),
          gaps(from: page.contentStart, cells, blocks) != nil
        else { return nil }
        return proven(cells)
      }
    }
    return nil
  }

  /// Cells that fill the content area, whether or not a pointer leads to each.
  private var provenByContent: PageAccount? {
    guard areBlocksWhole, page.contentStart >= page.pointerArrayOffset, page.contentStart < limit,
      blocks.first.map({ $0.lowerBound >= page.contentStart }) ?? true
    else { return nil }
    func filled(_ blocks: [Range<Int>]) -> PageTiling? {
      let tiling = tiling(
        of: page.contentStart..<limit, blocks: blocks, counted: page.cellCount)
      return tiling.unexplained == page.fragmentedBytes && tiling.gaps.allSatisfy { $0.count < 8 }
        && tiling.cells.areDistinct ? tiling : nil
    }
    func isCounted(_ tiling: PageTiling) -> Bool { tiling.cells.count == page.cellCount }
    var best = filled(blocks)
    if best.map(isCounted) != true, let ended = filled(endedBlocks), isCounted(ended) {
      best = ended
    }
    guard let best, isCounted(best) || !best.cells.contains(where: isFreed),
      !isOfTwoMoments(best.cells)
    else { return nil }
    // Pointers that are damaged may lead to cells all the same, but in no order.
    let isTable = page.kind.isTable
    return proven(
      isTable ? best.cells.sorted { $0.rowID ?? 0 < $1.rowID ?? 0 } : inKeyOrder(best.cells))
  }

  /// Whether the pointers that count are of another moment than the cells that fill the page.
  ///
  /// Then two of them lead to one cell, or one to another cell, or one among those of the cells to none,
  /// while they are more than the cells. A pointer that is damaged hardly leads to a cell, nor does a
  /// count that is too high take in pointers among the others.
  private func isOfTwoMoments(_ cells: [Cell]) -> Bool {
    let counted = pointers.prefix(page.cellCount)
    let targets = counted.filter(\.holds).map(\.target)
    let (ends, places) = (Set(targets), Set(cells.map(\.offset)))
    return ends.count < targets.count || !ends.isSubset(of: places)
      || cells.count < page.cellCount
        && !counted.prefix(cells.count).allSatisfy { places.contains($0.target) }
  }

  /// The freeblocks as far as they can go: one that reaches over a cell to which a pointer leads that
  /// counts has a wrong size.
  private var endedBlocks: [Range<Int>] {
    let cells = pointers.prefix(page.cellCount).filter(\.holds).map(\.target)
    return blocks.map { block in
      let inside = cells.filter { $0 >= block.lowerBound + 4 && $0 < block.upperBound }
      return inside.min().map { block.lowerBound..<$0 } ?? block
    }
  }

  /// Cells in the order of their pointers; those that have none, where their rowids put them.
  func inKeyOrder(_ cells: [Cell]) -> [Cell] {
    func position(_ cell: Cell) -> Int? { self.position(of: cell.offset, in: pointers.count) }
    let listed = cells.filter { position($0) != nil }
      .sorted { position($0) ?? 0 < position($1) ?? 0 }
    var others = cells.filter { position($0) == nil }
      .sorted { $0.rowID ?? .max < $1.rowID ?? .max }[...]
    var ordered: [Cell] = []
    ordered.reserveCapacity(cells.count)
    for cell in listed {
      while let rowID = cell.rowID, let next = others.first, next.rowID ?? .max < rowID {
        ordered.append(next)
        others.removeFirst()
      }
      ordered.append(cell)
    }
    return ordered + others
  }
}

extension BTreePage {
  /// What is wrong with the way the page uses its bytes, first of all, as its header tells it.
  fileprivate var layoutFault: FormatError? {
    guard pointerArrayEnd <= geometry.usable, cellCount <= geometry.cellCountMax else {
      return FormatError(.cellCountTooLarge(cellCount), page: number, offset: headerOffset + 3)
    }
    return layoutFaults.first
  }
}

extension [Range<Int>] {
  /// How many bytes the ranges have.
  fileprivate var byteCount: Int { reduce(0) { $0 + $1.count } }
}

extension [Cell] {
  /// Whether the rowids ascend; true of cells that have none.
  fileprivate var ascend: Bool {
    zip(self, dropFirst()).allSatisfy { left, right in
      guard let first = left.rowID, let second = right.rowID else { return true }
      return first < second
    }
  }

  /// Whether no two cells have the same rowid or lead to the same child.
  fileprivate var areDistinct: Bool {
    let rowIDs = compactMap(\.rowID)
    let children = map(\.leftChild).filter { $0 != 0 }
    return Set(rowIDs).count == rowIDs.count && Set(children).count == children.count
  }
}

extension Sequence {
  /// The elements in the order of a value of theirs.
  fileprivate func sorted(by value: (Element) -> some Comparable) -> [Element] {
    sorted { value($0) < value($1) }
  }
}
