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
