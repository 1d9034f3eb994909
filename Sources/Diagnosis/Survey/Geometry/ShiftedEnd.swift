// SPDX-License-Identifier: Apache-2.0
// The end of a file that has some bytes too many or too few: behind the place where they were put in or
// left out nothing lies any more that would show where pages begin.
//
//   pages that lie where their numbers say     | the last of them, and overflow pages |
//                                                cell cell c|ll  ell  ell               + or − bytes

import SQLiteFormat

/// What may not be as it was written at the end of a file that is some bytes longer or shorter than its
/// pages.
struct ShiftedEnd {
  /// Where cells start on the last page of a tree, whose values may be others.
  let doubtfulCells: [PageNumber: [Int]]
  /// The pages behind it, if they are overflow pages.
  let doubtfulPages: Set<PageNumber>

  /// How many pages behind the last one of a tree are looked at.
  private static let pagesMax = 4096
  /// With what text that a program writes behind the end of a file ends: hardly a row does.
  private static let endsOfText: Set<UInt8> = [0x0A, 0x0D, 0x1A]
  /// By how many bytes at a time zeros fill a file up.
  private static let sectorSize = 512

  /// Looks at the end of a database file that lies as it was written but for that; nil where it has as
  /// many bytes as its pages, or lacks only what was cut off, or has only what is put behind an end.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init?(_ source: any PageSource, _ geometry: Geometry) throws(ReadFailure) {
    let pageSize = geometry.pageSize
    guard
      let header = DatabaseHeader(try source.read(at: 0, count: DatabaseHeader.byteCount)),
      header.isPageCountValid
    else { return nil }
    let shift = source.byteCount - header.pageCount * pageSize
    guard shift != 0, abs(shift) < pageSize else { return nil }
    if shift > 0 {
      let rest = try source.read(at: source.byteCount - shift, count: shift)
      let isFilling = rest.isZero && shift.isMultiple(of: Self.sectorSize)
      let isText = rest.allSatisfy { $0 >= 0x20 || $0 == 0x09 || Self.endsOfText.contains($0) }
      if isFilling || isText && rest.last.map(Self.endsOfText.contains) == true { return nil }
    }
    var pages: Set<PageNumber> = []
    var cells: [PageNumber: [Int]] = [:]
    var number = PageNumber(header.pageCount)
    while let page = number, pages.count < Self.pagesMax {
      var bytes = try source.read(at: (page.number - 1) * pageSize, count: pageSize)
      bytes += Bytes(repeating: 0, count: pageSize - bytes.count)
      // No overflow page begins as a page of a tree does: it would lead to one of millions.
      if let tree = try? BTreePage(bytes, number: page, geometry: geometry) {
        let doubtful = Self.doubtfulCells(of: tree, isCutOff: pages.isEmpty && shift < 0)
        if !doubtful.isEmpty { cells[page] = doubtful }
        break
      }
      if !bytes.isZero { pages.insert(page) }
      number = PageNumber(page.number - 1)
    }
    guard !cells.isEmpty || !pages.isEmpty else { return nil }
    (doubtfulCells, doubtfulPages) = (cells, pages)
  }

  /// The cells from the one on through which the place may run: all behind it lie elsewhere than the
  /// pointers say.
  ///
  /// Where no cell is amiss, it is the last one, unless the page `isCutOff`: then its end is missing.
  private static func doubtfulCells(of page: BTreePage, isCutOff: Bool) -> [Int] {
    let cells = (0..<page.cellCount).map { position -> (offset: Int, end: Int?) in
      let place = page.pointerArrayOffset + 2 * position
      let offset = page.bytes.big16(at: place) ?? 0
      return (offset, (try? page.cell(position))?.end)
    }.sorted { $0.offset < $1.offset }
    let hasGaps = page.firstFreeblock != 0 || page.fragmentedBytes > 0
    let ends = cells.dropFirst().map(\.offset) + [page.geometry.usable]
    let amiss = zip(cells, ends).enumerated().first { _, pair in
      guard let end = pair.0.end else { return true }
      return hasGaps ? end > pair.1 : end != pair.1
    }?.offset
    guard let amiss else { return isCutOff ? [] : cells.suffix(1).map(\.offset) }
    return cells[max(0, amiss - 1)...].map(\.offset)
  }
}
