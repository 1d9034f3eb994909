// SPDX-License-Identifier: Apache-2.0
// The chain of pages that holds what of a payload does not fit in its cell.
//
// offset size
//      0    4  next page; 0 on the last
//      4       payload

/// The overflow pages of one payload, proven to be a chain of the right length.
public struct OverflowChain: Hashable, Sendable {
  /// The pages in order.
  public let pages: [PageNumber]
}

extension Image {
  /// The chain of a cell's payload; empty when the payload is wholly local.
  ///
  /// A chain is proven when it has exactly the pages that its payload needs, all of
  /// them in range and different, none of them page 1 or the lock-byte page, and
  /// the last one ends it. File format, section 1.7.
  ///
  /// - Throws: ``FormatError`` at the page where the chain breaks.
  public func overflowChain(
    of cell: Cell, on page: PageNumber
  ) throws(FormatError) -> OverflowChain {
    guard let first = cell.overflow else { return OverflowChain(pages: []) }
    let rest = cell.payloadSize - cell.local.count
    let count = (rest + geometry.overflowCapacity - 1) / geometry.overflowCapacity
    guard hasPageNumbers else { throw FormatError(.chainAstray, page: page) }
    guard count < pageCount else { throw FormatError(.payloadTooLarge, page: page) }
    var pages: [PageNumber] = []
    var seen: Set<PageNumber> = []
    var next = first
    var previous = page
    while let number = PageNumber(next) {
      guard pages.count < count else { throw FormatError(.chainTooLong, page: previous) }
      guard number != .first, number != geometry.lockBytePage, number.number <= pageCount,
        seen.insert(number).inserted
      else { throw FormatError(.chainAstray, page: previous) }
      pages.append(number)
      previous = number
      let link = try bytes(of: number)
      guard let following = link.big32(at: 0) else {
        throw FormatError(.pageIncomplete, page: number)
      }
      next = following
    }
    guard pages.count == count else { throw FormatError(.chainTooShort, page: previous) }
    return OverflowChain(pages: pages)
  }

  /// The whole payload of a cell, assembled from its proven chain.
  ///
  /// - Throws: ``FormatError`` when the payload is not all there.
  public func payload(
    of cell: Cell, on page: BTreePage, chain: OverflowChain
  ) throws(FormatError) -> Bytes {
    var payload = page.bytes.slice(cell.local)
    payload.reserveCapacity(cell.payloadSize)
    for number in chain.pages {
      let content = try bytes(of: number)
      let count = min(geometry.overflowCapacity, cell.payloadSize - payload.count)
      guard content.count >= 4 + count else { throw FormatError(.pageIncomplete, page: number) }
      payload.append(contentsOf: content[4..<(4 + count)])
    }
    return payload
  }

  /// The record of a cell, with its overflow pages.
  ///
  /// - Throws: ``FormatError`` when the chain is broken or the record does not hold.
  public func record(
    of cell: Cell, on page: BTreePage
  ) throws(FormatError) -> (record: Record, chain: OverflowChain) {
    do {
      guard cell.overflow != nil else {
        return (try Record(page.bytes, in: cell.local), OverflowChain(pages: []))
      }
      let chain = try overflowChain(of: cell, on: page.number)
      let payload = try payload(of: cell, on: page, chain: chain)
      return (try Record(payload, in: 0..<payload.count), chain)
    } catch {
      throw FormatError(
        error.problem, page: error.page ?? page.number, offset: error.offset ?? cell.offset)
    }
  }
}
