// SPDX-License-Identifier: Apache-2.0
// What the indexes of a table say about rows: that they are there, or that they are not.

import SQLiteFormat

/// The entries of one index, asked whether a row is theirs.
struct Witness {
  /// How many entries are kept at most: 8 bytes each.
  static let entriesMax = 4 << 20

  /// The index.
  let index: IndexShape
  /// Whether the index is whole, so that what it does not know is not there.
  let isWhole: Bool
  /// The hashes of its entries, ascending.
  private let keys: ContiguousArray<UInt64>

  /// A witness from an index's entries, wherever they lie; nil when there are none, or too many.
  init?(_ index: IndexShape, isWhole: Bool, _ collect: (_ add: (Record) -> Void) -> Void) {
    var keys: ContiguousArray<UInt64> = []
    collect { record in
      if keys.count <= Self.entriesMax { keys.append(record.wholeKey.digest) }
    }
    guard !keys.isEmpty, keys.count <= Self.entriesMax else { return nil }
    keys.sort()
    self.index = index
    self.isWhole = isWhole
    self.keys = keys
  }

  /// Whether the index has the entry that a row should have in it.
  func knows(_ row: StoredRecord) -> Bool {
    let key = index.key(of: row).digest
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == key
  }
}
