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
  /// Whether it has entries for some of the rows only: what it does not know may be there.
  let isPartial: Bool
  /// Whether its entries tell rows apart without their rowid: an index on a flag has an entry
  /// for about every row that ever had the same rowid, of whatever table.
  let isTelling: Bool
  /// The hashes of its entries, ascending.
  private let keys: ContiguousArray<UInt64>
  /// The hashes of entries over a table WITHOUT ROWID, on pages that may be another index's, or the
  /// table's own.
  private let supposed: ContiguousArray<UInt64>
  /// The rowids that its entries end with, ascending; none over a table WITHOUT ROWID.
  private let rowIDs: ContiguousArray<Int64>

  /// The entries on pages that may be another index's, by the rowids that they end with.
  private let guesses: ContiguousArray<Guess>
  /// Those of these pages that speak for rows.
  private var trusted: Set<PageNumber> = []
  /// Those of them that are no other index's, and speak against rows, too.
  private var owned: Set<PageNumber> = []

  /// The rowids of the rows of which it knows the entries; nil where it knows all.
  ///
  /// Each other row lies on a page whose rows it is known to have.
  private let asked: RowIDSet?

  /// A witness from an index's entries, wherever they lie; nil when there are none and should be, or
  /// too many.
  init?(
    _ index: IndexShape, isWhole: Bool, isPartial: Bool = false, _ account: Account,
    asked: RowIDSet?
  ) {
    guard isWhole || account.entries > 0, account.kept <= Self.entriesMax else { return nil }
    self.index = index
    self.isWhole = isWhole
    self.isPartial = isPartial
    self.asked = asked
    isTelling =
      !index.endsInRowID
      || account.starts.count * 2 >= min(account.entries, Account.startsMax)
    keys = ContiguousArray(account.keys.sorted())
    supposed = ContiguousArray(account.supposed.sorted())
    rowIDs = ContiguousArray(account.rowIDs.sorted())
    guesses = ContiguousArray(account.guesses.sorted { $0.rowID < $1.rowID })
  }

  /// An entry on a page that may be another index's.
  struct Guess: Sendable {
    /// The hash of the entry.
    let key: UInt64
    /// The rowid that it ends with.
    let rowID: Int64
    /// Its page.
    let page: PageNumber
  }

  /// What an index says about a row.
  enum Testimony {
    /// It has the entry that the row should have in it.
    case knows
    /// The entry is on a page that may be another index's, where all that are NULL look alike.
    case supposes
    /// It has another entry in the row's stead, or is whole and has none.
    case denies
    /// Neither.
    case silent
  }

  /// What the index says about a row.
  func testimony(on row: StoredRecord) -> Testimony {
    if let asked, let rowID = row.rowID, !asked.contains(rowID) {
      return isPartial ? .silent : .knows
    }
    let key = index.key(of: row).digest
    if keys.containsSorted(key) { return .knows }
    if supposed.containsSorted(key) { return .supposes }
    let guesses = guesses(on: row)
    if guesses.contains(where: { $0.key == key && trusted.contains($0.page) }) {
      return .supposes
    }
    let hasAnother =
      guesses.contains { owned.contains($0.page) } || row.rowID.map(rowIDs.containsSorted) ?? false
    return isWhole || hasAnother ? .denies : .silent
  }

  /// What pages that no tree leads to say of rows: of how many, and of how many what is so.
  fileprivate func sayings(of rows: some Sequence<StoredRecord>) -> [PageNumber: Saying] {
    guard !guesses.isEmpty else { return [:] }
    var sayings: [PageNumber: Saying] = [:]
    for row in rows {
      let key = index.key(of: row).digest
      for guess in guesses(on: row) {
        sayings[guess.page, default: (0, 0)].all += 1
        if guess.key == key { sayings[guess.page, default: (0, 0)].right += 1 }
      }
    }
    return sayings
  }

  fileprivate typealias Saying = (right: Int, all: Int)

  /// The same witness with some of these pages held to be its own.
  fileprivate func trusting(_ trusted: Set<PageNumber>, owning owned: Set<PageNumber>) -> Witness {
    var witness = self
    (witness.trusted, witness.owned) = (trusted, owned)
    return witness
  }

  private func guesses(on row: StoredRecord) -> ArraySlice<Guess> {
    guard let rowID = row.rowID, !guesses.isEmpty else { return [] }
    let start = guesses.partitioningIndex { $0.rowID >= rowID }
    return ArraySlice(guesses[start...].prefix { $0.rowID == rowID })
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
    /// Those entries that end with a rowid, on pages that are not proven to be the index's.
    private(set) var guesses: [Guess] = []
    /// The hashes of those over a table WITHOUT ROWID, on pages that are not proven to be the
    /// index's.
    private(set) var supposed: [UInt64] = []
    /// How many entries are kept.
    var kept: Int { keys.count + guesses.count + supposed.count }
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
    /// `page` is one that may be another index's; nil where the entry is proven to be this one's.
    mutating func keep(_ key: UInt64, rowID: Int64?, on page: PageNumber?) {
      guard kept <= Witness.entriesMax else { return }
      if let page, let rowID {
        guesses.append(Guess(key: key, rowID: rowID, page: page))
      } else if page != nil {
        supposed.append(key)
      } else {
        keys.append(key)
        if let rowID { rowIDs.append(rowID) }
      }
    }

    /// Adds what was read of other entries, or of the same another time.
    mutating func add(_ other: Account, isCounted: Bool) {
      if isCounted { entries += other.entries }
      keys += other.keys
      rowIDs += other.rowIDs
      guesses += other.guesses
      supposed += other.supposed
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
  /// The same witnesses for the rows of one table, without the pages that contradict most of these rows.
  ///
  /// A page that no tree leads to may be another index's. It speaks for rows if most of what it says
  /// of them is right. It speaks against rows, too, if nearly all is right, and more than it would be
  /// for any other of the indexes: an index of another table is right about some rowids by chance.
  func asked(about rows: some Sequence<StoredRecord>) -> [Witness] {
    let sayings = map { $0.sayings(of: rows) }
    guard sayings.contains(where: { !$0.isEmpty }) else { return self }
    return indices.map { place in
      let trusted = sayings[place].filter { $1.right * 2 > $1.all }
      let owned = trusted.filter { page, saying in
        saying.right * 4 >= saying.all * 3
          && indices.allSatisfy { $0 == place || sayings[$0][page]?.right ?? 0 < saying.right }
      }
      return self[place].trusting(Set(trusted.keys), owning: Set(owned.keys))
    }
  }

  /// What the indexes of a table say together about a row.
  struct JointTestimony {
    /// Whether one knows it.
    var isEchoed = false
    /// Whether one knows it whose entries tell rows apart.
    var isKnown = false
    /// Whether one knows it by an entry on a page of its own.
    var isProven = false
    /// The places of those that deny it.
    var deniers: [Int] = []
    /// Whether one denies it.
    var isDenied: Bool { !deniers.isEmpty }
  }

  /// What the indexes say about a row.
  func testimony(on row: StoredRecord) -> JointTestimony {
    var result = JointTestimony()
    for (place, witness) in enumerated() {
      let testimony = witness.testimony(on: row)
      switch testimony {
      case .knows, .supposes:
        result.isEchoed = true
        let isTelling = testimony == .knows || !witness.index.isNull(in: row)
        if witness.isTelling, isTelling { result.isKnown = true }
        if testimony == .knows { result.isProven = true }
      case .denies: result.deniers.append(place)
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
