// SPDX-License-Identifier: Apache-2.0
// The rows of a page, with the overflow pages that they claim.

import SQLiteFormat

extension Image {
  /// What can be read of a page of rows.
  struct ClaimedRows {
    /// Rows against which nothing speaks.
    var rows: [StoredRecord] = []
    /// Rows that may be none any more.
    var doubtful: [StoredRecord] = []
    /// Rows of which only the first fields are there.
    var partial: [PartialRow] = []
    /// Rows of which a part may not be their own, each with what is wrong.
    var setAside: [(row: StoredRecord, doubt: Doubt)] = []
  }

  /// The rows of a page, with their overflow pages claimed.
  ///
  /// The memory is that of this image: damaged pages that were put back into a table are in it already.
  func claimedRows(
    on number: PageNumber, isTable: Bool, _ memory: PageMemory, _ chains: ChainRepair,
    _ claims: inout PageClaims
  ) -> ClaimedRows {
    var found = ClaimedRows()
    guard claims.claim(number, for: .tree(0)) else { return found }
    let kinds: [BTreePage.Kind] =
      isTable ? [.tableLeaf, .tableInterior] : [.indexLeaf, .indexInterior]
    guard
      let reading = memory.reading(of: number, isTable: isTable)
        ?? (try? reading(of: number, as: kinds)),
      reading.page.kind != .tableInterior
    else { return found }
    let (content, listed) = (reading.content, Set(reading.content.listed))
    let lost = LostParts(
      blank: blankParts(of: reading.page.bytes, on: number) + reading.page.blankTargets,
      strange: strangeParts(of: reading))
    for cell in content.cells + content.listed {
      read(cell, on: reading.page, besides: lost, chains, &claims, &found)
    }
    for cell in content.doubtful where !listed.contains(cell) {
      guard let row = try? claims.readDoubtful(cell, of: reading.page, in: self) else { continue }
      let doubt = Doubt(of: suspicion(of: cell, on: number))
      if doubt == .unproven {
        found.doubtful.append(row)
      } else {
        found.setAside.append((row, doubt))
      }
    }
    return found
  }

  /// Reads a cell that its page proves.
  private func read(
    _ cell: Cell, on page: BTreePage, besides lost: LostParts, _ chains: ChainRepair,
    _ claims: inout PageClaims, _ found: inout ClaimedRows
  ) {
    if let repair = chains.repair(of: cell, on: page.number),
      let record = try? record(of: cell, on: page, along: repair.chain)
    {
      let row = StoredRecord(record, of: cell, on: page)
      if page.isTorn(in: cell, lost) {
        found.setAside.append((row, .torn))
      } else if repair.isSound {
        found.rows.append(row)
      } else {
        found.setAside.append((row, .chain(.inferred)))
      }
      return
    }
    do throws(FormatError) {
      if chains.isShared(cell, on: page.number) {
        let row = try claims.readDoubtful(cell, of: page, in: self)
        found.setAside.append((row, .chain(.shared)))
        return
      }
      let row = try claims.read(cell, of: page, in: self, for: .tree(0))
      if page.isTorn(in: cell, lost) {
        found.setAside.append((row, .torn))
      } else if hasZeroedPage(cell, on: page) {
        found.setAside.append((row, .chain(.zeroed)))
      } else {
        found.rows.append(row)
      }
    } catch {
      if error.problem == .textOverwritten,
        let row = claims.readOverwritten(cell, of: page, in: self)
      {
        found.setAside.append((row, .chain(.overwritten)))
      } else if let partial = partialRow(for: error, on: page, &claims) {
        found.partial.append(partial)
      }
    }
  }

  /// Where the cells start whose overflow chain has a page of nothing but zeros.
  func zeroedCells(of visit: TreeWalk.Visit) -> Set<Int> {
    Set(visit.content.cells.lazy.filter { hasZeroedPage($0, on: visit.page) }.map(\.offset))
  }

  /// Whether one of some pages is in the overflow chain of a row.
  func spills(_ row: StoredRecord, onto pages: Set<PageNumber>) -> Bool {
    guard !pages.isEmpty, let page = try? btreePage(row.page),
      let cell = try? page.cell(at: row.offset)
    else { return false }
    return reachedPages(of: cell, on: row.page).contains(where: pages.contains)
  }

  /// Whether a page of a cell's chain is nothing but zeros, and what lies before or behind it is
  /// not: a value full of zeros hardly begins or ends with a page.
  private func hasZeroedPage(_ cell: Cell, on page: BTreePage) -> Bool {
    guard cell.overflow != nil, let chain = try? overflowChain(of: cell, on: page.number) else {
      return false
    }
    var before = page.bytes.slice(cell.local).last
    var isZeroBefore = false
    for number in chain.pages {
      guard let bytes = try? bytes(of: number) else { return true }
      if bytes.isZero {
        if before != 0, !isZeroBefore { return true }
        isZeroBefore = true
      } else {
        if isZeroBefore, bytes.slice(4..<5) != [0] { return true }
        isZeroBefore = false
      }
      before = bytes.prefix(geometry.usable).last
    }
    return false
  }
}

/// The parts of a page in which sectors of its file were lost.
private struct LostParts {
  /// Those that are nothing but one byte.
  let blank: [Range<Int>]
  /// Those with other bytes, of another page or time.
  let strange: [Range<Int>]
}

extension Image {
  /// From how many wrong pointers into a sector on the sector is lost, and not each cell by itself.
  private static let strangeMin = 2

  /// The parts of a page that lie in one sector of its file each, with where those sectors start.
  private func parts(of bytes: Bytes, on page: PageNumber) -> [(part: Range<Int>, sector: Int)] {
    let (size, offset) = (Self.sectorSize, offset(of: page))
    guard offset >= 0, !bytes.isEmpty else { return [] }
    return stride(from: offset / size * size, to: offset + bytes.count, by: size).map {
      (max(0, $0 - offset)..<min(bytes.count, $0 + size - offset), $0)
    }
  }

  /// The parts of a page in which a whole sector of its file is nothing but one byte.
  ///
  /// The pages of a log do not begin with a sector.
  func blankParts(of bytes: Bytes, on page: PageNumber) -> [Range<Int>] {
    parts(of: bytes, on: page).compactMap { part, start in
      let byte = bytes[part.lowerBound]
      guard bytes[part].allSatisfy({ $0 == byte }) else { return nil }
      if part.count < Self.sectorSize {
        let sector = fileBytes(at: start, count: Self.sectorSize, besides: page)
        guard sector.count == Self.sectorSize, sector.allSatisfy({ $0 == byte }) else { return nil }
      }
      return part
    }
  }

  /// The parts of a page in which a sector of its file is one of another page or time: several pointers
  /// into it, and at least a third of all, lead to no cell with a rowid between those of its neighbours.
  private func strangeParts(of reading: PageReading) -> [Range<Int>] {
    let (page, content) = (reading.page, reading.content)
    guard content.layoutFault != nil, !content.cells.isEmpty else { return [] }
    let rowIDs = content.cells.compactMap(\.rowID)
    let cells =
      page.kind.isTable && rowIDs.count == content.cells.count
      ? rowIDs.longestAscent(by: <).map { content.cells[$0] } : content.cells
    let known = Set(cells.map(\.offset))
    // Pointers to where no cell can be are damaged themselves.
    let targets = page.targets.filter { $0 >= page.pointerArrayEnd }
    return parts(of: page.bytes, on: page.number).map(\.part).filter { part in
      let led = targets.filter(part.contains)
      let astray = led.count { !known.contains($0) }
      guard astray >= Self.strangeMin, 3 * astray >= led.count else { return false }
      // Where the pointers were lost instead, the cells are there.
      return cells.reduce(part.count) { $0 - part.clamped(to: $1.offset..<$1.end).count } >= 4
    }
  }
}

extension BTreePage {
  /// Where the pointers lead, as many as the header counts.
  fileprivate var targets: [Int] {
    (0..<cellCount).compactMap { bytes.big16(at: pointerArrayOffset + 2 * $0) }
  }

  /// How many equal bytes are more than a part of a cell.
  private static let blankMin = 32

  /// The stretches of zeros, or of bytes as erased media have them, in which cells should start: what
  /// was written there is lost, wherever sectors begin.
  fileprivate var blankTargets: [Range<Int>] {
    var found: [Range<Int>] = []
    for target in targets where !found.contains(where: { $0.contains(target) }) {
      guard bytes.indices.contains(target), [0, 0xFF].contains(bytes[target]) else { continue }
      let byte = bytes[target]
      let start = bytes[..<target].lastIndex { $0 != byte }.map { $0 + 1 } ?? 0
      let end = bytes[target...].firstIndex { $0 != byte } ?? bytes.endIndex
      if end - start >= Self.blankMin { found.append(start..<end) }
    }
    return found
  }

  /// Whether a cell reaches into a lost sector, or out of it: one with foreign bytes, or one with the same
  /// byte throughout.
  ///
  /// A value may be one byte again and again, too. It hardly begins where a sector does, and no cell
  /// starts inside it.
  fileprivate func isTorn(in cell: Cell, _ lost: LostParts) -> Bool {
    let reached = cell.offset + 1..<max(cell.offset + 1, cell.local.upperBound)
    return lost.strange.contains {
      reached.contains($0.lowerBound) || reached.contains($0.upperBound)
    }
      || lost.blank.contains { part in
        reached.contains(part.lowerBound)
          && (bytes[part.lowerBound - 1] != bytes[part.lowerBound]
            || targets.contains(where: part.contains))
      }
  }
}
