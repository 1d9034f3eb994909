// SPDX-License-Identifier: Apache-2.0
// A place in the bytes of a text that moves forward and knows its line.

import SQLiteFormat

/// A place in the bytes of a text; it moves forward only.
struct TextCursor: Sendable {
  let bytes: Bytes
  private(set) var offset = 0
  private var line = 1
  private var lineStart = 0

  init(_ bytes: Bytes) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { (offset, lineStart) = (3, 3) }
  }

  /// The byte here; nil at the end.
  var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Whether the text ends here.
  var isAtEnd: Bool { offset >= bytes.count }

  /// Whether these characters stand here.
  func isAt(_ text: StaticString) -> Bool {
    let text = text.description.utf8
    return bytes[offset...].starts(with: text)
  }

  /// Moves over one byte.
  mutating func advance() {
    let passed = byte
    offset += 1
    let endsLine =
      passed == UInt8(ascii: "\n") || passed == UInt8(ascii: "\r") && byte != UInt8(ascii: "\n")
    if endsLine { (line, lineStart) = (line + 1, offset) }
  }

  /// Moves over some bytes.
  mutating func advance(_ count: Int) {
    for _ in 0..<count { advance() }
  }

  /// Line and column of this place: every byte that is not inside a character counts.
  var position: TextPosition {
    let column = bytes[min(lineStart, offset)..<min(offset, bytes.count)]
      .count { $0 & 0xC0 != 0x80 }
    return TextPosition(line: line, column: column + 1)
  }
}
