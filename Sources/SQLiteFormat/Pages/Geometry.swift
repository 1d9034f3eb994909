// SPDX-License-Identifier: Apache-2.0
// How a database is cut into pages, and how much of a payload a page keeps.

/// The page size and the bytes reserved at the end of every page.
package struct Geometry: Hashable, Sendable {
  /// Bytes in a page: a power of two, 512...65536.
  package let pageSize: Int
  /// Bytes at the end of each page that SQLite leaves to extensions.
  package let reserved: Int

  /// The page sizes that there are.
  package static let pageSizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]

  /// Makes a geometry; nil when SQLite would not accept it.
  ///
  /// At least 480 bytes of a page must be usable. File format, section 1.3.4.
  package init?(pageSize: Int, reserved: Int = 0) {
    guard Self.pageSizes.contains(pageSize), (0...255).contains(reserved),
      pageSize - reserved >= 480
    else { return nil }
    self.pageSize = pageSize
    self.reserved = reserved
  }

  /// The bytes of a page that hold content (U in the file-format document).
  package var usable: Int { pageSize - reserved }

  /// The page that contains byte 2^30, which never holds content.
  ///
  /// Section 1.4.
  package var lockBytePage: PageNumber? { PageNumber((1 << 30) / pageSize + 1) }

  /// The payload bytes of one overflow page.
  package var overflowCapacity: Int { usable - 4 }

  /// How many overflow pages the payload of a cell needs; none where it lies wholly in the cell.
  package func chainLength(of cell: Cell) -> Int {
    guard cell.overflow != nil else { return 0 }
    return (cell.payloadSize - cell.local.count + overflowCapacity - 1) / overflowCapacity
  }

  /// The most cells that any page can hold: a pointer and four bytes each.
  package var cellCountMax: Int { (usable - 8) / 6 }

  /// The payload bytes that stay in the page, of a payload of `total` bytes.
  ///
  /// Section 1.6.
  package func localPayload(total: Int, tableLeaf: Bool) -> Int {
    let most = tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
    guard total > most else { return total }
    let least = (usable - 12) * 32 / 255 - 23
    let kept = least + (total - least) % (usable - 4)
    return kept <= most ? kept : least
  }

  /// The distance between two pointer-map pages.
  ///
  /// Section 1.8.
  package var pointerMapSpan: Int { usable / 5 + 1 }

  /// The pointer-map page that has the entry of a page, in auto-vacuum databases.
  ///
  /// The first is page 2; where one would fall on the lock-byte page, it is the
  /// page after that.
  package func pointerMapPage(for page: PageNumber) -> PageNumber? {
    guard page.number >= 2 else { return nil }
    let index = (page.number - 2) / pointerMapSpan
    let candidate = index * pointerMapSpan + 2
    return PageNumber(candidate == lockBytePage?.number ? candidate + 1 : candidate)
  }

  /// Whether a page is a pointer-map page, in auto-vacuum databases.
  package func isPointerMap(_ page: PageNumber) -> Bool {
    pointerMapPage(for: page) == page
  }
}
