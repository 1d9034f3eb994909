// SPDX-License-Identifier: Apache-2.0
// The one binary search: where, in a list that is in order, the elements begin that are far enough.

extension RandomAccessCollection where Index == Int {
  /// The position of the first element that is far enough; the end where none is.
  ///
  /// Behind one that is far enough there are only such: otherwise any position may come out.
  @inlinable
  package func partitioningIndex(where isFarEnough: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isFarEnough(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
