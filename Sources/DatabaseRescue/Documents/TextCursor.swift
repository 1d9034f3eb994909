// SPDX-License-Identifier: Apache-2.0
// A place in the bytes of a text that moves forward and knows its line.

import SQLiteFormat

/// A place in the bytes of a text; it moves forward only.
struct TextCursor: Sendable {
  let bytes: Bytes
  private(set) var offset = 0
  /// Line and column of this place: every byte that is not inside a character counts.
  private(set) var position = TextPosition.start

  init(_ bytes: Bytes) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
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

  /// The text from an earlier place up to this one.
  func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

  /// Moves over one byte.
  mutating func advance() {
    guard let passed = byte else { return }
    offset += 1
    if passed == UInt8(ascii: "\n") || passed == UInt8(ascii: "\r") && byte != UInt8(ascii: "\n") {
      position = TextPosition(line: position.line + 1, column: 1)
    } else if passed & 0xC0 != 0x80 {
      position = TextPosition(line: position.line, column: position.column + 1)
    }
  }

  /// Moves over some bytes.
  mutating func advance(_ count: Int) {
    for _ in 0..<count { advance() }
  }
}
