// SPDX-License-Identifier: Apache-2.0
// What is left of a payload whose overflow chain is broken, and where the chain may go on.

/// The fields of a record that end before its overflow chain breaks, and how the next one begins.
package struct LeadingFields: Sendable {
  /// A record of these fields alone.
  package let record: Record
  /// The first bytes of the text or blob in which the chain breaks; nil where it breaks between
  /// fields.
  package let cut: Value?
  /// How many fields the whole record has.
  package let announced: Int

  /// The most bytes of a payload that are looked at.
  static let byteCountMax = 1 << 24
}

extension Image {
  /// The fields of a cell's record that end before its chain breaks; nil where not even its header
  /// is there.
  ///
  /// The part in the cell itself is always believed. Of the chain, it is the pages before the one
  /// whose link cannot be; where the chain has the wrong length instead, it may have gone astray
  /// anywhere, and only pages that a pointer map confirms are believed.
  package func leadingFields(
    of cell: Cell, on page: BTreePage, followsChain: Bool = true
  ) -> LeadingFields? {
    var payload = page.bytes.slice(cell.local)
    guard payload.count == cell.local.count else { return nil }
    for number in followsChain ? believedPages(of: cell, on: page.number) : [] {
      let rest = min(cell.payloadSize, LeadingFields.byteCountMax) - payload.count
      guard rest > 0, let bytes = try? bytes(of: number) else { break }
      payload.append(contentsOf: bytes.dropFirst(4).prefix(min(rest, geometry.overflowCapacity)))
    }
    return LeadingFields(payload, of: cell.payloadSize)
  }

  /// Whether the pointer map says that pages are the overflow chain of a cell, or go on with one
  /// behind the page `previous`; nil where it says nothing.
  ///
  /// An entry that makes no sense says nothing. File format, section 1.8.
  package func pointerMapConfirms(
    _ pages: some Collection<PageNumber>, from page: PageNumber, behind previous: PageNumber?
  ) -> Bool? {
    var parent = previous ?? page
    var answer: Bool?
    for (position, number) in pages.enumerated() {
      if let entry = pointerMapEntry(of: number) {
        let isFirst = previous == nil && position == 0
        guard entry == .overflow(after: parent, isFirst: isFirst) else { return false }
        answer = true
      }
      parent = number
    }
    return answer
  }

  /// The overflow pages that the links of a cell's chain lead to, as far as they can be right.
  package func reachedPages(of cell: Cell, on page: PageNumber) -> [PageNumber] {
    links(from: cell.overflow ?? 0, upTo: geometry.chainLength(of: cell), besides: [page]).pages
  }

  /// The pages to which links lead, one after the other, as far as these can be right, with the link
  /// of the last one; no page twice, and none that was seen before.
  private func links(
    from first: UInt32, upTo count: Int, besides known: Set<PageNumber>
  ) -> (pages: [PageNumber], next: UInt32) {
    var pages: [PageNumber] = []
    var seen = known
    var next = first
    while let number = PageNumber(next), pages.count < count, number != .first,
      number != geometry.lockBytePage, number.number <= pageCount, seen.insert(number).inserted,
      let following = try? bytes(of: number).big32(at: 0)
    {
      pages.append(number)
      next = following
    }
    return (pages, next)
  }

  /// How many pages may be read to follow the chain of a cell; none where its length cannot be.
  package func pagesToFollow(for cell: Cell) -> Int {
    let length = geometry.chainLength(of: cell)
    return length < pageCount ? length : 0
  }

  /// The record of a cell; nil where it cannot be read, or spills over more pages than there is
  /// patience for.
  package func record(of cell: Cell, on page: BTreePage, _ patience: inout Int) -> Record? {
    let pages = pagesToFollow(for: cell)
    guard pages <= patience else { return nil }
    patience -= pages
    return try? record(of: cell, on: page).record
  }

  /// The pages of a broken chain that are part of it as far as can be told.
  private func believedPages(of cell: Cell, on page: PageNumber) -> [PageNumber] {
    guard let first = cell.overflow else { return [] }
    let count = geometry.chainLength(of: cell)
    let (pages, next) = links(from: first, upTo: count, besides: [])
    let confirmed = pages.indices.prefix { place in
      pointerMapEntry(of: pages[place])
        == .overflow(after: place > 0 ? pages[place - 1] : page, isFirst: place == 0)
    }.count
    // The last link leads astray, and may have been on a page that is no part of the chain.
    if pages.count < count, next != 0 {
      return pages.dropLast(confirmed == pages.count ? 0 : 1)
    }
    // A whole chain that breaks its record has a last page of zeros.
    if pages.count == count, next == 0, let last = pages.last,
      (try? bytes(of: last).isZero) ?? false
    {
      return pages.dropLast()
    }
    return Array(pages.prefix(confirmed))
  }

  /// The pointer-map entry of a page; nil where the database has no pointer maps.
  private func pointerMapEntry(of page: PageNumber) -> PointerMapEntry? {
    guard header?.isAutoVacuum == true,
      let map = geometry.pointerMapPage(for: page), let bytes = try? bytes(of: map)
    else { return nil }
    return pointerMapEntry(of: page, in: bytes)
  }
}

extension PointerMapEntry {
  /// The entry of an overflow page.
  fileprivate static func overflow(after parent: PageNumber, isFirst: Bool) -> PointerMapEntry {
    PointerMapEntry(isFirst ? .firstOverflow : .laterOverflow, parent: parent)
  }
}

extension LeadingFields {
  /// The fields that lie wholly in the first bytes of a payload of `total` bytes.
  fileprivate init?(_ payload: Bytes, of total: Int) {
    guard let (size, length) = payload.varint(at: 0, limit: payload.count),
      size > UInt64(length), size <= UInt64(payload.count)
    else { return nil }
    let headerEnd = Int(size)
    var cursor = length
    var end = headerEnd
    var announced = 0
    var kept = (types: length, values: headerEnd)
    var cut: Value?
    while cursor < headerEnd {
      guard let (type, length) = payload.varint(at: cursor, limit: headerEnd),
        let width = Record.width(ofSerialType: type), width <= total - end
      else { return nil }
      cursor += length
      end += width
      announced += 1
      if end <= payload.count {
        kept = (cursor, end)
      } else if type >= 12, case let start = end - width, start < payload.count {
        let bytes = payload.slice(start..<payload.count)
        cut = type % 2 == 0 ? .blob(bytes) : .text(bytes)
      }
    }
    guard end == total else { return nil }
    let types = payload[length..<kept.types]
    // The new header is no longer than the old one: its size takes as many bytes, or fewer.
    var record = Bytes(headerSize: types.count)
    record.append(contentsOf: types)
    record.append(contentsOf: payload[headerEnd..<kept.values])
    guard let leading = try? Record(record, in: 0..<record.count) else { return nil }
    self.init(record: leading, cut: cut, announced: announced)
  }
}

extension Bytes {
  /// The size of a record header with so many bytes of serial types, which counts itself.
  fileprivate init(headerSize types: Int) {
    self.init()
    let length = types < 127 ? 1 : types < 16382 ? 2 : 3
    for group in (0..<length).reversed() {
      let bits = UInt8(truncatingIfNeeded: (types + length) >> (7 * group)) & 0x7F
      append(group == 0 ? bits : bits | 0x80)
    }
  }
}
