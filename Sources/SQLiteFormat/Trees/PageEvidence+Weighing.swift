// SPDX-License-Identifier: Apache-2.0
// Weighing the cells of a page that cannot be proven as a whole: each for itself.

extension PageEvidence {
  /// What the header can be believed of.
  private struct Trust {
    /// Where the content starts; nil when nothing confirms it.
    let start: Int?
    /// How many cells there are; nil when that cannot be.
    let count: Int?
    /// How many pointers are believed.
    let pointers: Int
    /// Whether everything from the start on that is in no freeblock is in use.
    let knowsFreeSpace: Bool
  }

  /// What of the header the pointers and the content confirm.
  ///
  /// The content starts where the header says when a freeblock lies there, or a cell to which a
  /// pointer leads, or any cell where the rest of the header can be true. Then as many pointers are
  /// believed as the header counts, if most of them lead behind that start. If not, but the
  /// freeblocks are known, all are: what else lies there is in use.
  private var trust: Trust {
    let (count, start) = (page.cellCount, page.contentStart)
    let room = (start - page.pointerArrayOffset) / 2
    let isCountPossible = count > 0 && count <= min(room, pointers.count)
    let isStart =
      room > 0 && start < limit && (blocks.first?.lowerBound ?? start) >= start
      && (blocks.first?.lowerBound == start
        || (isCountPossible || areBlocksWhole) && candidate(at: start, counted: 0) != nil
        || pointers.prefix(min(count, reach)).contains { $0.target == start && $0.cell != nil })
    guard isStart else { return Trust(start: nil, count: nil, pointers: 0, knowsFreeSpace: false) }
    let counted = pointers.prefix(isCountPossible ? count : 0)
    let astray = counted.count { $0.target < start || $0.target > page.geometry.usable - 4 }
    let isCount = isCountPossible && 4 * astray <= count
    return Trust(
      start: start, count: isCountPossible ? count : nil,
      pointers: isCount ? count : areBlocksWhole ? min(room, pointers.count) : 0,
      knowsFreeSpace: areBlocksWhole)
  }

  /// How many pointers there can be before the first of the cells that they lead to.
  private var reach: Int {
    var lowest = limit
    for (position, pointer) in pointers.enumerated() {
      guard page.pointerArrayOffset + 2 * (position + 1) <= lowest else { return position }
      if pointer.holds { lowest = min(lowest, pointer.target) }
    }
    return pointers.count
  }

  /// The cells, each as sure as it is.
  ///
  /// A cell is certain when a pointer that counts leads to it and it touches something else, or
  /// when it fills, with others like it, a gap between such cells exactly.
  var weighed: PageAccount {
    let trust = trust
    let start = trust.start ?? page.pointerArrayOffset
    let blocks = trust.start == nil ? [] : blocks.filter { $0.lowerBound >= start }
    let tiling = tiling(
      of: min(start, limit)..<limit, blocks: blocks,
      counted: trust.start == nil ? pointers.count : trust.pointers)
    var certain: [Cell] = []
    if trust.start != nil {
      certain = pointedCells(of: tiling, blocks, trust)
      certain += fillers(of: tiling, between: certain, blocks, trust)
    }
    var doubtful = doubtful(in: tiling, from: start)
    // Where nothing tells how many cells there are, what begins before the start may be in use, too.
    if trust.start != nil, trust.count == nil {
      let whole = self.tiling(
        of: page.pointerArrayOffset..<limit, blocks: [], counted: pointers.count)
      doubtful += self.doubtful(in: whole, from: page.pointerArrayOffset)
        .filter { $0.offset < start }
    }
    let places = Set(certain.map(\.offset))
    doubtful.removeAll { places.contains($0.offset) }
    return account(certain, doubtful, cellsBefore(trust), trust)
  }

  /// The cells of a leaf that lie one behind the other up to where the header says that the content
  /// starts: a header of an earlier time does not know the last ones, and of a later one they were
  /// deleted.
  private func cellsBefore(_ trust: Trust) -> [Cell] {
    guard let start = trust.start, trust.count != nil, page.kind.isLeaf,
      page.pointerArrayEnd <= start
    else { return [] }
    let before = tiling(of: page.pointerArrayEnd..<start, blocks: [], counted: 0).cells
    var end = start
    return before.reversed().prefix { cell in
      defer { end = cell.offset }
      return cell.end == end
    }.reversed()
  }

  /// Cells that a pointer leads to and that touch something else: that end where it begins, or
  /// begin where it ends.
  private func pointedCells(
    of tiling: PageTiling, _ blocks: [Range<Int>], _ trust: Trust
  ) -> [Cell] {
    let pointed = tiling.cells.filter { position(of: $0.offset, in: trust.pointers) != nil }
    var ends = Set(pointed.map(\.offset) + blocks.map(\.lowerBound))
    if page.kind != .tableInterior {
      ends.formUnion(pointers.prefix(min(trust.count ?? 0, trust.pointers)).map(\.target))
    }
    ends.formUnion(tiling.gaps.filter(isFreeblock).map(\.lowerBound))
    ends.insert(page.geometry.usable)
    let starts = Set(pointed.map(\.end) + blocks.map(\.upperBound) + [trust.start ?? 0])
    let slack = page.fragmentedBytes == 0 ? 0 : 3
    let unlisted = tiling.gaps.compactMap { freeblock(in: $0, ending: ends) }
    // A pointer that is off leads into its cell, which still lies whole where the gap begins.
    let rivals = Set(
      tiling.gaps.compactMap { gap in
        candidate(at: gap.lowerBound, counted: 0).flatMap {
          $0.cell.end > gap.upperBound ? gap.upperBound : nil
        }
      })
    return pointed.filter { cell in
      guard !rivals.contains(cell.offset), !unlisted.contains(where: { $0.contains(cell.offset) })
      else { return false }
      let isAnchored = starts.contains(cell.offset)
      let endsWell = (cell.end...(cell.end + slack)).contains(where: ends.contains)
      // An interior cell has no record that must add up.
      return page.kind == .tableInterior ? isAnchored && endsWell : isAnchored || endsWell
    }
  }

  /// Cells without a pointer that fill what lies between certain cells to the last byte.
  private func fillers(
    of tiling: PageTiling, between certain: [Cell], _ blocks: [Range<Int>], _ trust: Trust
  ) -> [Cell] {
    let firm = Set(certain.map(\.offset))
    var fillers: [Cell] = []
    var run: [Cell] = []
    // Where the next piece has to begin for the run before it to be anchored at its start.
    var anchor = trust.start
    var pieces = tiling.cells.map { (range: $0.offset..<$0.end, cell: Optional($0)) }
    pieces += blocks.map { (range: $0, cell: nil) }
    pieces.append((range: page.geometry.usable..<page.geometry.usable, cell: nil))
    for (range, cell) in pieces.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      let follows = range.lowerBound == anchor
      if let cell, !firm.contains(cell.offset) {
        run = follows ? run + [cell] : []
        anchor = follows ? cell.end : nil
      } else {
        if follows { fillers += run }
        run = []
        anchor = range.upperBound
      }
    }
    let taken = Set(certain.compactMap(\.rowID))
    fillers = fillers.filter { !isFreed($0) && ($0.rowID.map { !taken.contains($0) } ?? true) }
    // More cells than the page counts cannot all be in use.
    guard trust.count.map({ certain.count + fillers.count <= $0 }) ?? trust.knowsFreeSpace else {
      return []
    }
    return fillers
  }

  /// How many cells are kept at most that a tiling leaves out: everything on a page may look like one.
  private static let rivalsMax = 1024

  /// The doubtful cells of a page: those of the tiling that are too long to look like cells by chance,
  /// and those that overlap them.
  ///
  /// A cell that overlaps others counts only if the bytes behind it are accounted for, up to the end of
  /// the page or to a cell of the tiling. A page is filled from its end on (file format, section 1.6):
  /// of two cells that overlap, the one that begins later was written over the other, unless it is a
  /// part of its values.
  private func doubtful(in tiling: PageTiling, from start: Int) -> [Cell] {
    let own = Set(tiling.cells.map(\.offset))
    var accounts: Set<Int> = [limit]
    func account(from offset: Int) {
      accounts.insert(offset)
      // A cell of an interior page of an index is that of a leaf behind the number of a page.
      if page.kind == .indexLeaf, let child = page.bytes.big32(at: offset - 4), child > 1,
        child <= lastReferable
      {
        accounts.insert(offset - 4)
      }
    }
    own.forEach(account)
    var rivals: [Cell] = []
    for offset in stride(from: limit - 4, through: max(0, start), by: -1)
    where page.kind != .tableInterior && rivals.count < Self.rivalsMax && !own.contains(offset) {
      if let block = chainedFreeblock(at: offset), accounts.contains(block.upperBound) {
        account(from: offset)
      }
      if let cell = candidate(at: offset, counted: 0)?.cell, accounts.contains(cell.end) {
        account(from: offset)
        rivals.append(cell)
      }
    }
    let ends = Set(tiling.cells.map(\.end))
    return rivals
      + tiling.cells.filter { cell in
        cell.size >= 12 || position(of: cell.offset, in: pointers.count) != nil
          || ends.contains(cell.offset)
          || (cell.end..<cell.end + 4).contains(where: accounts.contains)
      }
  }

  private func account(
    _ certain: [Cell], _ doubtful: [Cell], _ before: [Cell], _ trust: Trust
  ) -> PageAccount {
    var faults: [FormatError] = []
    if let count = trust.count {
      let found = Set((certain + doubtful).map(\.offset))
      let missing = max(0, count - certain.count - doubtful.count)
      let astray = pointers.prefix(count).indices.lazy.filter { position in
        !found.contains(pointers[position].target)
      }
      faults = astray.prefix(missing).map(fault)
    }
    let repaired = page.with(
      cellCount: trust.count ?? 0, contentStart: page.contentStart,
      rightChild: trust.count == nil ? nil : page.rightChild)
    let listed = trust.start == nil ? listed : []
    let places = Set(doubtful.map(\.offset))
    return PageAccount(
      page: repaired,
      content: PageContent(
        cells: inKeyOrder(certain),
        doubtful: inKeyOrder(doubtful + before + listed.filter { !places.contains($0.offset) }),
        listed: listed, faults: faults,
        layoutFault: FormatError(.pageHeader, page: page.number, offset: page.headerOffset),
        isCountLost: trust.count == nil),
      isProven: false)
  }

  /// Why a pointer leads to no cell.
  private func fault(of position: Int) -> FormatError {
    do throws(FormatError) {
      let cell = try page.cell(position)
      if page.kind != .tableInterior, cell.overflow == nil {
        _ = try Record(page.bytes, in: cell.local)
      }
      return FormatError(.cellUnproven, page: page.number, offset: cell.offset)
    } catch {
      return FormatError(error.problem, page: page.number, offset: error.offset)
    }
  }
}
