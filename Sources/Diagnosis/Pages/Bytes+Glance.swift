// SPDX-License-Identifier: Apache-2.0
// What tells most pages apart without reading them whole.

import SQLiteFormat

extension Bytes {
  /// A few of the bytes, from all over, in which most pages differ.
  var glance: UInt64 {
    stride(from: 0, to: count - 7, by: Swift.max(8, count / 16)).reduce(0) { sum, offset in
      (sum ^ UInt64(bitPattern: signed(at: offset, width: 8) ?? 0)) &* 0x9FB2_1C65_1E98_DF25
    }
  }
}
