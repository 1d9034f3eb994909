// SPDX-License-Identifier: Apache-2.0
// B-tree pages and small databases made byte by byte.

import RescueTestSupport
import SQLiteFormat

/// A b-tree page laid out as SQLite does: cells from the end, pointers from the start.
struct PageMaker {
  var kind: BTreePage.Kind = .tableLeaf
  var pageSize = 512
  var reserved = 0
  /// Where the page header starts: 100 on page 1.
  var start = 0
  var rightChild: UInt32 = 0
  var cells: [Bytes] = []

  /// The bytes of the page.
  var bytes: Bytes {
    var page = Bytes(repeating: 0, count: pageSize)
    let pointers = start + (kind.isLeaf ? 8 : 12)
    var end = pageSize - reserved
    for (index, cell) in cells.enumerated() {
      end -= max(4, cell.count)
      page.set(cell, at: end)
      page.setBig16(end, at: pointers + 2 * index)
    }
    page[start] = kind.rawValue
    page.setBig16(cells.count, at: start + 3)
    page.setBig16(end & 0xFFFF, at: start + 5)
    if !kind.isLeaf { page.set(.big32(rightChild), at: start + 8) }
    return page
  }

  /// The page, read.
  func read(_ change: (inout Bytes) -> Void = { _ in }) throws -> BTreePage {
    var changed = bytes
    change(&changed)
    return try BTreePage(
      changed, number: start == 100 ? .first : 2.page,
      geometry: .of(pageSize, reserved: reserved))
  }

  /// A table leaf with rows of these rowids.
  static func leaf(_ rowIDs: [Int64], pageSize: Int = 512) -> PageMaker {
    PageMaker(
      pageSize: pageSize,
      cells: rowIDs.map { .tableCell(rowID: $0, .record(text: "row \($0)")) })
  }

  /// An interior page of a table: a largest rowid for every child but the last.
  static func interior(_ children: [(UInt32, Int64)], last: UInt32) -> PageMaker {
    PageMaker(
      kind: .tableInterior, rightChild: last,
      cells: children.map { .interiorCell(child: $0.0, rowID: $0.1) })
  }
}

/// Pages of 512 bytes put together to a file; the first one is an empty schema.
struct FileMaker {
  var pages: [Bytes]
  var header: [Int: UInt32] = [:]

  init(_ pages: [Bytes]) {
    self.pages = [PageMaker(start: 100).bytes] + pages
  }

  /// The bytes of the file.
  var bytes: Bytes {
    var file = pages.reduce(Bytes(), +)
    file.set(DatabaseHeader.magic, at: 0)
    file.setBig16(512, at: 16)
    file.set([1, 1, 0, 64, 32, 32], at: 18)
    for (offset, value) in header { file.set(.big32(value), at: offset) }
    return file
  }

  /// The image of the file.
  func image() throws -> Image {
    Image(FileSet(main: MemorySource(bytes)), geometry: try .of(512))
  }
}
