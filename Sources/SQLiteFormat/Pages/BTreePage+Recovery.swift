// SPDX-License-Identifier: Apache-2.0
// The cells of a page whose cell pointers are lost: the content area says itself where they are.

extension BTreePage {
  /// The cells of the page, found without its cell pointers; nil where there is no proof of them.
  ///
  /// The content area is walked from its start, cell by cell. What is found counts only when
  /// cells, freeblocks and fragments fill the area to its last byte, with as many cells and as
  /// many fragmented bytes as the header says. `isCell` tells whether what lies at a place can
  /// be a cell. Cells of tables are in the order of their rowids, those of indexes in the
  /// order in which they lie.
  public func recoveredCells(where isCell: (Cell) -> Bool) -> [Cell]? {
    guard bytes.count >= geometry.usable, contentStart >= pointerArrayEnd,
      let freeblocks
    else { return nil }
    var blocks = freeblocks[...]
    var cells: [Cell] = []
    var fragments = 0
    var cursor = contentStart
    while cursor < geometry.usable {
      if let block = blocks.first, block.lowerBound == cursor {
        blocks.removeFirst()
        cursor = block.upperBound
      } else if cells.count < cellCount, let cell = try? cell(at: cursor),
        cell.end <= blocks.first?.lowerBound ?? geometry.usable, isCell(cell)
      {
        cells.append(cell)
        cursor = cell.end
      } else {
        fragments += 1
        cursor += 1
        guard fragments <= fragmentedBytes else { return nil }
      }
    }
    guard cells.count == cellCount, fragments == fragmentedBytes else { return nil }
    guard kind.isTable else { return cells }
    guard Set(cells.map(\.rowID)).count == cells.count else { return nil }
    return cells.sorted { ($0.rowID ?? 0) < ($1.rowID ?? 0) }
  }
}

/// The cells of a page, and what is wrong with them and with the page around them.
public struct PageContent: Sendable {
  /// The cells that can be read.
  public let cells: [Cell]
  /// Why others cannot.
  public let faults: [FormatError]
  /// What is wrong with the way the page uses its bytes, first of all; nil on a sound page.
  public let layoutFault: FormatError?
}

extension BTreePage {
  /// The cells that the pointers lead to, with a fault for each pointer that leads to none.
  fileprivate var pointedCells: (cells: [Cell], faults: [FormatError]) {
    var cells: [Cell] = []
    var faults: [FormatError] = []
    cells.reserveCapacity(cellCount)
    for index in 0..<cellCount {
      do throws(FormatError) {
        cells.append(try cell(index))
      } catch {
        faults.append(error)
      }
    }
    return (cells, faults)
  }
}

extension Image {
  /// What a page holds, each cell decoded once where the page is sound.
  public func content(of page: BTreePage) -> PageContent {
    let (pointed, faults) = page.pointedCells
    if faults.isEmpty, page.isTiled(by: pointed) {
      return PageContent(cells: pointed, faults: [], layoutFault: nil)
    }
    let (cells, rest) = cells(of: page)
    return PageContent(cells: cells, faults: rest, layoutFault: page.layoutFaults.first)
  }

  /// The cells of a page: those that its pointers lead to, or, where a pointer is damaged, those
  /// that fill its content area.
  ///
  /// Where neither accounts for the whole page, the cells that the pointers lead to come with
  /// a fault for each of the others.
  public func cells(of page: BTreePage) -> (cells: [Cell], faults: [FormatError]) {
    let (cells, faults) = page.pointedCells
    guard !faults.isEmpty || cells.overlap,
      let recovered = page.recoveredCells(where: { isPlausible($0, on: page) })
    else { return (cells, faults) }
    return (recovered, [])
  }

  /// Whether a cell can be one, as far as its page tells; where it spills, what follows elsewhere
  /// is for its reader to prove.
  private func isPlausible(_ cell: Cell, on page: BTreePage) -> Bool {
    func isElsewhere(_ stored: UInt32) -> Bool {
      guard let number = PageNumber(stored) else { return false }
      return number != .first && number != page.number && number.number <= pageCount
    }
    if !page.kind.isLeaf, !isElsewhere(cell.leftChild) { return false }
    if let overflow = cell.overflow { return isElsewhere(overflow) }
    return page.kind == .tableInterior || (try? Record(page.bytes, in: cell.local)) != nil
  }
}

extension [Cell] {
  /// Whether two of the cells share a byte.
  fileprivate var overlap: Bool {
    // SQLite fills a page from its end: cells mostly lie in the opposite order of their keys.
    if zip(self, dropFirst()).allSatisfy({ $0.offset >= $1.end }) { return false }
    let inPlace = map { $0.offset..<$0.end }.sorted { $0.lowerBound < $1.lowerBound }
    return zip(inPlace, inPlace.dropFirst()).contains { $0.overlaps($1) }
  }
}
