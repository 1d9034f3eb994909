// SPDX-License-Identifier: Apache-2.0
// A file in which a transfer as text made two bytes of one, read as it was before.

/// What a transfer as text did to a byte that it took for a character.
package enum BytePairing: Hashable, Sendable {
  /// A line feed became carriage return and line feed.
  case lineFeed
  /// A byte above 127 became the two bytes that UTF-8 has for the character of that number.
  case wideCharacter

  /// The byte that two stand for; nil where they are no pair.
  package func joined(_ first: UInt8, _ second: UInt8) -> UInt8? {
    switch self {
    case .lineFeed: first == 0x0D && second == 0x0A ? second : nil
    case .wideCharacter:
      first & 0xFE == 0xC2 && second & 0xC0 == 0x80 ? first << 6 | second & 0x3F : nil
    }
  }

  /// Whether a byte stands nowhere but in a pair.
  package func isPaired(_ byte: UInt8) -> Bool {
    switch self {
    case .lineFeed: byte == 0x0A
    case .wideCharacter: byte >= 0x80
    }
  }
}

/// A file in which every byte of some kind became two, with that undone.
///
/// Taking each pair for the byte that it was gives the bytes before the transfer exactly. Only where
/// blocks of the file start is kept in memory.
package struct PairedBytesView: PageSource {
  /// How many bytes of the file one step of the index stands for.
  private static let blockSize = 1 << 14

  /// The number of bytes before the transfer.
  package let byteCount: Int

  private let base: any PageSource
  private let pairing: BytePairing
  /// Where in the view each block of the file starts.
  private let starts: [Int]

  /// Makes the view of a file; nil when a byte stands alone that such a transfer leaves only in
  /// pairs: then it was not transferred so.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  package init?(_ base: any PageSource, _ pairing: BytePairing) throws(ReadFailure) {
    var starts: [Int] = []
    var kept = 0
    for offset in stride(from: 0, to: base.byteCount, by: Self.blockSize) {
      starts.append(kept)
      let isSound = try Self.forEachByte(of: base, in: offset, pairing) { _ in
        kept += 1
        return true
      }
      guard isSound else { return nil }
    }
    self.base = base
    self.pairing = pairing
    self.starts = starts
    byteCount = kept
  }

  /// Gives each byte that a block stands for, until the body gives false; a pair over the border of
  /// two blocks belongs to the second one.
  ///
  /// - Returns: whether no byte stands alone that has to be in a pair.
  private static func forEachByte(
    of base: any PageSource, in offset: Int, _ pairing: BytePairing, _ body: (UInt8) -> Bool
  ) throws(ReadFailure) -> Bool {
    // With the neighbour on either side, each byte tells by itself whether it is of a pair.
    let before = min(offset, 1)
    let bytes = try base.read(at: offset - before, count: before + blockSize + 1)
    let end = min(bytes.count, before + blockSize)
    guard before < end else { return true }
    for index in before..<end {
      if index + 1 < bytes.count, pairing.joined(bytes[index], bytes[index + 1]) != nil { continue }
      var byte = bytes[index]
      if index > 0, let joined = pairing.joined(bytes[index - 1], byte) {
        byte = joined
      } else if pairing.isPaired(byte) {
        return false
      }
      guard body(byte) else { return true }
    }
    return true
  }

  /// Reads up to `count` bytes from `offset`; fewer where the view ends.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  package func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, count > 0, offset < byteCount else { return [] }
    let wanted = min(count, byteCount - offset)
    var block = blockHolding(offset)
    var skipped = offset - starts[block]
    var result = Bytes()
    result.reserveCapacity(wanted)
    while result.count < wanted, block < starts.count {
      _ = try Self.forEachByte(of: base, in: block * Self.blockSize, pairing) { byte in
        if skipped > 0 { skipped -= 1 } else { result.append(byte) }
        return result.count < wanted
      }
      block += 1
    }
    return result
  }

  /// The last block that starts at an offset of the view or before it.
  private func blockHolding(_ offset: Int) -> Int {
    max(0, starts.partitioningIndex { $0 > offset } - 1)
  }
}
