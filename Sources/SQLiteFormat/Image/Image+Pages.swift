// SPDX-License-Identifier: Apache-2.0
// Reading the pages of an image, and how many of them are missing.

extension Image {
  /// Where a page came from.
  package func origin(of page: PageNumber) -> Origin {
    overlay[page]?.origin ?? .main
  }

  /// Where the bytes of a page start in the file that it came from.
  package func offset(of page: PageNumber) -> Int {
    overlay[page]?.offset ?? start + (page.number - 1) * geometry.pageSize
  }

  /// The bytes of a page; fewer than a page only where the file ends inside it.
  ///
  /// - Throws: ``FormatError`` when the image has no such page or it cannot be read.
  package func bytes(of page: PageNumber) throws(FormatError) -> Bytes {
    guard page.number <= pageCount else { throw FormatError(.pageMissing, page: page) }
    var bytes: Bytes
    do {
      if let located = overlay[page], let source = source(of: located.origin) {
        bytes = try source.read(at: located.offset, count: geometry.pageSize)
        if let flip = located.flip, flip.offset < bytes.count { bytes[flip.offset] ^= flip.mask }
      } else {
        bytes = try mainBytes(of: page)
      }
    } catch {
      throw FormatError(.unreadable(error.reason), page: page)
    }
    guard !bytes.isEmpty else { throw FormatError(.pageMissing, page: page) }
    return bytes
  }

  /// The bytes of the file in which a page lies; none where they cannot be read.
  package func fileBytes(at offset: Int, count: Int, besides page: PageNumber) -> Bytes {
    (try? source(of: origin(of: page))?.read(at: offset, count: count)) ?? []
  }

  /// The bytes of a page in the main file.
  ///
  /// Of a page whose beginning is missing with that of the file, the missing bytes are zero.
  private func mainBytes(of page: PageNumber) throws(ReadFailure) -> Bytes {
    let offset = start + (page.number - 1) * geometry.pageSize
    guard offset < 0 else { return try files.main.read(at: offset, count: geometry.pageSize) }
    guard -offset < geometry.pageSize else { return [] }
    let rest = try files.main.read(at: 0, count: geometry.pageSize + offset)
    return Bytes(repeating: 0, count: -offset) + rest
  }

  /// How many pages, of those that the database has, are in none of the files.
  package var missingPages: Int { statedPageCount - pageCount + missingInside }

  /// How many pages below the last one are in none of the files.
  package var missingInside: Int {
    let inFile = min(pageCount, pagesInFile)
    return pageCount - inFile
      - overlay.keys.count { $0.number > inFile && $0.number <= pageCount }
  }

  /// The first page that is in none of the files; nil where all are there.
  package var firstMissingPage: PageNumber? {
    guard missingPages > 0 else { return nil }
    let missing = (pagesInFile + 1)...(pagesInFile + overlay.count + 1)
    return missing.lazy.compactMap { PageNumber($0) }.first { overlay[$0] == nil }
  }

  /// How many pages the main file has, with those that are missing at its beginning.
  var pagesInFile: Int {
    files.pageCount(geometry, from: start)
  }

  /// How many pages are missing as a whole at the beginning of the main file.
  package var missingHead: Int { max(0, -start) / geometry.pageSize }

  private func source(of origin: Origin) -> (any PageSource)? {
    switch origin {
    case .main: files.main
    case .wal: files.wal
    case .journal: files.journal
    }
  }

  /// A page of a b-tree.
  ///
  /// - Throws: ``FormatError`` when the page is missing or no b-tree page.
  package func btreePage(_ number: PageNumber) throws(FormatError) -> BTreePage {
    try BTreePage(bytes(of: number), number: number, geometry: geometry)
  }

  /// The file header, through the overlay; nil when page 1 cannot be read.
  package var header: DatabaseHeader? {
    (try? bytes(of: .first)).flatMap { DatabaseHeader($0) }
  }

  /// The number up to which a page may refer to others: the file may have been cut off behind its last
  /// page.
  var lastReferable: Int {
    let last = max(pageCount, statedPageCount)
    guard let header, header.hasMagic, header.isPageCountValid else { return last }
    // A damaged number would make a page of every number.
    let most = 64 * max(last, (1 << 20) / geometry.pageSize)
    return header.pageCount > most ? last : max(last, header.pageCount)
  }

  /// Every page that is there, from 1 on; none that is missing with the beginning of the file.
  package var pages: some Sequence<PageNumber> {
    let missing = missingHead
    return (0..<pageCount).lazy.compactMap { index in
      PageNumber(index + 1).flatMap { index >= missing || overlay[$0] != nil ? $0 : nil }
    }
  }
}
