// SPDX-License-Identifier: Apache-2.0
// Text at the beginning of bytes where none belongs: of lines, of JSON or XML, in UTF-8 or UTF-16.

import SQLiteFormat

/// Text at the beginning of bytes.
enum TextRun {
  /// From how many characters on text needs no letters to be told: no page begins with so many.
  private static let certainCount = 64

  /// How many bytes at the beginning are text; none where it has few letters, and is neither long
  /// nor begins as JSON and XML do.
  static func length(of bytes: some Sequence<UInt8>) -> Int {
    let bytes = Array(bytes)
    var run = (bytes: 0, letters: 0, characters: 0)
    let unit = unit(of: bytes)
    run.bytes = unit.mark
    while let character = character(of: bytes, at: run.bytes, unit) {
      run.bytes += character.count
      run.characters += 1
      if character.isLetter { run.letters += 1 }
    }
    let isTold =
      run.letters * 3 >= run.characters || run.characters >= certainCount
      || run.characters >= 16 && [0x5B, 0x7B, 0x3C].contains(bytes[unit.mark + unit.low])
    return run.characters > 0 && isTold ? run.bytes : 0
  }

  /// How characters lie in the bytes.
  private struct Unit {
    /// How many bytes come before the first one.
    var mark = 0
    /// How many bytes one has at least.
    var count = 1
    /// Which of them says which one it is.
    var low = 0
  }

  private static func unit(of bytes: [UInt8]) -> Unit {
    if bytes.starts(with: [0xFF, 0xFE]) { return Unit(mark: 2, count: 2) }
    if bytes.starts(with: [0xFE, 0xFF]) { return Unit(mark: 2, count: 2, low: 1) }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Unit(mark: 3) }
    guard bytes.count >= 4 else { return Unit() }
    if bytes[0] != 0, bytes[1] == 0, bytes[2] != 0, bytes[3] == 0 { return Unit(count: 2) }
    if bytes[0] == 0, bytes[1] != 0, bytes[2] == 0, bytes[3] != 0 { return Unit(count: 2, low: 1) }
    return Unit()
  }

  /// The character at a place; nil for none that a text has.
  private static func character(
    of bytes: [UInt8], at place: Int, _ unit: Unit
  ) -> (count: Int, isLetter: Bool)? {
    guard place + unit.count <= bytes.count else { return nil }
    if unit.count == 2, bytes[place + 1 - unit.low] != 0 { return nil }
    let byte = bytes[place + unit.low]
    if (0x20...0x7E).contains(byte) || [0x09, 0x0A, 0x0D].contains(byte) {
      return (unit.count, (0x61...0x7A).contains(byte | 0x20))
    }
    guard unit.count == 1, (0xC2...0xF4).contains(byte) else { return nil }
    let count = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    guard place + count <= bytes.count,
      String(validating: bytes[place..<(place + count)], as: UTF8.self) != nil
    else { return nil }
    return (count, true)
  }
}
