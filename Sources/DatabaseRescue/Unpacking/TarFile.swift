// SPDX-License-Identifier: Apache-2.0
// The files in a tar archive.
//
// offset  size  a header of 512 bytes (POSIX ustar, with what GNU and pax add)
//      0   100  name
//    124    12  length, in octal digits; or, with the top bit set, a number high byte first
//    148     8  sum of the header's bytes, with spaces in this place, in octal digits
//    156     1  type: '0' or NUL a file, '1' another name of one that came before, 'S' a file with holes,
//               'L' the name of the next one, 'x' its pax records
//    157   100  the other name
//    257     5  "ustar"; the oldest archives have none
//    345   155  the folders above it
// The bytes follow, and zeros up to the next multiple of 512. Blocks of zeros end the archive.

import SQLiteFormat

/// The files in a tar archive.
struct TarFile {
  /// The files.
  let files: [ArchivedFile]
  /// What is wrong with the headers, so that files may be missing; nil for nothing.
  let damage: String?

  private static let blockByteCount = 512
  /// The most files that are looked at.
  private static let countMax = 65_536
  /// The most bytes of a name.
  private static let nameByteCountMax = 65_536

  /// Whether a file begins like a tar archive.
  static func begins(_ head: Bytes) -> Bool {
    head.matches(magic, at: 257) || head.count >= blockByteCount && hasSum(head)
  }

  private static let magic = Bytes("ustar".utf8)

  /// Reads the headers.
  ///
  /// Behind blocks that are none the next one is looked for: files may follow what is destroyed.
  ///
  /// - Throws: ``ReadFailure``.
  init(_ archive: any PageSource) throws(ReadFailure) {
    var files: [ArchivedFile] = []
    var longName: Bytes?
    var (offset, hasEnd, isDamaged, hasHoles) = (0, false, false, false)
    while files.count < Self.countMax {
      let header = try archive.read(at: offset, count: Self.blockByteCount)
      guard header.count == Self.blockByteCount else { break }
      guard header.contains(where: { $0 != 0 }) else {
        hasEnd = true
        offset += Self.blockByteCount
        continue
      }
      // Nothing stands behind the end.
      if hasEnd { isDamaged = true }
      guard Self.begins(header), let byteCount = Self.length(in: header),
        !offset.addingReportingOverflow(byteCount + 2 * Self.blockByteCount).overflow
      else {
        isDamaged = true
        offset += Self.blockByteCount
        continue
      }
      if Self.sum(in: header) != nil, !Self.hasSum(header) { isDamaged = true }
      let start = offset + Self.blockByteCount
      let end = min(start + byteCount, archive.byteCount)
      let name = longName ?? Self.name(in: header)
      longName = nil
      func file(at range: Range<Int>, _ method: ArchivedFile.Method) -> ArchivedFile {
        ArchivedFile(path: name, range: range, method: method, isCut: start + byteCount > end)
      }
      switch header[156] {
      case UInt8(ascii: "L"), UInt8(ascii: "x"):
        let text = try archive.read(at: start, count: min(byteCount, Self.nameByteCountMax))
        longName = header[156] == UInt8(ascii: "L") ? Self.text(text[...]) : Self.path(in: text)
        hasHoles = Bytes(text).contains(Self.holes)
      case UInt8(ascii: "0"), 0:
        files.append(file(at: start..<end, hasHoles ? .other : .stored))
        hasHoles = false
      case UInt8(ascii: "S"): files.append(file(at: start..<end, .other))
      case UInt8(ascii: "1"):
        let other = Self.text(header[157..<257])
        if let first = files.last(where: { $0.path == other }) {
          files.append(file(at: first.range, first.method))
        }
      default: break
      }
      offset =
        start + (byteCount + Self.blockByteCount - 1) / Self.blockByteCount * Self.blockByteCount
    }
    self.files = files
    damage =
      isDamaged
      ? "a header in the archive is damaged: files of it may be missing"
      : hasEnd ? nil : "the archive has no end mark: files of it may be missing"
  }

  /// How the keys of the pax records begin of a file of which the holes are left out.
  private static let holes = Bytes("GNU.sparse.".utf8)

  /// Whether a header has the sum that it states.
  private static func hasSum(_ header: Bytes) -> Bool {
    guard let stated = sum(in: header) else { return false }
    let sum = header[..<blockByteCount].reduce(0) { $0 + Int($1) }
    return stated == sum - header[148..<156].reduce(0) { $0 + Int($1) } + 8 * 0x20
  }

  /// The sum that a header states; nil where it states none.
  private static func sum(in header: Bytes) -> Int? {
    let digits = header[148..<156].filter { $0 != 0 && $0 != 0x20 }
    return digits.isEmpty ? nil : Int(String(decoding: digits, as: UTF8.self), radix: 8)
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
