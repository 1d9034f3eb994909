// SPDX-License-Identifier: Apache-2.0
// Sectors of a text that hold one byte again and again: zeros, or what an erased cell of flash memory and
// the programs that copy failing disks leave.

/// The search for sectors of a text that are filled with one byte.
struct FilledSectors {
  /// The bytes that hold the text.
  let bytes: Bytes
  /// Where the text lies.
  let text: Range<Int>
  /// How many bytes of a character of the text may be the same as those of a sector beside it: the
  /// half of one in UTF-16.
  let slack: Int
  /// The part of the bytes that lies in one sector of the file with one of them.
  let sector: (Int) -> Range<Int>

  /// How much of a sector has to be there.
  private static let leastCount = 256

  /// The first sectors from a position on in which nothing else stands, while it does on both sides;
  /// nil where there are none.
  ///
  /// What a program stores in a text hardly begins and ends as sectors do. Zeros at the end of a text may
  /// be its own; bytes that are no text anywhere are not.
  func first(from start: Int) -> Range<Int>? {
    var position = max(start, text.lowerBound)
    while position < text.upperBound {
      let part = sector(position).clamped(to: text)
      position = max(part.upperBound, position + 1)
      guard let byte = fill(of: part) else { continue }
      while position < text.upperBound {
        let next = sector(position).clamped(to: text)
        guard fill(of: next) == byte, next.upperBound > position else { break }
        position = next.upperBound
      }
      let filled = part.lowerBound..<position
      if isOther(byte, before: filled.lowerBound), isOther(byte, behind: filled.upperBound) {
        return filled
      }
    }
    return nil
  }

  /// The byte that fills a part of a sector, where texts hold no such.
  private func fill(of part: Range<Int>) -> UInt8? {
    guard part.count >= Self.leastCount, let byte = bytes[part].first, byte == 0 || byte >= 0x80,
      bytes[part.lowerBound + part.count / 2] == byte, bytes[part].allSatisfy({ $0 == byte })
    else { return nil }
    return byte
  }

  private func isOther(_ byte: UInt8, before end: Int) -> Bool {
    let start = end - 1 - slack
    return start >= text.lowerBound && bytes[start..<end].contains { $0 != byte }
  }

  private func isOther(_ byte: UInt8, behind start: Int) -> Bool {
    let end = start + 1 + slack
    guard end <= text.upperBound else { return byte != 0 }
    return bytes[start..<end].contains { $0 != byte }
  }
}
