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
      for cell in content.cells + content.listed {
        read(cell, on: reading.page, chains, &claims, &found)
      }
      for cell in content.doubtful where !listed.contains(cell) {
        do throws(FormatError) {
          found.doubtful.append(try claims.readDoubtful(cell, of: reading.page, in: self))
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
    _ cell: Cell, on page: BTreePage, _ chains: ChainRepair, _ claims: inout PageClaims,
    _ found: inout ClaimedRows
  ) {
    if let repair = chains.repair(of: cell, on: page.number),
      let record = try? record(of: cell, on: page, along: repair.chain)
    {
      let row = StoredRecord(
        rowID: cell.rowID, record: record, page: page.number, offset: cell.offset)
      if page.isTorn(in: cell) {
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
      if page.isTorn(in: cell) {
        found.torn.append(row)
      } else if hasZeroedPage(cell, on: page) {
        found.spilled.append((row, .zeroed))
      } else {
        found.rows.append(row)
      }
    } catch {
      if let partial = partialRow(for: error, on: page, &claims) {
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

extension BTreePage {
  /// The smallest part of a file that a disk loses or keeps as a whole.
  private static let sectorSize = 512

  /// Whether a cell reaches into a sector of its page that is nothing but zeros, where what lies
  /// before that is not, or other cells should start: what was written there is lost.
  ///
  /// A value full of zeros hardly begins with a sector, and none has cells in it.
  func isTorn(in cell: Cell) -> Bool {
    let size = Self.sectorSize
    guard bytes.count > size else { return false }
    let first = (cell.offset / size + 1) * size
    return stride(from: first, to: min(cell.local.upperBound, bytes.count), by: size).contains {
      let sector = $0..<min($0 + size, bytes.count)
      return bytes[sector].allSatisfy { $0 == 0 } && (bytes[$0 - 1] != 0 || leads(into: sector))
    }
  }

  /// Whether a cell should start in a part of the page.
  private func leads(into part: Range<Int>) -> Bool {
    (0..<cellCount).contains { index in
      bytes.big16(at: pointerArrayOffset + 2 * index).map(part.contains) ?? false
    }
  }
}
