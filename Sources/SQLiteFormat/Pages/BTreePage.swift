// SPDX-License-Identifier: Apache-2.0
// One page of a b-tree: its header, its cell pointers, its cells.
//
// offset size   (from 100 on page 1, else from 0)
//      0    1  kind: 2 index interior, 5 table interior, 10 index leaf, 13 table leaf
//      1    2  first freeblock; 0 for none
//      3    2  number of cells
//      5    2  start of the cell content area; 0 means 65536
//      7    1  fragmented free bytes
//      8    4  right-most child, interior pages only
//   8/12   2n  cell pointers, in key order

/// One page of a b-tree.
///
/// File format, section 1.6.
package struct BTreePage: Hashable, Sendable {
  /// What a b-tree page holds.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Keys and children of an index or WITHOUT ROWID table.
    case indexInterior = 2
    /// Rowids and children of a table.
    case tableInterior = 5
    /// Keys of an index or WITHOUT ROWID table.
    case indexLeaf = 10
    /// Rows of a table.
    case tableLeaf = 13

    /// Whether the page has no children.
    package var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
    /// Whether the page belongs to a table with rowids.
    package var isTable: Bool { self == .tableLeaf || self == .tableInterior }
    /// The kind in words.
    package var description: String {
      switch self {
      case .indexInterior: "index interior"
      case .tableInterior: "table interior"
      case .indexLeaf: "index leaf"
      case .tableLeaf: "table leaf"
      }
    }
    /// The length of the page header.
    var headerSize: Int { isLeaf ? 8 : 12 }
  }

  /// The page's number.
  package let number: PageNumber
  /// The page's bytes; fewer than a page where the file ends inside it.
  package let bytes: Bytes
  /// How the database is cut into pages.
  package let geometry: Geometry
  /// What the page holds.
  package let kind: Kind
  /// Where the page header starts: 100 on page 1, else 0.
  package let headerOffset: Int
  /// The number of cells.
  package let cellCount: Int
  /// The offset of the first freeblock; 0 for none.
  package let firstFreeblock: Int
  /// Where the cell content area starts.
  package let contentStart: Int
  /// Free bytes in pieces of fewer than four.
  package let fragmentedBytes: Int
  /// The right-most child of an interior page; nil on leaves, and where it is 0.
  package let rightChild: PageNumber?

  /// Where the cell pointers start.
  package var pointerArrayOffset: Int { headerOffset + kind.headerSize }
  /// Where the cell pointers end.
  package var pointerArrayEnd: Int { pointerArrayOffset + 2 * cellCount }
}

extension BTreePage {
  /// Reads a page header.
  ///
  /// - Throws: ``FormatError`` when the first byte is that of no b-tree page, the
  ///   header is cut off, or more cells are claimed than fit.
  package init(_ bytes: Bytes, number: PageNumber, geometry: Geometry) throws(FormatError) {
    let start = number == .first ? DatabaseHeader.byteCount : 0
    guard bytes.count >= start + 8 else { throw FormatError(.pageIncomplete, page: number) }
    guard let kind = Kind(rawValue: bytes[start]) else {
      throw FormatError(.notABTreePage(type: bytes[start]), page: number, offset: start)
    }
    let content = bytes.big16(at: start + 5) ?? 0
    self.number = number
    self.bytes = bytes
    self.geometry = geometry
    self.kind = kind
    headerOffset = start
    firstFreeblock = bytes.big16(at: start + 1) ?? 0
    cellCount = bytes.big16(at: start + 3) ?? 0
    contentStart = content == 0 ? 65536 : content
    fragmentedBytes = Int(bytes[start + 7])
    rightChild = kind.isLeaf ? nil : PageNumber(bytes.big32(at: start + 8) ?? 0)
    guard pointerArrayEnd <= geometry.usable, cellCount <= geometry.cellCountMax else {
      throw FormatError(.cellCountTooLarge(cellCount), page: number, offset: start + 3)
    }
  }

  /// The cell that a pointer leads to.
  ///
  /// - Throws: ``FormatError`` when the pointer leads outside the page's content,
  ///   or the cell does not end inside the page.
  package func cell(_ index: Int) throws(FormatError) -> Cell {
    guard let pointer = bytes.big16(at: pointerArrayOffset + 2 * index) else {
      throw FormatError(.pageIncomplete, page: number, offset: pointerArrayOffset + 2 * index)
    }
    guard pointer >= pointerArrayEnd, pointer <= geometry.usable - 4 else {
      throw FormatError(
        .cellPointerOutside(pointer), page: number, offset: pointerArrayOffset + 2 * index)
    }
    return try cell(at: pointer)
  }

  /// The pages to which its cells and its header lead, from left to right, nil for one that has no
  /// number; none of a leaf.
  package func children(of cells: [Cell]) -> [PageNumber?] {
    kind.isLeaf ? [] : cells.map { PageNumber($0.leftChild) } + [rightChild]
  }

  /// The cell at an offset, whether or not a pointer leads there.
  ///
  /// - Throws: ``FormatError`` when no cell of this page's kind can lie there.
  package func cell(at offset: Int) throws(FormatError) -> Cell {
    try Cell(in: self, at: offset)
  }
}
