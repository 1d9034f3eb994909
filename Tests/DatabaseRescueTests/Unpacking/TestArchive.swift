// SPDX-License-Identifier: Apache-2.0
// Archives as other programs make them, built by hand.

import SQLiteFormat
import Testing

@testable import DatabaseRescue

/// A kind of archive.
enum TestArchive: CaseIterable {
  case zip
  /// Files that are stored as they are.
  case storedZip
  /// With lengths that stand in the fields of zip64.
  case longZip
  /// Cut off before its list.
  case zipWithoutList
  case tar
  /// A tar archive with names of pax.
  case paxTar
  case tarGzip

  /// A file in it.
  struct Entry {
    let path: Bytes
    let bytes: Bytes
    let flags: UInt16

    init(_ path: String, _ bytes: Bytes, flags: UInt16 = 0) {
      (self.path, self.bytes, self.flags) = (Bytes(path.utf8), bytes, flags)
    }
  }

  /// The archive of these files.
  func bytes(_ entries: [Entry]) throws -> Bytes {
    switch self {
    case .zip: try Self.zip(entries)
    case .storedZip: try Self.zip(entries, isStored: true)
    case .longZip: try Self.zip(entries, isLong: true)
    case .zipWithoutList: try Self.zip(entries, hasList: false)
    case .tar: Self.tar(entries)
    case .paxTar: Self.tar(entries, isPax: true)
    case .tarGzip: try GzipTests.member(Self.tar(entries))
    }
  }

  private static func zip(
    _ entries: [Entry], isStored: Bool = false, isLong: Bool = false, hasList: Bool = true
  ) throws -> Bytes {
    var archive = Bytes()
    var list = Bytes()
    for entry in entries {
      let start = archive.count
      let data = isStored ? entry.bytes : try #require(Deflate.compress(entry.bytes, level: 6))
      var common = Bytes()
      common.appendNumber(entry.flags)
      common.appendNumber(isStored ? 0 : 8 as UInt16)
      common.appendNumber(0 as UInt32)
      common.appendNumber(CRC32.checksum(of: entry.bytes))
      var lengths = Bytes()
      lengths.appendNumber(UInt32(data.count))
      lengths.appendNumber(UInt32(entry.bytes.count))
      archive += [0x50, 0x4B, 3, 4, 20, 0] + common + lengths
      archive.appendNumber(UInt16(entry.path.count))
      archive += [0, 0] + entry.path + data

      var extra = Bytes()
      if isLong {
        lengths = Bytes(repeating: 0xFF, count: 8)
        extra += [1, 0, 16, 0]
        extra.appendNumber(UInt64(entry.bytes.count))
        extra.appendNumber(UInt64(data.count))
      }
      list += [0x50, 0x4B, 1, 2, 20, 0, 20, 0] + common + lengths
      list.appendNumber(UInt16(entry.path.count))
      list.appendNumber(UInt16(extra.count))
      list += Bytes(repeating: 0, count: 10)
      list.appendNumber(UInt32(start))
      list += entry.path + extra
    }
    guard hasList else { return archive }
    let start = archive.count
    archive += list + [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    for _ in 0..<2 { archive.appendNumber(UInt16(entries.count)) }
    archive.appendNumber(UInt32(list.count))
    archive.appendNumber(UInt32(start))
    return archive + [0, 0]
  }

  private static func tar(_ entries: [Entry], isPax: Bool = false) -> Bytes {
    var archive = Bytes()
    for entry in entries {
      if isPax {
        let record = Bytes(" path=".utf8) + entry.path + [0x0A]
        let count = record.count + (record.count > 97 ? 3 : 2)
        archive += member("pax", type: "x", Bytes(String(count).utf8) + record)
        archive += member("short", type: "0", entry.bytes)
      } else {
        archive += member(String(decoding: entry.path, as: UTF8.self), type: "0", entry.bytes)
      }
    }
    return archive + Bytes(repeating: 0, count: 1024)
  }

  /// A member of a tar archive: its header and its bytes.
  static func member(
    _ name: String, type: Unicode.Scalar, _ bytes: Bytes, of other: String = ""
  ) -> Bytes {
    var header = Bytes(repeating: 0, count: 512)
    header.replaceSubrange(0..<name.utf8.count, with: name.utf8)
    let octal = String(bytes.count, radix: 8)
    header.replaceSubrange(124..<(124 + octal.utf8.count), with: octal.utf8)
    header[156] = UInt8(ascii: type)
    header.replaceSubrange(157..<(157 + other.utf8.count), with: other.utf8)
    header.replaceSubrange(257..<262, with: "ustar".utf8)
    return header + bytes + Bytes(repeating: 0, count: (512 - bytes.count % 512) % 512)
  }
}
