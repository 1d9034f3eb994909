// SPDX-License-Identifier: Apache-2.0
// The chain of pages that holds what of a payload does not fit in its cell.
//
// offset size
//      0    4  next page; 0 on the last
//      4       payload

/// The overflow pages of one payload: a chain of the right length.
package struct OverflowChain: Hashable, Sendable {
  /// The pages in order.
  package let pages: [PageNumber]

  /// A chain of these pages, whatever their links say.
  package init(pages: [PageNumber]) {
    self.pages = pages
  }
}

extension Image {
  /// The chain of a cell's payload; empty when the payload is wholly local.
  ///
  /// A chain is proven when it has exactly the pages that its payload needs, all of
  /// them in range and different, none of them page 1 or the lock-byte page, and
  /// the last one ends it. File format, section 1.7.
  ///
  /// - Throws: ``FormatError`` at the page where the chain breaks.
  package func overflowChain(
    of cell: Cell, on page: PageNumber
  ) throws(FormatError) -> OverflowChain {
    var nothing = Bytes()
    return try follow(cell, on: page, keeping: 0, in: &nothing).chain
  }

  /// Follows the chain of a cell's payload, and appends to `start` what it holds until that has
  /// `count` bytes; gives the last page, too.
  private func follow(
    _ cell: Cell, on page: PageNumber, keeping count: Int, in start: inout Bytes
  ) throws(FormatError) -> (chain: OverflowChain, last: Bytes) {
    guard let first = cell.overflow else { return (OverflowChain(pages: []), Bytes()) }
    guard hasPageNumbers else { throw FormatError(.chainAstray, page: page) }
    let capacity = geometry.overflowCapacity
    var rest = cell.payloadSize - cell.local.count
    let length = geometry.chainLength(of: cell)
    guard length < pageCount else { throw FormatError(.payloadTooLarge, page: page) }
    start.reserveCapacity(count)
    var pages: [PageNumber] = []
    pages.reserveCapacity(length)
    var last = Bytes()
    var next = first
    while let number = PageNumber(next) {
      let previous = pages.last ?? page
      guard number != .first, number != geometry.lockBytePage, number.number <= pageCount else {
        throw FormatError(.chainAstray, page: previous)
      }
      guard pages.count < length else { throw Self.tooLong(pages, next: number) }
      pages.append(number)
      let content = try bytes(of: number)
      let held = min(rest, capacity)
      guard let following = content.big32(at: 0), content.count >= 4 + held else {
        throw FormatError(.pageIncomplete, page: number)
      }
      let kept = min(held, count - start.count)
      if kept > 0 { start.append(contentsOf: content[4..<(4 + kept)]) }
      rest -= held
      next = following
      last = content
    }
    guard pages.count == length else {
      throw FormatError(.chainTooShort, page: pages.last ?? page)
    }
    return (OverflowChain(pages: pages), last)
  }

  /// Why a chain does not end where it should: a chain that meets itself never ends, so that one
  /// that does end has met no page twice.
  private static func tooLong(_ pages: [PageNumber], next: PageNumber) -> FormatError {
    var seen: Set<PageNumber> = []
    var previous = next
    for page in pages + [next] {
      guard seen.insert(page).inserted else { return FormatError(.chainAstray, page: previous) }
      previous = page
    }
    return FormatError(.chainTooLong, page: pages.last)
  }

  /// The record of a cell, with its overflow pages.
  ///
  /// Of a payload longer than ``Record/wholeMax``, only the start is held in memory.
  ///
  /// - Throws: ``FormatError`` when the chain is broken or the record does not hold.
  package func record(
    of cell: Cell, on page: BTreePage
  ) throws(FormatError) -> (record: Record, chain: OverflowChain) {
    do throws(FormatError) {
      guard cell.overflow != nil else {
        if hasOverwrittenText(cell, on: page) {
          throw FormatError(.textOverwritten, page: page.number)
        }
        return (try Record(page.bytes, in: cell.local), OverflowChain(pages: []))
      }
      let isWhole = cell.payloadSize <= Record.wholeMax
      let local = page.bytes.slice(cell.local)
      var start = local
      let (chain, last) = try follow(
        cell, on: page.number, keeping: isWhole ? cell.payloadSize : Record.startMax, in: &start)
      let payload = LongPayload(
        self, local: local, chain: chain, byteCount: cell.payloadSize)
      let record =
        isWhole
        ? try Record(start, in: 0..<start.count) : try Record(start: start, of: payload)
      if last.isZero, try cutsText(of: record, atEndOf: chain, behind: local) {
        throw FormatError(.chainBlank, page: chain.pages.last)
      }
      if let page = overwrittenPage(of: record, in: cell, on: page, along: chain) {
        throw FormatError(.textOverwritten, page: page)
      }
      return (record, chain)
    } catch {
      throw error.met(in: cell, on: page.number)
    }
  }

  /// Whether the last page of a chain, which is nothing but zeros, lies in the midst of a text that
  /// goes up to the edge of the page before: it was overwritten, or never written.
  ///
  /// A text that ends in NULs, as some programs store it, hardly does so from there on.
  private func cutsText(
    of record: Record, atEndOf chain: OverflowChain, behind local: Bytes
  ) throws(FormatError) -> Bool {
    let capacity = geometry.overflowCapacity
    let edge = local.count + capacity * (chain.pages.count - 1)
    let isInText = record.fields.contains {
      $0.isText && $0.offset < edge && $0.end - edge >= Self.cutTextMin
    }
    guard isInText else { return false }
    guard let previous = chain.pages.dropLast().last else {
      return !local.suffix(2).allSatisfy { $0 == 0 }
    }
    return try !bytes(of: previous).dropFirst(4).prefix(capacity).suffix(2).allSatisfy { $0 == 0 }
  }

  /// How many bytes of a text on a page of zeros tell that they are not its own.
  private static let cutTextMin = 8

  /// The record of a cell whose overflow pages are known to be these, whatever their links say.
  ///
  /// - Throws: ``FormatError`` when a page cannot be read or the record does not hold.
  package func record(
    of cell: Cell, on page: BTreePage, along chain: OverflowChain
  ) throws(FormatError) -> Record {
    let local = page.bytes.slice(cell.local)
    let isWhole = cell.payloadSize <= Record.wholeMax
    let wanted = isWhole ? cell.payloadSize : Record.startMax
    let payload = LongPayload(self, local: local, chain: chain, byteCount: cell.payloadSize)
    let start = try payload.read(0..<min(wanted, cell.payloadSize))
    return isWhole
      ? try Record(start, in: 0..<start.count) : try Record(start: start, of: payload)
  }
}
