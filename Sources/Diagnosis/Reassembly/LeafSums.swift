// SPDX-License-Identifier: Apache-2.0
// The sums of the index entries that the rows of leaves should have, and those that there are.

import SQLiteFormat

/// For each leaf of some stretches and each index, the sum of the entries that its rows should have, of
/// which those that there are are taken off: what is left is 0 where the index knows each row.
struct LeafSums: Sendable {
  /// The stretches, in the order of their rowids.
  let stretches: [LeafStretch]
  private let indexCount: Int
  /// The first rowid of each stretch.
  private let firsts: ContiguousArray<Int64>
  /// Where in the sums those of each stretch start.
  private let starts: [Int]
  private var sums: ContiguousArray<UInt64>
  /// The leaf that was found last.
  private var last: (stretch: Int, leaf: Int) = (0, 0)

  /// The sums of the leaves of stretches.
  init(_ stretches: [LeafStretch]) {
    let stretches = stretches.filter { !$0.leaves.isEmpty }
    self.stretches = stretches
    firsts = ContiguousArray(stretches.map { $0.leaves[0].first })
    indexCount = stretches.first.map { $0.keys.count / $0.leaves.count } ?? 0
    var starts: [Int] = []
    sums = []
    for stretch in stretches {
      starts.append(sums.count)
      sums += stretch.keys
    }
    self.starts = starts
  }

  /// The sums of nothing, for the same leaves.
  var blank: LeafSums {
    var blank = self
    blank.sums = ContiguousArray(repeating: 0, count: sums.count)
    return blank
  }

  /// What is left for a leaf of a stretch and an index.
  func sum(_ stretch: Int, _ leaf: Int, _ index: Int) -> UInt64 {
    sums[starts[stretch] + leaf * indexCount + index]
  }

  /// The leaf among whose rowids one lies.
  mutating func page(of rowID: Int64) -> PageNumber? {
    find(rowID) ? stretches[last.stretch].pages[last.leaf] : nil
  }

  /// Takes an entry off, where it should be that of a row of one of the leaves.
  mutating func take(_ digest: UInt64, rowID: Int64, at index: Int) {
    guard find(rowID) else { return }
    sums[starts[last.stretch] + last.leaf * indexCount + index] &-= digest
  }

  /// Adds what others took off.
  mutating func add(_ other: LeafSums) {
    for index in sums.indices { sums[index] &+= other.sums[index] }
  }

  /// Finds the leaf among whose rowids one lies.
  private mutating func find(_ rowID: Int64) -> Bool {
    if last.stretch < stretches.count, stretches[last.stretch].leaves[last.leaf].contains(rowID) {
      return true
    }
    guard let stretch = firsts.lastIndex(upTo: rowID),
      let leaf = stretches[stretch].leaves.index(of: rowID)
    else { return false }
    last = (stretch, leaf)
    return true
  }
}

extension LeafStretch.Leaf {
  /// Whether a rowid lies between its first and its last.
  fileprivate func contains(_ rowID: Int64) -> Bool { first <= rowID && rowID <= last }
}

extension [LeafStretch.Leaf] {
  /// The leaf among whose rowids one lies.
  ///
  /// Most tables give out rowids one after the other: the first guesses are that they lie evenly
  /// between those that are known.
  fileprivate func index(of rowID: Int64) -> Int? {
    var (low, high) = (0, count - 1)
    var guesses = 4
    while low <= high {
      let (first, last) = (self[low].first, self[high].last)
      guard first <= rowID, rowID <= last else { return nil }
      var middle = (low + high) / 2
      if guesses > 0 {
        guesses -= 1
        // The distance of two numbers in order is right without their sign.
        let place = Double(UInt64(bitPattern: rowID &- first))
        let length = Double(UInt64(bitPattern: last &- first)) + 1
        middle = Swift.min(high, low + Int(place / length * Double(high - low + 1)))
      }
      if self[middle].contains(rowID) { return middle }
      if rowID < self[middle].first { high = middle - 1 } else { low = middle + 1 }
    }
    return nil
  }
}

extension ContiguousArray<Int64> {
  /// The position of the last of ascending numbers that is not above another.
  fileprivate func lastIndex(upTo number: Int64) -> Int? {
    let next = partitioningIndex { $0 > number }
    return next > 0 ? next - 1 : nil
  }
}

extension Image {
  /// The digests of the entries that an index should have for the rows of a sound leaf.
  func keys(of index: IndexShape, on leaf: PageNumber) -> [(rowID: Int64, key: UInt64)] {
    guard let page = try? btreePage(leaf), page.kind == .tableLeaf, let cells = page.soundCells
    else { return [] }
    var located = LocatedFields()
    return cells.compactMap { cell in
      guard let rowID = cell.rowID else { return nil }
      let bytes = page.bytes.span
      if cell.overflow == nil, located.read(cell.local, of: bytes) {
        return (rowID, located.digest(of: index, in: bytes, rowID: rowID))
      }
      return (try? record(of: cell, on: page).record).map { record in
        (rowID, index.key(of: StoredRecord(record, of: cell, on: page)).digest)
      }
    }
  }
}

extension [(rowID: Int64, key: UInt64)] {
  /// Those rows, of many, that the sum of their keys tells: some that follow one another, or two.
  func rows(withSum sum: UInt64) -> [Int64]? {
    /// The first row before which the keys have this sum.
    var (starts, total): ([UInt64: Int], UInt64) = ([:], 0)
    for last in indices {
      if starts[total] == nil { starts[total] = last }
      total &+= self[last].key
      if let first = starts[total &- sum] { return self[first...last].map(\.rowID) }
    }
    var places: [UInt64: Int] = [:]
    for second in indices {
      if let first = places[sum &- self[second].key] {
        return [self[first].rowID, self[second].rowID]
      }
      places[self[second].key] = second
    }
    return nil
  }
}
