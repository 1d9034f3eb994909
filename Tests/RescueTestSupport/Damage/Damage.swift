// SPDX-License-Identifier: Apache-2.0
// What can happen to a file: one value for each kind, and bytes in, bytes out.

package import SQLiteFormat

/// One kind of damage, with its place.
///
/// Pages count from 1.
/// A place that the file does not have leaves the bytes as they are, so that a test which needs
/// the damage has to check that the bytes differ.
package enum Damage: Hashable, Sendable {
  /// A page becomes zeros.
  case zeroPage(Int)
  /// A page becomes bytes that make no sense.
  case randomPage(Int)
  /// Bytes become zeros.
  case zeroRange(offset: Int, count: Int)
  /// The file ends after so many bytes.
  case truncate(bytes: Int)
  /// The file ends after so many percent of its bytes.
  case truncatePercent(Int)
  /// One bit of a byte is turned, 0 being the lowest.
  case flipBit(offset: Int, bit: Int)
  /// The file header, 100 bytes, becomes zeros.
  case wipeHeader
  /// A page is written over another.
  case copyPage(from: Int, to: Int)
  /// Two pages change places.
  case swapPages(Int, Int)
  /// One cell pointer of a b-tree page points past the page's end.
  case breakCellPointer(page: Int, cell: Int)
  /// All cell pointers of a b-tree page become zeros.
  case wipeCellPointers(page: Int)
  /// An overflow page leads nowhere.
  case cutOverflow(page: Int)
  /// The first page of the free list leads to itself.
  case loopFreelist
  /// The type byte of a b-tree page becomes another.
  case pageType(page: Int, type: UInt8)
  /// Bytes that make no sense follow the file.
  case append(count: Int)
  /// Bytes that make no sense stand before the file.
  case prepend(count: Int)
  /// Bytes that make no sense come between those of the file.
  case insert(offset: Int, count: Int)
  /// Bytes are left out, and what follows moves up.
  case leaveOut(offset: Int, count: Int)
  /// Every LF becomes CR LF, as a transfer in text mode does.
  case crlf

  /// The bytes after the damage.
  package func applied(to bytes: Bytes, pageSize: Int) -> Bytes {
    var file = PagedBytes(bytes: bytes, pageSize: pageSize)
    switch self {
    case .zeroPage(let page):
      let range = file.range(of: page)
      file.zero(offset: range.lowerBound, count: range.count)
    case .randomPage(let page):
      let range = file.range(of: page)
      file.bytes.replaceSubrange(range, with: Self.junk(range.count, page))
    case .zeroRange(let offset, let count): file.zero(offset: offset, count: count)
    case .truncate(let count): return Bytes(bytes.prefix(max(0, count)))
    case .truncatePercent(let percent):
      return Bytes(bytes.prefix(bytes.count * min(max(0, percent), 100) / 100))
    case .flipBit(let offset, let bit):
      if bytes.indices.contains(offset) { file.bytes[offset] ^= 1 << UInt8(bit & 7) }
    case .wipeHeader: file.zero(offset: 0, count: 100)
    case .copyPage(let from, let to): file.copy(from, to: to)
    case .swapPages(let first, let second): file.swap(first, second)
    case .breakCellPointer(let page, let cell): file.setCellPointer(page, cell, 0xFFFE)
    case .wipeCellPointers(let page):
      for cell in 0..<file.cellCount(page) { file.setCellPointer(page, cell, 0) }
    case .cutOverflow(let page): file.setLink(page, to: 0)
    case .loopFreelist: file.loopFreelist()
    case .pageType(let page, let type): file.setType(page, type)
    case .append(let count): return bytes + Self.junk(count)
    case .prepend(let count): return Self.junk(count) + bytes
    case .insert(let offset, let count):
      guard bytes.indices.contains(offset) else { return bytes }
      file.bytes.insert(contentsOf: Self.junk(count), at: offset)
    case .leaveOut(let offset, let count):
      guard bytes.indices.contains(offset), count > 0 else { return bytes }
      file.bytes.removeSubrange(offset..<(offset + min(count, bytes.count - offset)))
    case .crlf: return Bytes(bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] })
    }
    return file.bytes
  }

  private static func junk(_ count: Int, _ page: Int = 0) -> Bytes {
    var random = SeededRandom(seed: 0x6A75_6E6B ^ UInt64(truncatingIfNeeded: page))
    return random.bytes(max(0, count))
  }
}

/// A file as pages, with the few writes that damage is made of.
private struct PagedBytes {
  var bytes: Bytes
  let pageSize: Int

  /// The bytes of a page, as far as the file has them; empty for a page that it has not.
  func range(of page: Int) -> Range<Int> {
    guard page >= 1, page - 1 <= bytes.count / pageSize else { return 0..<0 }
    return ((page - 1) * pageSize)..<min(page * pageSize, bytes.count)
  }

  private func isWhole(_ page: Int) -> Bool { range(of: page).count == pageSize }

  /// Where the b-tree header of a page starts: after the file header on page 1.
  private func header(_ page: Int) -> Int { range(of: page).lowerBound + (page == 1 ? 100 : 0) }

  mutating func zero(offset: Int, count: Int) {
    guard bytes.indices.contains(offset), count > 0 else { return }
    for index in offset..<(offset + min(count, bytes.count - offset)) { bytes[index] = 0 }
  }

  mutating func copy(_ from: Int, to: Int) {
    guard isWhole(from), isWhole(to) else { return }
    bytes.replaceSubrange(range(of: to), with: bytes[range(of: from)])
  }

  mutating func swap(_ first: Int, _ second: Int) {
    guard isWhole(first), isWhole(second) else { return }
    let kept = Bytes(bytes[range(of: first)])
    copy(second, to: first)
    bytes.replaceSubrange(range(of: second), with: kept)
  }

  func cellCount(_ page: Int) -> Int {
    isWhole(page) ? bytes.bigEndian16(at: header(page) + 3) : 0
  }

  mutating func setCellPointer(_ page: Int, _ cell: Int, _ pointer: UInt16) {
    guard cell >= 0, cell < cellCount(page) else { return }
    // Interior pages (types 2 and 5) have the right-most child before the pointers.
    let size = bytes[header(page)] < 8 ? 12 : 8
    let offset = header(page) + size + 2 * cell
    guard offset + 2 <= range(of: page).upperBound else { return }
    bytes[offset] = UInt8(pointer >> 8)
    bytes[offset + 1] = UInt8(pointer & 0xFF)
  }

  mutating func setLink(_ page: Int, to next: UInt32) {
    guard isWhole(page) else { return }
    bytes.setBigEndian(next, at: range(of: page).lowerBound)
  }

  mutating func setType(_ page: Int, _ type: UInt8) {
    guard isWhole(page) else { return }
    bytes[header(page)] = type
  }

  mutating func loopFreelist() {
    guard isWhole(1) else { return }
    let trunk = bytes.bigEndian(at: 32)
    if trunk > 0 { setLink(Int(trunk), to: trunk) }
  }
}
