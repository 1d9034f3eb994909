// SPDX-License-Identifier: Apache-2.0
// What the records of a tree come to in sum: record by record, or a sound page at a time.

/// The sums of the keys of a tree's records: its own, and those that indexes over it should hold.
package struct RecordTally: Sendable {
  /// The sum of the records themselves, where that was asked for.
  package private(set) var keys = Fingerprint()
  /// For each index, the sum of the keys that it should hold.
  package private(set) var expected: [Fingerprint]

  private let indexes: [IndexShape]
  private let sumsKeys: Bool
  private let shape: RowShape?
  private let order: KeyOrder?

  /// A tally of no records.
  ///
  /// `indexes` are those over the table; `sumsKeys` is for an index itself, `shape` and `order` say
  /// what the records of a page taken whole have to keep to.
  package init(indexes: [IndexShape], sumsKeys: Bool, shape: RowShape?, order: KeyOrder?) {
    self.indexes = indexes
    self.sumsKeys = sumsKeys
    self.shape = shape
    self.order = order
    expected = indexes.map { _ in Fingerprint() }
  }

  /// Adds a record.
  package mutating func add(_ stored: StoredRecord) {
    for (place, index) in indexes.enumerated() { expected[place].add(index.key(of: stored)) }
    if sumsKeys { keys.add(KeyHash(stored.record)) }
  }

  /// Adds all records of a page; false, and the tally is of no use any more, unless the page is
  /// sound, no record spills, and each is one, fits the table, and follows the one before it.
  package mutating func add(_ visit: TreeWalk.Visit) -> Bool {
    guard visit.content.layoutFault == nil, visit.content.faults.isEmpty else { return false }
    let bytes = visit.page.bytes.span
    var located = LocatedFields()
    var previous = LocatedFields()
    var isFirst = true
    for cell in visit.content.cells {
      guard cell.overflow == nil, located.read(cell.local, of: bytes),
        shape?.fits(located, of: bytes) ?? true,
        isFirst || order?.allows(previous, before: located, of: bytes) ?? true
      else { return false }
      for place in indexes.indices {
        expected[place].add(indexes[place].key(of: located, in: bytes, rowID: cell.rowID))
      }
      if sumsKeys { keys.add(KeyHash(located, of: bytes)) }
      if order != nil { swap(&located, &previous) }
      isFirst = false
    }
    return true
  }
}
