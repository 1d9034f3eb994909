// SPDX-License-Identifier: Apache-2.0
// The one binary search against a search from start to end.

import SQLiteFormat
import Testing

@Suite struct PartitioningIndexTests {
  @Test(arguments: 0...9) func `it finds what a search from the start finds`(count: Int) {
    let numbers = (0..<count).map { $0 / 2 * 3 }
    for limit in -1...(count * 2) {
      let expected = numbers.firstIndex { $0 > limit } ?? count
      #expect(numbers.partitioningIndex { $0 > limit } == expected)
      let slice = numbers.dropFirst(count / 3)
      #expect(
        slice.partitioningIndex { $0 > limit } == slice.firstIndex { $0 > limit } ?? slice.endIndex)
    }
  }
}
