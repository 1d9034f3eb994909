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
    /// Rows whose overflow chain is in doubt.
    var spilled: [(row: StoredRecord, doubt: ChainDoubt)] = []
    /// Rows that reach into a part of their page that was lost.
    var torn: [StoredRecord] = []
    /// Rows into which bytes may have been put, or of which some may be missing.
    var joined: [StoredRecord] = []
    /// What cannot be read.
    var faults: [FormatError] = []
  }

  /// The rows of a page, with their overflow pages claimed, and what cannot be read of it.
  ///
  /// The memory is that of this image: a damaged page that was put back into a table was read before.
  func claimedRows(
    on number: PageNumber, isTable: Bool, _ memory: PageMemory, _ chains: ChainRepair,
    _ claims: inout PageClaims
  ) -> ClaimedRows {
    var found = ClaimedRows()
    guard claims.claim(number, for: .tree(0)) else { return found }
    do throws(FormatError) {
      let reading =
        if let kept = memory.reading(of: number, isTable: isTable) {
          kept
        } else {
          try reading(
            of: number, as: isTable ? [.tableLeaf, .tableInterior] : [.indexLeaf, .indexInterior])
        }
      found.faults = reading.content.faults
      guard reading.page.kind != .tableInterior else { return found }
      let (content, listed) = (reading.content, Set(reading.content.listed))
      let blank = blankParts(of: reading.page.bytes, on: number)
      for cell in content.cells + content.listed {
        read(cell, on: reading.page, besides: blank, chains, &claims, &found)
      }
      for cell in content.doubtful where !listed.contains(cell) {
        do throws(FormatError) {
          let row = try claims.readDoubtful(cell, of: reading.page, in: self)
          switch suspicion(of: cell, on: number) {
          case .cellJoined: found.joined.append(row)
          case .chainDisputed: found.spilled.append((row, .disputed))
          default: found.doubtful.append(row)
          }
        } catch {
          found.faults.append(error)
        }
      }
    } catch {
      found.faults.append(error)
    }
    return found
  }

  /// Reads a cell that its page proves.
  private func read(
    _ cell: Cell, on page: BTreePage, besides blank: [Range<Int>], _ chains: ChainRepair,
    _ claims: inout PageClaims, _ found: inout ClaimedRows
  ) {
    if let repair = chains.repair(of: cell, on: page.number),
      let record = try? record(of: cell, on: page, along: repair.chain)
    {
      let row = StoredRecord(
        rowID: cell.rowID, record: record, page: page.number, offset: cell.offset)
      if page.isTorn(in: cell, blank) {
        found.torn.append(row)
      } else if repair.isSound {
        found.rows.append(row)
      } else {
        found.spilled.append((row, .inferred))
      }
      return
    }
    do throws(FormatError) {
      if chains.isShared(cell, on: page.number) {
        found.spilled.append((try claims.readDoubtful(cell, of: page, in: self), .shared))
        return
      }
      let row = try claims.read(cell, of: page, in: self, for: .tree(0))
      if page.isTorn(in: cell, blank) {
        found.torn.append(row)
      } else if hasZeroedPage(cell, on: page) {
        found.spilled.append((row, .zeroed))
      } else {
        found.rows.append(row)
      }
    } catch {
      if error.problem == .textOverwritten,
        let row = claims.readOverwritten(cell, of: page, in: self)
      {
        found.spilled.append((row, .overwritten))
      } else if let partial = partialRow(for: error, on: page, &claims) {
        found.partial.append(partial)
      } else {
        found.faults.append(error)
      }
    }
  }

  /// Where the cells of a page start of whose chains a page is nothing but zeros.
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

extension Image {
  /// The parts of a page in which a whole sector of its file is nothing but one byte.
  ///
  /// The pages of a log do not begin with a sector.
  func blankParts(of bytes: Bytes, on page: PageNumber) -> [Range<Int>] {
    let size = Image.sectorSize
    let offset = offset(of: page)
    guard offset >= 0, !bytes.isEmpty else { return [] }
    return stride(from: offset / size * size, to: offset + bytes.count, by: size).compactMap {
      let part = max(0, $0 - offset)..<min(bytes.count, $0 + size - offset)
      let byte = bytes[part.lowerBound]
      guard bytes[part].allSatisfy({ $0 == byte }) else { return nil }
      if part.count < size {
        let sector = fileBytes(at: $0, count: size, besides: page)
        guard sector.count == size, sector.allSatisfy({ $0 == byte }) else { return nil }
      }
      return part
    }
  }
}

extension BTreePage {
  /// Whether a cell reaches into one of the sectors that are nothing but one byte, where what lies
  /// before that is not, or other cells should start: what was written there is lost.
  ///
  /// A value full of one byte hardly begins with a sector, and none has cells in it.
  func isTorn(in cell: Cell, _ blank: [Range<Int>]) -> Bool {
    blank.contains { part in
      part.lowerBound > cell.offset && part.lowerBound < cell.local.upperBound
        && (bytes[part.lowerBound - 1] != bytes[part.lowerBound] || leads(into: part))
    }
  }

  /// Whether a cell should start in a part of the page.
  private func leads(into part: Range<Int>) -> Bool {
    (0..<cellCount).contains { index in
      bytes.big16(at: pointerArrayOffset + 2 * index).map(part.contains) ?? false
    }
  }
}
