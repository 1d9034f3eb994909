// SPDX-License-Identifier: Apache-2.0
// What is made of the bytes of a sound file, where that takes more than a line.

import SQLiteFormat

extension CauseTests {
  /// A journal with the leaves of tables among its pages, and a header of zeros.
  static func blankedJournal(of bytes: Bytes) -> Bytes {
    var journal = Bytes(repeating: 0, count: 512)
    for place in stride(from: 0, to: bytes.count, by: 1024) where bytes[place] == 13 {
      journal += [0, 0, 0, UInt8(place >> 10) + 1]
      journal += bytes[place..<(place + 1024)]
      journal += [1, 2, 3, 4]
    }
    return journal
  }

  /// Each byte above 127 as a Cyrillic letter, as in some code pages.
  static func inAnotherCodePage(_ bytes: Bytes) -> Bytes {
    var changed = Bytes()
    for byte in bytes { changed += byte < 128 ? [byte] : [0xD0 | byte >> 6 & 1, 0x80 | byte & 63] }
    return changed
  }

  /// The file as text in UTF-8, and that in ASCII: one question mark for all bytes of a character.
  static func withQuestionMarks(_ bytes: Bytes) -> Bytes {
    Bytes(
      String(decoding: bytes, as: UTF8.self).unicodeScalars.map {
        UInt8($0.isASCII ? $0.value : 63)
      })
  }

  /// A text over the beginning of a file.
  static func over(_ bytes: Bytes, _ text: String) -> Bytes {
    Bytes(text.utf8) + bytes.dropFirst(text.utf8.count)
  }

  /// The head of another file over the header of a file, and zeros behind it.
  static func withHead(_ bytes: Bytes, _ head: Bytes) -> Bytes {
    head + Bytes(repeating: 0, count: 100 - head.count) + bytes.dropFirst(100)
  }

  /// A bit of the second cell pointer of the last leaf of a table.
  static func withTurnedPointer(_ bytes: Bytes) -> Bytes {
    let page = Array(stride(from: 0, to: bytes.count, by: 1024)).last {
      bytes[$0] == 13 && bytes[$0 + 4] > 3
    }
    guard let page else { return bytes }
    var bytes = bytes
    bytes[page + 11] ^= 0x10
    return bytes
  }
}
