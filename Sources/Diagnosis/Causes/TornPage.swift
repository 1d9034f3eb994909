// SPDX-License-Identifier: Apache-2.0
// A page whose first sectors are of one moment and the others of another one, as they are when power
// fails between the two.

import SQLiteFormat

/// A leaf of a table whose beginning does not know the rows at its end, though they are whole and
/// are such as it has.
///
/// The cell pointers of a leaf stand at its beginning and its rows at its end. Where only the
/// beginning was written, some pointers lead past the rows of before, which still lie one behind the
/// other up to the end of the page.
struct TornPage {
  /// Where the part begins that is of another moment.
  let seam: Int

  /// Looks for the seam of a leaf; nil where nothing proves one.
  init?(_ page: BTreePage) {
    guard page.kind == .tableLeaf, page.cellCount > 0 else { return nil }
    let pointers = (0..<page.cellCount).compactMap {
      page.bytes.big16(at: page.pointerArrayOffset + 2 * $0)
    }.sorted()
    // Pointers that somebody has changed lead anywhere.
    guard page.pointerArrayEnd <= page.geometry.usable - 4 else { return nil }
    let room = page.pointerArrayEnd...(page.geometry.usable - 4)
    guard zip(pointers, pointers.dropFirst()).allSatisfy({ $1 - $0 >= 4 }),
      pointers.allSatisfy(room.contains)
    else { return nil }
    for seam in stride(from: Scar.sector, to: page.geometry.usable, by: Scar.sector)
    where page.pointerArrayEnd <= seam {
      if Self.isSeam(seam, of: page, pointers) {
        self.seam = seam
        return
      }
    }
    return nil
  }

  /// Whether rows fill the page from a sector on of which its beginning does not know, and all is
  /// well before that sector.
  private static func isSeam(_ seam: Int, of page: BTreePage, _ pointers: [Int]) -> Bool {
    guard let rows = rows(from: seam, of: page) else { return false }
    let starts = Set(pointers)
    let unknown = rows.count { !starts.contains($0.offset) }
    let known = pointers.filter { $0 < seam }
    let cells = known.compactMap { try? page.cell(at: $0) }
    guard cells.count == known.count, unknown >= 2,
      cells.allSatisfy({ $0.end > seam || isWhole($0, on: page) })
    else { return false }
    let isShifted = !known.isEmpty && unknown * 2 > rows.count
    guard isShifted || isOther(page, pointers.filter { $0 >= seam }, than: rows) else {
      return false
    }
    return known.isEmpty || areOfOneLeaf(cells.compactMap(\.rowID), rows.compactMap(\.rowID))
  }

  /// Whether the beginning of a page is that of another state than its rows: another number of them,
  /// room between them where they leave none, and places where none begins.
  ///
  /// A number or a pointer that alone is wrong leaves the others right.
  private static func isOther(_ page: BTreePage, _ pointers: [Int], than rows: [Cell]) -> Bool {
    let starts = Set(rows.map(\.offset))
    let astray = pointers.count { !starts.contains($0) }
    let hole = page.firstFreeblock
    let isHoleTaken = rows.contains { $0.offset <= hole && hole < $0.end }
    let marks = [pointers.count != rows.count, astray > 0, isHoleTaken]
    return marks.count { $0 } >= 2 && astray * 2 <= pointers.count
  }

  /// The rows that lie one behind the other from the first sector of a part to the end of the page.
  private static func rows(from seam: Int, of page: BTreePage) -> [Cell]? {
    // The first of them may begin before the seam.
    for start in seam..<min(seam + Scar.sector, page.geometry.usable) {
      var rows: [Cell] = []
      var offset = start
      while offset < page.geometry.usable, let row = try? page.cell(at: offset),
        isWhole(row, on: page)
      {
        rows.append(row)
        offset = row.end
      }
      if offset == page.geometry.usable, rows.count >= 2 { return rows }
    }
    return nil
  }

  /// Whether a row is as long as it says; of one that goes on elsewhere, whether its header is here.
  private static func isWhole(_ cell: Cell, on page: BTreePage) -> Bool {
    guard cell.overflow != nil else {
      return cell.payloadSize > 1 && (try? Record(page.bytes, in: cell.local)) != nil
    }
    let header = page.bytes.varint(at: cell.local.lowerBound, limit: cell.local.upperBound)
    return header.map { $0.value >= 2 && $0.value <= UInt64(cell.local.count) } ?? false
  }

  /// Whether the rows of both parts are neighbours: a leaf holds rows of one range.
  private static func areOfOneLeaf(_ known: [Int64], _ found: [Int64]) -> Bool {
    guard let low = known.min().map(Double.init), let high = known.max().map(Double.init) else {
      return false
    }
    // As far apart as those that are known, from one to the next.
    let span = (high - low + 1) * Double(known.count + found.count) / Double(known.count)
    return found.allSatisfy { ((low - span)...(high + span)).contains(Double($0)) }
  }
}
