// SPDX-License-Identifier: Apache-2.0
// What the indexes of a table say about rows: that they are there, or that they are not.

import SQLiteFormat

/// The entries of one index, asked whether a row is theirs.
struct Witness {
  /// How many entries are kept at most: 16 bytes each.
  static let entriesMax = 2 << 20
  /// How many keys are looked at to see whether they differ.
  private static let prefixesMax = 1 << 16

  /// The index.
  let index: IndexShape
  /// Whether the index is whole, so that what it does not know is not there.
  let isWhole: Bool
  /// Whether its entries tell rows apart without their rowid: an index on a flag has an entry
  /// for about every row that ever had the same rowid, of whatever table.
  let isTelling: Bool
  /// The hashes of its entries, ascending.
  private let keys: ContiguousArray<UInt64>
  /// The rowids that its entries end with, ascending; none over a table WITHOUT ROWID.
  private let rowIDs: ContiguousArray<Int64>

  /// A witness from an index's entries, wherever they lie; nil when there are none, or too many.
  ///
  /// An entry that may be another index's can speak for a row, but not against one.
  init?(
    _ index: IndexShape, isWhole: Bool,
    _ collect: (_ add: (_ entry: Record, _ isProven: Bool) -> Void) -> Void
  ) {
    var keys: ContiguousArray<UInt64> = []
    var rowIDs: ContiguousArray<Int64> = []
    var prefixes: Set<UInt64> = []
    let endsInRowID: Bool = if case .rowID? = index.fields.last { true } else { false }
    collect { record, isProven in
      guard keys.count <= Self.entriesMax else { return }
      keys.append(KeyHash(record).digest)
      guard endsInRowID, let rowID = record.value(record.fieldCount - 1)?.integerValue else {
        return
      }
      if isProven { rowIDs.append(rowID) }
      var prefix = KeyHash()
      for field in 0..<(record.fieldCount - 1) { _ = prefix.add(record, field: field) }
      if prefixes.count < Self.prefixesMax { prefixes.insert(prefix.digest) }
    }
    guard !keys.isEmpty, keys.count <= Self.entriesMax else { return nil }
    keys.sort()
    rowIDs.sort()
    self.index = index
    self.isWhole = isWhole
    isTelling = !endsInRowID || prefixes.count * 2 >= min(keys.count, Self.prefixesMax)
    self.keys = keys
    self.rowIDs = rowIDs
  }

  /// What an index says about a row.
  enum Testimony {
    /// It has the entry that the row should have in it.
    case knows
    /// It has another entry in the row's stead, or is whole and has none.
    case denies
    /// Neither.
    case silent
  }

  /// What the index says about a row.
  func testimony(on row: StoredRecord) -> Testimony {
    if keys.containsSorted(index.key(of: row).digest) { return .knows }
    return isWhole || row.rowID.map(rowIDs.containsSorted) ?? false ? .denies : .silent
  }
}

extension [Witness] {
  /// What the indexes of a table say together about a row.
  struct Testimony {
    /// Whether one knows it.
    var isEchoed = false
    /// Whether one knows it whose entries tell rows apart.
    var isKnown = false
    /// Whether one denies it.
    var isDenied = false
  }

  /// What the indexes say about a row.
  func testimony(on row: StoredRecord) -> Testimony {
    var result = Testimony()
    for witness in self {
      switch witness.testimony(on: row) {
      case .knows:
        result.isEchoed = true
        if witness.isTelling { result.isKnown = true }
      case .denies: result.isDenied = true
      case .silent: break
      }
    }
    return result
  }
}

extension ContiguousArray where Element: Comparable {
  /// Whether an ascending array has an element.
  fileprivate func containsSorted(_ element: Element) -> Bool {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == element
  }
}
