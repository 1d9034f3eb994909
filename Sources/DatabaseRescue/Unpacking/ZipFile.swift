// SPDX-License-Identifier: Apache-2.0
// The files in a zip archive.
//
// PKWARE's APPNOTE, all numbers little-endian. At the end of the archive:
// offset  size  end of the central directory      offset  size  an entry of it
//      0     4  50 4B 05 06                            0     4  50 4B 01 02
//     12     4  length of the directory                8     2  flags: 1 locked, 8 lengths follow
//     16     4  where it begins                       10     2  method: 0 stored, 8 deflated
//                                                     16     4  CRC-32
// Where a number is all ones, the archive has         20     4  length as it stands there
// it as one of 8 bytes: in the end record of          24     4  length of the file
// zip64, or in the extra field 1 of the entry.        28  3 × 2 lengths of name, extra, comment
//                                                     42     4  where the local header begins
// A local header is 50 4B 03 04, with flags at 6, method at 8, CRC-32 at 14, lengths at 18 and 22,
// and the lengths of name and extra field at 26 and 28; both of these and the bytes follow.

import SQLiteFormat

/// The files in a zip archive.
struct ZipFile {
  /// The files, as far as their places are known.
  let files: [ArchivedFile]
  /// What is wrong with the archive, so that files may be missing; nil for nothing.
  let damage: String?

  /// The most files that are looked at.
  private static let countMax = 65_536
  private static let allOnes = 0xFFFF_FFFF
  private static let endByteCount = 22
  private static let localByteCount = 30

  /// Reads the list of the files, or finds them one by one where it is not there.
  ///
  /// - Throws: ``ReadFailure``.
  init(_ archive: any PageSource) throws(ReadFailure) {
    guard let (listed, isWhole) = try Self.listed(in: archive) else {
      files = try Self.found(in: archive)
      damage = "the archive is cut off, and has lost the list of its files"
      return
    }
    guard !isWhole else {
      (files, damage) = (listed, nil)
      return
    }
    let names = Set(listed.map(\.path))
    files = listed + (try Self.found(in: archive)).filter { !names.contains($0.path) }
    damage = "the list of its files, or the header of one, is damaged: files of it may be missing"
  }

  // MARK: The central directory

  /// The files of the central directory, and whether each of them was found; nil where there is none.
  private static func listed(
    in archive: any PageSource
  ) throws(ReadFailure) -> (files: [ArchivedFile], areAll: Bool)? {
    guard let directory = try directory(of: archive) else { return nil }
    let bytes = try archive.read(at: directory.lowerBound, count: directory.count)
    var files: [ArchivedFile] = []
    var (offset, areAll) = (0, true)
    while bytes.matches([0x50, 0x4B, 1, 2], at: offset), files.count < countMax,
      let lengths = lengths(bytes, at: offset + 28, count: 3),
      let entry = Entry(bytes, at: offset, nameCount: lengths[0], extraCount: lengths[1])
    {
      if let file = try file(entry, in: archive) {
        files.append(file)
      } else if entry.path.last != UInt8(ascii: "/") {
        areAll = false
      }
      offset += 46 + lengths.reduce(0, +)
    }
    return (files, areAll && offset == bytes.count)
  }

  /// Where the central directory stands; nil where it does not.
  private static func directory(of archive: any PageSource) throws(ReadFailure) -> Range<Int>? {
    let start = max(0, archive.byteCount - 0xFFFF - endByteCount)
    let tail = try archive.read(at: start, count: archive.byteCount - start)
    var end = tail.count - endByteCount
    while end >= 0, !tail.matches([0x50, 0x4B, 5, 6], at: end) { end -= 1 }
    guard end >= 0, var count = tail.number(at: end + 12, count: 4),
      var offset = tail.number(at: end + 16, count: 4)
    else { return nil }
    if count == allOnes || offset == allOnes,
      let place = tail.number(at: end - 20 + 8, count: 8), place < archive.byteCount
    {
      let long = try archive.read(at: place, count: 56)
      guard long.matches([0x50, 0x4B, 6, 6]), let longCount = long.number(at: 40, count: 8),
        let longOffset = long.number(at: 48, count: 8)
      else { return nil }
      (count, offset) = (longCount, longOffset)
    }
    guard offset <= archive.byteCount, count <= archive.byteCount - offset, count <= 1 << 26 else {
      return nil
    }
    return offset..<(offset + count)
  }

  /// An entry of the central directory.
  private struct Entry {
    let path: Bytes
    let flags: Int
    let method: Int
    let checksum: UInt32
    let byteCount: Int
    let header: Int

    init?(_ bytes: Bytes, at offset: Int, nameCount: Int, extraCount: Int) {
      guard offset + 46 + nameCount + extraCount <= bytes.count,
        let flags = bytes.number(at: offset + 8, count: 2),
        let method = bytes.number(at: offset + 10, count: 2),
        let checksum = bytes.number(at: offset + 16, count: 4),
        let stored = bytes.number(at: offset + 20, count: 4),
        let whole = bytes.number(at: offset + 24, count: 4),
        let header = bytes.number(at: offset + 42, count: 4)
      else { return nil }
      path = Bytes(bytes[(offset + 46)..<(offset + 46 + nameCount)])
      (self.flags, self.method, self.checksum) = (flags, method, UInt32(checksum))
      // Those of the three that are all ones stand in the field, in this order.
      let extra = Bytes(bytes[(offset + 46 + nameCount)..<(offset + 46 + nameCount + extraCount)])
      var long = Self.long(in: extra)[...]
      func number(_ short: Int) -> Int? { short == allOnes ? long.popFirst() : short }
      guard number(whole) != nil, let count = number(stored), let place = number(header) else {
        return nil
      }
      (byteCount, self.header) = (count, place)
    }

    /// The numbers of the extra field of zip64.
    private static func long(in extra: Bytes) -> [Int] {
      var offset = 0
      while let id = extra.number(at: offset, count: 2),
        let count = extra.number(at: offset + 2, count: 2)
      {
        if id == 1 {
          return (0..<count / 8).compactMap { extra.number(at: offset + 4 + 8 * $0, count: 8) }
        }
        offset += 4 + count
      }
      return []
    }
  }

  /// The file of an entry; nil for a folder, and where its bytes cannot stand.
  private static func file(
    _ entry: Entry, in archive: any PageSource
  ) throws(ReadFailure) -> ArchivedFile? {
    guard entry.path.last != UInt8(ascii: "/"), entry.header >= 0,
      entry.header < archive.byteCount, entry.byteCount >= 0
    else { return nil }
    let local = try archive.read(at: entry.header, count: localByteCount)
    guard local.matches([0x50, 0x4B, 3, 4]), let lengths = lengths(local, at: 26, count: 2) else {
      return nil
    }
    let start = entry.header + localByteCount + lengths.reduce(0, +)
    guard start <= archive.byteCount else { return nil }
    return ArchivedFile(
      path: entry.path,
      range: start..<(start + min(entry.byteCount, archive.byteCount - start)),
      method: method(entry.method, flags: entry.flags), checksum: entry.checksum)
  }

  // MARK: Without it

  /// The files that local headers tell of, from the first on.
  private static func found(in archive: any PageSource) throws(ReadFailure) -> [ArchivedFile] {
    var files: [ArchivedFile] = []
    var offset = 0
    while files.count < countMax {
      let header = try archive.read(at: offset, count: localByteCount)
      guard header.matches([0x50, 0x4B, 3, 4]), let lengths = lengths(header, at: 26, count: 2),
        let flags = header.number(at: 6, count: 2), let how = header.number(at: 8, count: 2),
        let checksum = header.number(at: 14, count: 4),
        let count = header.number(at: 18, count: 4)
      else { break }
      let start = offset + localByteCount + lengths.reduce(0, +)
      guard start < archive.byteCount else { break }
      // Lengths that follow the bytes are not known before these are inflated.
      let isOpen = flags & 8 != 0 || count == allOnes
      let end = isOpen ? archive.byteCount : min(start + count, archive.byteCount)
      files.append(
        ArchivedFile(
          path: try archive.read(at: offset + localByteCount, count: lengths[0]),
          range: start..<end, method: method(how, flags: flags),
          checksum: isOpen ? nil : UInt32(checksum), isCut: isOpen || start + count > end))
      if isOpen { break }
      offset = end
    }
    return files.filter { $0.path.last != UInt8(ascii: "/") }
  }

  // MARK: Both

  private static func lengths(_ bytes: Bytes, at offset: Int, count: Int) -> [Int]? {
    let lengths = (0..<count).compactMap { bytes.number(at: offset + 2 * $0, count: 2) }
    return lengths.count == count ? lengths : nil
  }

  private static func method(_ number: Int, flags: Int) -> ArchivedFile.Method {
    if flags & 1 != 0 { return .locked }
    return switch number {
    case 0: .stored
    case 8: .deflated
    default: .other
    }
  }
}
