// SPDX-License-Identifier: Apache-2.0
// The copy of a database as a backup stores it: with zeros in the place of its free pages.

internal import SQLiteFormat

/// A database whose free pages are read as zeros.
///
/// What they hold means nothing: it is what was deleted. The trunks of the free list stay, since they
/// say which pages are free. Whether the list tells the truth shows where a tree has one of its
/// pages: what is read here is then no sound database.
struct ClearedImage: PageSource {
  private let image: any PageSource
  private let pageSize: Int
  /// Whether each page is free, from page 1.
  private let isFree: [Bool]

  /// Finds the free pages of a database; nil when it has none, or its list is damaged.
  init?(_ image: any PageSource) {
    guard let start = try? image.read(at: 0, count: DatabaseHeader.byteCount),
      let header = DatabaseHeader(start), header.freelistCount > 1, let geometry = header.geometry
    else { return nil }
    let pages = Image(FileSet(main: image), geometry: geometry)
    let list = Freelist(pages, first: header.firstFreelistTrunk)
    guard list.faults.isEmpty, list.count == header.freelistCount, !list.leaves.isEmpty else {
      return nil
    }
    var isFree = Array(repeating: false, count: pages.pageCount)
    for page in list.leaves { isFree[page.number - 1] = true }
    self.image = image
    self.isFree = isFree
    pageSize = header.pageSize
  }

  var byteCount: Int { image.byteCount }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    let end = min((offset + count + pageSize - 1) / pageSize, isFree.count)
    let pages = min(offset / pageSize, end)..<end
    if !pages.isEmpty, isFree[pages].allSatisfy({ $0 }) {
      return Bytes(repeating: 0, count: min(count, max(byteCount - offset, 0)))
    }
    var bytes = try image.read(at: offset, count: count)
    for page in pages where isFree[page] {
      let free = (page * pageSize - offset)..<((page + 1) * pageSize - offset)
      let range = free.clamped(to: 0..<bytes.count)
      bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
    }
    return bytes
  }
}
