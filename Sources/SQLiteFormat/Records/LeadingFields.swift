// SPDX-License-Identifier: Apache-2.0
// What a cell still tells of a record whose overflow chain is broken.

/// The fields at the start of a record whose end is lost.
public struct LeadingFields: Sendable {
  /// The record, cut off behind the last field that is there whole.
  public let record: Record
  /// How many fields the whole record has.
  public let fieldCount: Int
}

extension Image {
  /// The fields of a cell's record that end in the cell itself; nil where nothing proves them.
  ///
  /// The record's header must lie in the cell whole, and name fields that add up to the payload.
  /// Overflow pages are not looked at. File format, sections 1.6 and 2.1.
  public func leadingFields(of cell: Cell, on page: BTreePage) -> LeadingFields? {
    let bytes = page.bytes
    let start = cell.local.lowerBound
    guard cell.overflow != nil,
      let (size, length) = bytes.varint(at: start, limit: cell.local.upperBound),
      size >= UInt64(length), size <= UInt64(cell.local.count)
    else { return nil }
    let headerEnd = start + Int(size)
    var cursor = start + length
    var end = Int(size)
    var fieldCount = 0
    // The part of header and content that belongs to the fields which are there whole.
    var kept = (types: cursor..<cursor, content: headerEnd..<headerEnd)
    while cursor < headerEnd {
      guard let (type, length) = bytes.varint(at: cursor, limit: headerEnd),
        let width = Record.width(ofSerialType: type), width <= cell.payloadSize - end
      else { return nil }
      let isNext = kept.types.upperBound == cursor
      end += width
      cursor += length
      fieldCount += 1
      guard isNext, end <= cell.local.count else { continue }
      kept.types = kept.types.lowerBound..<cursor
      kept.content = headerEnd..<(start + end)
    }
    guard end == cell.payloadSize else { return nil }
    let cut = Bytes(headerFor: bytes[kept.types]) + bytes[kept.content]
    return (try? Record(cut, in: 0..<cut.count)).map {
      LeadingFields(record: $0, fieldCount: fieldCount)
    }
  }
}

extension Bytes {
  /// A record header of these serial types; its size comes first and counts itself.
  fileprivate init(headerFor types: SubSequence) {
    self = []
    // A header in a cell is shorter than a page of 65536 bytes: three bytes hold its size.
    let length = types.count < 0x7F ? 1 : types.count < 0x3FFE ? 2 : 3
    let size = types.count + length
    for shift in (0..<length).reversed() {
      let digit = UInt8(truncatingIfNeeded: size >> (7 * shift)) & 0x7F
      append(shift > 0 ? digit | 0x80 : digit)
    }
    append(contentsOf: types)
  }
}
