// SPDX-License-Identifier: Apache-2.0
// The files in a tar archive.
//
// offset  size  a header of 512 bytes (POSIX ustar, with what GNU and pax add)
//      0   100  name
//    124    12  length, in octal digits; or, with the top bit set, a number high byte first
//    156     1  type: '0' or NUL a file, 'L' the name of the next one, 'x' its pax records
//    257     5  "ustar"
//    345   155  the folders above it
// The bytes follow, and zeros up to the next multiple of 512.

import SQLiteFormat

/// The files in a tar archive.
struct TarFile {
  /// The files.
  let files: [ArchivedFile]

  private static let blockByteCount = 512
  /// The most files that are looked at.
  private static let countMax = 65_536
  /// The most bytes of a name.
  private static let nameByteCountMax = 65_536

  /// Whether a file begins like a tar archive.
  static func begins(_ head: Bytes) -> Bool { head.matches(Bytes("ustar".utf8), at: 257) }

  /// Reads the headers.
  ///
  /// - Throws: ``ReadFailure``.
  init(_ archive: any PageSource) throws(ReadFailure) {
    var files: [ArchivedFile] = []
    var longName: Bytes?
    var offset = 0
    while files.count < Self.countMax {
      let header = try archive.read(at: offset, count: Self.blockByteCount)
      guard header.count == Self.blockByteCount, Self.begins(header),
        let byteCount = Self.length(in: header)
      else { break }
      let start = offset + Self.blockByteCount
      let end = min(start + byteCount, archive.byteCount)
      guard start <= end else { break }
      switch header[156] {
      case UInt8(ascii: "L"), UInt8(ascii: "x"):
        let text = try archive.read(at: start, count: min(byteCount, Self.nameByteCountMax))
        longName = header[156] == UInt8(ascii: "L") ? Self.text(text[...]) : Self.path(in: text)
      case UInt8(ascii: "0"), 0:
        files.append(
          ArchivedFile(
            path: longName ?? Self.name(in: header), range: start..<end, method: .stored,
            isCut: start + byteCount > end))
        longName = nil
      default: longName = nil
      }
      let (next, overflow) = start.addingReportingOverflow(
        (byteCount + Self.blockByteCount - 1) / Self.blockByteCount * Self.blockByteCount)
      guard !overflow, next < archive.byteCount else { break }
      offset = next
    }
    self.files = files
  }

  /// A number of octal digits, or one of bytes; nil where it is neither, or none of a length.
  private static func length(in header: Bytes) -> Int? {
    let field = header[124..<136]
    if field.first.map({ $0 & 0x80 != 0 }) == true {
      let number = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return number < 1 << 48 ? Int(number) : nil
    }
    let digits = field.filter { $0 != 0 && $0 != 0x20 }
    return Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 >= 0 ? $0 : nil }
  }

  private static func name(in header: Bytes) -> Bytes {
    let (name, folders) = (text(header[0..<100]), text(header[345..<500]))
    return folders.isEmpty ? name : folders + [UInt8(ascii: "/")] + name
  }

  private static func text(_ field: Bytes.SubSequence) -> Bytes { Bytes(field.prefix { $0 != 0 }) }

  /// The name in the pax records, each a length, a space, `key=value` and a line feed.
  private static func path(in records: Bytes) -> Bytes? {
    for record in records.split(separator: 0x0A) {
      guard let space = record.firstIndex(of: 0x20) else { continue }
      let pair = record[(space + 1)...]
      if pair.starts(with: "path=".utf8) { return Bytes(pair.dropFirst(5)) }
    }
    return nil
  }
}
