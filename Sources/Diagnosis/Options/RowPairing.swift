// SPDX-License-Identifier: Apache-2.0
// The rows of two states of a table paired, in little memory however many there are.

import SQLiteFormat

/// A row as two states compare it.
struct ComparedRow: Comparable {
  /// What the row is known by: its rowid, or a hash of its key.
  let identity: UInt64
  /// A hash of what it holds.
  let content: UInt64

  /// The same known by nothing but what it holds.
  var byContent: ComparedRow { ComparedRow(identity: content, content: content) }

  static func < (left: Self, right: Self) -> Bool {
    (left.identity, left.content) < (right.identity, right.content)
  }
}

/// How many rows of two states go together.
///
/// The rows of large tables are read several times: first for sums over shares of them, and then
/// those of the shares that differ, as many at a time as are kept.
struct RowPairing {
  /// Hands out the rows of a state; each time the same.
  typealias Rows = (_ body: (ComparedRow) -> Void) -> Void

  /// How many rows of both states are kept at a time, in 16 bytes each.
  static let keptMax = 1 << 21
  /// Into how many shares the rows of large tables go.
  private static let shareCount = 1 << 16

  /// Rows that both states have, with the same values.
  private(set) var same = 0
  /// Rows that both states have, with other values.
  private(set) var changed = 0
  /// Rows that only the current state has.
  private(set) var onlyCurrent = 0
  /// Rows that only the other state has.
  private(set) var onlyOther = 0

  /// Pairs the rows of two states that have `rowCount` together, `keptMax` at a time.
  ///
  /// Where they have no keys that people see, values that stand under another rowid are the same
  /// row.
  init(
    rowCount: Int, haveKeys: Bool, keptMax: Int = Self.keptMax, current: Rows, other: Rows
  ) {
    if rowCount <= keptMax {
      var (mine, theirs) = (Self.kept(current) { $0 }, Self.kept(other) { $0 })
      pair(mine, theirs)
      guard !haveKeys, mayBeNumberedAnew else { return }
      mine.knowByContent()
      theirs.knowByContent()
      take { $0.pair(mine, theirs) }
    } else {
      pairByShares(keptMax, current, other) { $0 }
      guard !haveKeys, mayBeNumberedAnew else { return }
      take { $0.pairByShares(keptMax, current, other, as: \.byContent) }
    }
  }

  private init() {}

  /// Whether both states have rows without an equal in their place.
  private var mayBeNumberedAnew: Bool { changed + onlyCurrent > 0 && changed + onlyOther > 0 }

  /// Takes another pairing for this one where more rows are the same in it.
  private mutating func take(_ pair: (inout RowPairing) -> Void) {
    var other = RowPairing()
    pair(&other)
    if other.same > same { self = other }
  }

  private mutating func pairByShares(
    _ keptMax: Int, _ current: Rows, _ other: Rows,
    as known: @escaping (ComparedRow) -> ComparedRow
  ) {
    let sums = zip(Self.sums(of: current, known), Self.sums(of: other, known))
    var turns = [Int](repeating: -1, count: Self.shareCount)
    var (turn, size) = (0, 0)
    for (share, (current, other)) in sums.enumerated() {
      guard current != other else {
        same += current.count
        continue
      }
      size += current.count + other.count
      if size > keptMax { (turn, size) = (turn + 1, current.count + other.count) }
      turns[share] = turn
    }
    guard size > 0 else { return }
    for turn in 0...turn {
      let isKept = turns.map { $0 == turn }
      pair(Self.kept(current, in: isKept, as: known), Self.kept(other, in: isKept, as: known))
    }
  }

  /// In which share a row is; rows that stand side by side are mostly in one.
  private static func share(of row: ComparedRow) -> Int {
    Int(truncatingIfNeeded: ((row.identity >> 7) &* 0x9E37_79B9_7F4A_7C15) >> 48)
  }

  private static func sums(
    of rows: Rows, _ known: @escaping (ComparedRow) -> ComparedRow
  ) -> [Fingerprint] {
    var sums = [Fingerprint](repeating: Fingerprint(), count: shareCount)
    rows { row in
      let row = known(row)
      var hash = KeyHash()
      hash.add(Int64(bitPattern: row.identity))
      hash.add(Int64(bitPattern: row.content))
      sums[share(of: row)].add(hash)
    }
    return sums
  }

  /// The rows of some shares, or all, in order.
  private static func kept(
    _ rows: Rows, in shares: [Bool]? = nil, as known: @escaping (ComparedRow) -> ComparedRow
  ) -> [ComparedRow] {
    var kept: [ComparedRow] = []
    rows { row in
      let row = known(row)
      if shares?[share(of: row)] ?? true { kept.append(row) }
    }
    kept.sort()
    return kept
  }

  /// Pairs rows in their order: those of one identity first by what they hold.
  private mutating func pair(_ current: [ComparedRow], _ other: [ComparedRow]) {
    var (mine, theirs) = (0, 0)
    // The rows of one identity that have no equal on the other side.
    var (identity, left, right) = (UInt64(0), 0, 0)
    while mine < current.count || theirs < other.count {
      let isMine =
        theirs == other.count || mine < current.count && current[mine] <= other[theirs]
      let isTheirs =
        mine == current.count || theirs < other.count && other[theirs] <= current[mine]
      let row = isMine ? current[mine] : other[theirs]
      if row.identity != identity {
        pair(left, right)
        (identity, left, right) = (row.identity, 0, 0)
      }
      switch (isMine, isTheirs) {
      case (true, true): same += 1
      case (true, false): left += 1
      default: right += 1
      }
      if isMine { mine += 1 }
      if isTheirs { theirs += 1 }
    }
    pair(left, right)
  }

  private mutating func pair(_ left: Int, _ right: Int) {
    changed += min(left, right)
    onlyCurrent += left - min(left, right)
    onlyOther += right - min(left, right)
  }
}

extension [ComparedRow] {
  /// Knows each row by nothing but what it holds, and puts all in that order.
  fileprivate mutating func knowByContent() {
    for index in indices { self[index] = self[index].byContent }
    sort()
  }
}
