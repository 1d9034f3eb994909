// SPDX-License-Identifier: Apache-2.0
// Writing what the format module reads: varints, records, numbers. Written from the file-format
// document alone, so that reader and writer do not share a mistake.

import RescueTestSupport
import SQLiteFormat

extension Bytes {
  /// A varint in as few bytes as it takes.
  static func varint(_ value: UInt64) -> Bytes {
    if value >> 56 != 0 {
      let high = (0..<8).map { UInt8(value >> UInt64(8 + 7 * (7 - $0)) & 0x7F) | 0x80 }
      return Bytes(high + [UInt8(value & 0xFF)])
    }
    var groups = [UInt8(value & 0x7F)]
    var rest = value >> 7
    while rest > 0 {
      groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return Bytes(groups)
  }

  /// A rowid as a varint.
  static func varint(rowID: Int64) -> Bytes { varint(UInt64(bitPattern: rowID)) }

  /// A record of serial types and their contents; the header is shorter than 128 bytes.
  static func record(_ fields: [(type: UInt64, content: Bytes)]) -> Bytes {
    let types = fields.reduce(Bytes()) { $0 + varint($1.type) }
    return [UInt8(types.count + 1)] + types + fields.reduce(Bytes()) { $0 + $1.content }
  }

  /// A record with one text.
  static func record(text: String) -> Bytes {
    record([(UInt64(13 + 2 * text.utf8.count), Bytes(text.utf8))])
  }

  /// The cell of a table leaf whose payload is wholly local.
  static func tableCell(rowID: Int64, _ record: Bytes) -> Bytes {
    varint(UInt64(record.count)) + varint(rowID: rowID) + record
  }

  /// The cell of a table's interior page.
  static func interiorCell(child: UInt32, rowID: Int64) -> Bytes {
    big32(child) + varint(rowID: rowID)
  }

  /// A number of four bytes.
  static func big32(_ value: UInt32) -> Bytes {
    Bytes((0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) })
  }

  /// Stores 16 bits at an offset.
  mutating func setBig16(_ value: Int, at offset: Int) {
    self[offset] = UInt8(value >> 8 & 0xFF)
    self[offset + 1] = UInt8(value & 0xFF)
  }

  /// Stores bytes at an offset.
  mutating func set(_ bytes: Bytes, at offset: Int) {
    replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }
}

extension Int {
  /// The number as that of a page; the tests name only pages that can be.
  var page: PageNumber { PageNumber(self) ?? .first }
}

extension Geometry {
  /// A geometry of the tests' own making, which is known to be possible.
  static func of(_ pageSize: Int, reserved: Int = 0) throws -> Geometry {
    guard let geometry = Geometry(pageSize: pageSize, reserved: reserved) else {
      throw UnfitFixture("no such geometry")
    }
    return geometry
  }
}
