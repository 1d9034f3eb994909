// SPDX-License-Identifier: Apache-2.0
// What a page of a tree holds, and how sure that is.

/// The cells of a page, and what is wrong with them and with the page around them.
package struct PageContent: Sendable {
  /// The cells that the page proves to be its own, in the order of their keys where that is known.
  ///
  /// On a sound page, those that its pointers lead to. On a damaged one, those that what is left
  /// of header, pointers and content agrees on.
  package let cells: [Cell]
  /// Cells that are whole, but of which nothing proves that they are in use.
  ///
  /// They may be what was left of deleted rows.
  package let doubtful: [Cell]
  /// Cells that pointers list, on a page without a hole; nothing else proves them, and those of them
  /// that lie apart are among the doubtful, too.
  ///
  /// A deleted row is among them only where rows were deleted from the end of the page, one by one.
  package let listed: [Cell]
  /// Why others, which the page counts, cannot be read.
  package let faults: [FormatError]
  /// What is wrong with the way the page uses its bytes, first of all; nil on a sound page.
  package let layoutFault: FormatError?
  /// Whether nothing tells how many cells the page has: more may be lost than is known.
  package let isCountLost: Bool

  /// The content of a sound page.
  init(sound cells: [Cell]) {
    self.init(cells: cells, layoutFault: nil)
  }

  init(
    cells: [Cell], doubtful: [Cell] = [], listed: [Cell] = [], faults: [FormatError] = [],
    layoutFault: FormatError?, isCountLost: Bool = false
  ) {
    self.cells = cells
    self.doubtful = doubtful
    self.listed = listed
    self.faults = faults
    self.layoutFault = layoutFault
    self.isCountLost = isCountLost
  }

  /// The same, with the cells in doubt that start at these places.
  func doubting(cellsAt places: [Int]) -> PageContent {
    PageContent(
      cells: cells.filter { !places.contains($0.offset) },
      doubtful: doubtful + cells.filter { places.contains($0.offset) },
      listed: listed, faults: faults, layoutFault: layoutFault, isCountLost: isCountLost)
  }
}

/// A page of a tree, read as far as it can be.
package struct PageReading: Sendable {
  /// The page; its header as it must have been, where it is damaged and the rest tells.
  package let page: BTreePage
  /// Its cells.
  package let content: PageContent

  /// Makes a reading of a page.
  package init(page: BTreePage, content: PageContent) {
    (self.page, self.content) = (page, content)
  }
}

extension BTreePage {
  /// The cells that the pointers lead to, when they and the free space fill the page exactly.
  package var soundCells: [Cell]? {
    var cells: [Cell] = []
    cells.reserveCapacity(cellCount)
    for index in 0..<cellCount {
      guard let cell = try? cell(index) else { return nil }
      cells.append(cell)
    }
    return isTiled(by: cells) ? cells : nil
  }

  /// The cells that can be read, as many as a page has room for: damaged pointers can lead to one cell again
  /// and again.
  package var readableCells: [Cell] {
    var room = geometry.usable
    return Array(
      (0..<cellCount).lazy.compactMap { try? self.cell($0) }.prefix { cell in
        room -= cell.size
        return room >= 0
      })
  }

  /// A page as if it were of a kind, with the rest of its header as it is stored.
  ///
  /// Nil when the bytes end inside the header.
  init?(_ bytes: Bytes, number: PageNumber, geometry: Geometry, readAs kind: Kind) {
    let start = number == .first ? DatabaseHeader.byteCount : 0
    guard bytes.count >= start + kind.headerSize else { return nil }
    let content = bytes.big16(at: start + 5) ?? 0
    self.init(
      number: number, bytes: bytes, geometry: geometry, kind: kind, headerOffset: start,
      cellCount: bytes.big16(at: start + 3) ?? 0, firstFreeblock: bytes.big16(at: start + 1) ?? 0,
      contentStart: content == 0 ? 65536 : content, fragmentedBytes: Int(bytes[start + 7]),
      rightChild: kind.isLeaf ? nil : PageNumber(bytes.big32(at: start + 8) ?? 0))
  }

  /// The page with another number of cells, start of its content, and right-most child.
  func with(cellCount: Int, contentStart: Int, rightChild: PageNumber?) -> BTreePage {
    BTreePage(
      number: number, bytes: bytes, geometry: geometry, kind: kind, headerOffset: headerOffset,
      cellCount: cellCount, firstFreeblock: firstFreeblock, contentStart: contentStart,
      fragmentedBytes: fragmentedBytes, rightChild: rightChild)
  }
}
