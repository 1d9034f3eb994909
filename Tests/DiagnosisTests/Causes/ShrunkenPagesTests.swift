// SPDX-License-Identifier: Apache-2.0
// Pages that lie before their places, in files that hold anything.

import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct ShrunkenPagesTests {
  /// Beginnings of pages that state more than a page can hold.
  static let heads: [Bytes] = [
    [13, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0], [10, 0, 0, 0xFF, 0xFF, 0, 0, 0],
    [5, 0, 0, 1, 0, 0xFF, 0xFF, 0], [2, 0, 0, 0, 1, 0, 1, 0], [13, 0, 0, 0, 1, 2, 0, 60],
  ]

  @Test(arguments: heads) func `a page that states too much is none`(_ head: Bytes) {
    for filling: UInt8 in [0, 0xFF, 13] {
      let page = head + Bytes(repeating: filling, count: 512 - head.count)
      let file = Bytes((0..<20).flatMap { _ in page })
      for missing in [1, 511, 512, 4096] {
        #expect(ShrunkenPages(MemorySource(file), pageSize: 512, missing: missing) == nil)
        #expect(ShrunkenPages(MemorySource(head), pageSize: 512, missing: missing) == nil)
      }
    }
  }
}
