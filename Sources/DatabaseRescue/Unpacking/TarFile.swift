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
  /// - Throws: ``ReadFailure``.
  init(_ archive: any PageSource) throws(ReadFailure) {
    var files: [ArchivedFile] = []
    var longName: Bytes?
    var hasHoles = false
    var headers = Headers(archive: archive)
    while files.count < Self.countMax, let (header, start, byteCount) = try headers.next() {
      let end = min(start + byteCount, archive.byteCount)
      let name = longName ?? Self.name(in: header)
      longName = nil
      switch header[156] {
      case UInt8(ascii: "L"), UInt8(ascii: "x"):
        let text = try archive.read(at: start, count: min(byteCount, Self.nameByteCountMax))
        longName = header[156] == UInt8(ascii: "L") ? Self.text(text[...]) : Self.path(in: text)
        hasHoles = text.contains(Self.holes)
      case UInt8(ascii: "0"), UInt8(ascii: "S"), 0:
        files.append(
          ArchivedFile(
            path: name, range: start..<end,
            method: hasHoles || header[156] == UInt8(ascii: "S") ? .other : .stored,
            isCut: start + byteCount > end))
        hasHoles = false
      case UInt8(ascii: "1"):
        let other = Self.text(header[157..<257])
        if let first = files.last(where: { $0.path == other }) {
          files.append(
            ArchivedFile(
              path: name, range: first.range, method: first.method, isCut: first.isCut))
        }
      default: break
      }
    }
    self.files = files
    damage =
      headers.areDamaged
      ? "a header in the archive is damaged: files of it may be missing"
      : headers.haveEnd ? nil : "the archive has no end mark: files of it may be missing"
  }

  /// The headers of an archive, one behind the other.
  ///
  /// Behind blocks that are none the next one is looked for: files may follow what is destroyed.
  private struct Headers {
    let archive: any PageSource
    private var offset = 0
    /// Whether there is an end mark.
    private(set) var haveEnd = false
    /// Whether there is anything between them, or behind the end mark, that is none.
    private(set) var areDamaged = false

    init(archive: any PageSource) { self.archive = archive }

    /// The next one, with where its bytes begin and how many there should be.
    mutating func next() throws(ReadFailure) -> (header: Bytes, start: Int, byteCount: Int)? {
      let size = blockByteCount
      while true {
        let header = try archive.read(at: offset, count: size)
        guard header.count == size else { return nil }
        offset += size
        guard header.contains(where: { $0 != 0 }) else {
          haveEnd = true
          continue
        }
        // Nothing stands behind the end, and a header has the sum that it states.
        if haveEnd || sum(in: header) != nil && !hasSum(header) { areDamaged = true }
        guard begins(header), let byteCount = length(in: header) else {
          areDamaged = true
          continue
        }
        defer { offset += (byteCount + size - 1) / size * size }
        return (header, offset, byteCount)
      }
    }
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
