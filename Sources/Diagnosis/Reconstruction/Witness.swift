// SPDX-License-Identifier: Apache-2.0
// What the indexes of a table say about rows: that they are there, or that they are not.

import SQLiteFormat

/// The entries of one index, asked whether a row is theirs.
struct Witness {
  /// How many entries are kept at most: 16 bytes each.
  static let entriesMax = 2 << 20
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

  /// The rowids of the rows of which it knows the entries; nil where it knows all.
  ///
  /// Each other row lies on a page whose rows it is known to have.
  private let asked: RowIDSet?

  /// A witness from an index's entries, wherever they lie; nil when there are none, or too many.
  init?(_ index: IndexShape, isWhole: Bool, _ account: Account, asked: RowIDSet?) {
    guard account.entries > 0, account.keys.count <= Self.entriesMax else { return nil }
    self.index = index
    self.isWhole = isWhole
    self.asked = asked
    isTelling =
      !index.endsInRowID
      || account.starts.count * 2 >= min(account.entries, Account.startsMax)
    keys = ContiguousArray(account.keys.sorted())
    rowIDs = ContiguousArray(account.rowIDs.sorted())
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
    if let asked, let rowID = row.rowID, !asked.contains(rowID) { return .knows }
    if keys.containsSorted(index.key(of: row).digest) { return .knows }
    return isWhole || row.rowID.map(rowIDs.containsSorted) ?? false ? .denies : .silent
  }
}

extension Witness {
  /// What was read of the entries of one index.
  struct Account: Sendable {
    /// How many starts of keys are kept to see whether they differ.
    static let startsMax = 1 << 16

    /// How many entries there are.
    private(set) var entries = 0
    /// The hashes of the entries that were asked for.
    private(set) var keys: [UInt64] = []
    /// The rowids with which those of them end that are proven to be the index's; none over a table
    /// WITHOUT ROWID.
    private(set) var rowIDs: [Int64] = []
    /// The hashes of what stands before the rowid, as far as they are looked at.
    private(set) var starts: Set<UInt64> = []
    private var lastStart: UInt64?

    /// Counts an entry, by the hash of what stands before its rowid where it ends with one.
    mutating func count(start: UInt64?) {
      entries += 1
      // The entries of an index come in order: like ones follow one another.
      guard let start, start != lastStart, starts.count < Self.startsMax else { return }
      starts.insert(start)
      lastStart = start
    }

    /// Keeps an entry.
    ///
    /// One that may be another index's can speak for a row, but not against one.
    mutating func keep(_ key: UInt64, rowID: Int64?, isProven: Bool) {
      guard keys.count <= Witness.entriesMax else { return }
      keys.append(key)
      if isProven, let rowID { rowIDs.append(rowID) }
    }

    /// Adds what was read of other entries, or of the same another time.
    mutating func add(_ other: Account, isCounted: Bool) {
      if isCounted { entries += other.entries }
      keys += other.keys
      rowIDs += other.rowIDs
      if starts.count < Self.startsMax { starts.formUnion(other.starts) }
    }
  }
}

extension IndexShape {
  /// Whether the entries end with a rowid.
  var endsInRowID: Bool { if case .rowID? = fields.last { true } else { false } }
}

/// Many rowids, asked whether one is among them.
struct RowIDSet: Sendable {
  private let sorted: ContiguousArray<Int64>
  /// A bit for each of the hashes that one of them has.
  private var filter: ContiguousArray<UInt64>
  private static let filterBits: UInt64 = 20

  /// A set of rowids.
  init(_ rowIDs: some Sequence<Int64>) {
    var sorted = ContiguousArray(rowIDs)
    sorted.sort()
    self.sorted = sorted
    filter = ContiguousArray(repeating: 0, count: 1 << Int(Self.filterBits - 6))
    for rowID in sorted {
      let bit = Self.bit(of: rowID)
      filter[bit >> 6] |= 1 << UInt64(bit & 63)
    }
  }

  /// How many there are.
  var count: Int { sorted.count }

  /// Whether a rowid is among them.
  func contains(_ rowID: Int64) -> Bool {
    let bit = Self.bit(of: rowID)
    return filter[bit >> 6] & 1 << UInt64(bit & 63) != 0 && sorted.containsSorted(rowID)
  }

  /// All of them and others.
  func union(_ others: [Int64]) -> RowIDSet { others.isEmpty ? self : RowIDSet(sorted + others) }

  private static func bit(of rowID: Int64) -> Int {
    let spread = UInt64(bitPattern: rowID) &* 0x9E37_79B9_7F4A_7C15
    return Int(spread >> (64 - filterBits))
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
    let index = partitioningIndex { $0 >= element }
    return index < count && self[index] == element
  }
}
