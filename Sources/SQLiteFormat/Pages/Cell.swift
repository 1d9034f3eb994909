// SPDX-License-Identifier: Apache-2.0
// One cell of a b-tree page.
//
//                    left child  payload size  rowid   payload  first overflow page
// table leaf                     varint        varint  bytes    4 bytes, if it spills
// table interior     4 bytes                   varint
// index leaf                     varint                bytes    4 bytes, if it spills
// index interior     4 bytes     varint                bytes    4 bytes, if it spills

/// One cell of a b-tree page: where its parts lie.
///
/// File format, section 1.6.
package struct Cell: Hashable, Sendable {
  /// Where the cell starts in its page.
  package let offset: Int
  /// The bytes that it occupies there; never fewer than four.
  package let size: Int
  /// The left child, as stored; 0 on leaves.
  package let leftChild: UInt32
  /// The rowid of a table's cell.
  package let rowID: Int64?
  /// The length of the whole payload.
  package let payloadSize: Int
  /// Where the local part of the payload lies in the page.
  package let local: Range<Int>
  /// The first overflow page as stored; nil when the payload is wholly local.
  package let overflow: UInt32?

  /// Where the cell ends in its page.
  package var end: Int { offset + size }
}

extension Cell {
  /// Reads the cell of a page at an offset.
  ///
  /// - Throws: ``FormatError`` when the cell does not end inside the page.
  init(in page: borrowing BTreePage, at offset: Int) throws(FormatError) {
    let limit = min(page.geometry.usable, page.bytes.count)
    let number = page.number
    var cutOff: FormatError { FormatError(.cellCutOff, page: number, offset: offset) }
    var cursor = offset
    self.offset = offset

    if page.kind.isLeaf {
      leftChild = 0
    } else {
      guard cursor <= limit - 4, let child = page.bytes.big32(at: cursor) else { throw cutOff }
      leftChild = child
      cursor += 4
    }

    var payload = 0
    if page.kind != .tableInterior {
      guard let (size, length) = page.bytes.varint(at: cursor, limit: limit) else { throw cutOff }
      // SQLite's own limit on a record is 2^31 − 1 bytes.
      guard size <= 0x7FFF_FFFF else {
        throw FormatError(.payloadTooLarge, page: page.number, offset: offset)
      }
      payload = Int(size)
      cursor += length
    }
    payloadSize = payload

    if page.kind.isTable {
      guard let (value, length) = page.bytes.varint(at: cursor, limit: limit) else { throw cutOff }
      rowID = Int64(bitPattern: value)
      cursor += length
    } else {
      rowID = nil
    }

    let kept = page.geometry.localPayload(total: payload, tableLeaf: page.kind == .tableLeaf)
    guard kept <= limit - cursor else { throw cutOff }
    local = cursor..<(cursor + kept)
    cursor += kept
    if kept < payload {
      guard cursor <= limit - 4, let first = page.bytes.big32(at: cursor) else { throw cutOff }
      overflow = first
      cursor += 4
    } else {
      overflow = nil
    }
    // A cell never occupies fewer than four bytes, so that a freeblock fits in its place.
    size = max(4, cursor - offset)
    guard offset + size <= limit else { throw cutOff }
  }
}
