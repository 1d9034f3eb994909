// SPDX-License-Identifier: Apache-2.0
// A database with its journals in memory, and random damage to it: the same for the same seed.

package import DatabaseRescue
package import SQLiteFormat

/// A database with its journals, in memory.
package struct DatabaseFiles: Sendable {
  /// The suffixes of the files that there are, the database first.
  private(set) var suffixes: [String]
  private(set) var contents: [Bytes]
  /// The size of its pages.
  package let pageSize: Int

  /// Numbers that readers stumble over.
  static let hostile: [UInt32] = [
    0, 1, 2, 0x7F, 0xFF, 0x100, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
  ]

  /// Reads the files of a database.
  package init(_ path: FilePath, pageSize: Int) throws {
    let present = try ([""] + FilePath.journalSuffixes).filter {
      try path.adding(suffix: $0).exists
    }
    suffixes = present
    contents = try present.map { try path.adding(suffix: $0).contents() }
    self.pageSize = pageSize
  }

  /// The bytes of a file; nil where there is none.
  package subscript(suffix: String) -> Bytes? {
    get { suffixes.firstIndex(of: suffix).map { contents[$0] } }
    set {
      if let place = suffixes.firstIndex(of: suffix) {
        contents[place] = newValue ?? []
      } else if let newValue {
        suffixes.append(suffix)
        contents.append(newValue)
      }
    }
  }

  /// Writes the files.
  package func write(to path: FilePath) throws {
    for (suffix, bytes) in zip(suffixes, contents) {
      try path.adding(suffix: suffix).replaceContents(with: bytes)
    }
  }

  /// Damages one of the files somehow, and says how.
  package mutating func damage(using random: inout SeededRandom) -> String {
    let file = random.below(contents.count)
    guard !contents[file].isEmpty else { return "nothing" }
    return "\(suffixes[file]) " + damage(&contents[file], using: &random)
  }

  private func damage(_ bytes: inout Bytes, using random: inout SeededRandom) -> String {
    let pages = (bytes.count + pageSize - 1) / pageSize
    let (page, other) = (random.below(pages), random.below(pages))
    let range = (page * pageSize)..<min((page + 1) * pageSize, bytes.count)
    // The start of a page, or of the file, is where the structure lies.
    let start = min(page * pageSize + random.below(112), bytes.count - 1)
    switch random.below(9) {
    case 0, 1:
      let offset = random.below(bytes.count)
      bytes[offset] ^= 1 << UInt8(random.below(8))
      return "byte \(offset) turns to \(bytes[offset])"
    case 2:
      bytes[start] = UInt8(random.below(256))
      return "byte \(start) becomes \(bytes[start])"
    case 3:
      let number = random.pick(Self.hostile)
      for index in 0..<min(4, bytes.count - start) {
        bytes[start + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index))
      }
      return "the number at \(start) becomes \(number)"
    case 4:
      bytes = Damage.swapPages(page + 1, other + 1).applied(to: bytes, pageSize: pageSize)
      return "pages \(page + 1) and \(other + 1) change places"
    case 5:
      bytes = Damage.copyPage(from: other + 1, to: page + 1).applied(to: bytes, pageSize: pageSize)
      return "page \(page + 1) becomes a copy of \(other + 1)"
    case 6:
      bytes.replaceSubrange(range, with: random.bytes(range.count))
      return "page \(page + 1) becomes random"
    case 7:
      bytes.replaceSubrange(range, with: Bytes(repeating: 0, count: range.count))
      return "page \(page + 1) becomes zeros"
    default:
      bytes = Bytes(bytes.prefix(random.below(bytes.count)))
      return "is cut to \(bytes.count) bytes"
    }
  }
}
