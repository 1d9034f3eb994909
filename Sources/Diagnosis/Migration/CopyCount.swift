// SPDX-License-Identifier: Apache-2.0
// How often rows occur, in a memory that does not grow with them.

/// How often rows occur: of all, or of so many of them as are kept in mind.
///
/// A row is kept in mind by its hash, and so with all of its copies. Where there are too many, only
/// those stay whose hash ends in another zero.
package struct CopyCount: Hashable, Sendable {
  /// How many are kept in mind.
  static let keptMax = 1 << 16

  /// How many zeros the hashes end in.
  private(set) var level = 0
  private var counts: [UInt64: Int] = [:]
  /// All rows in sums, where not all are kept in mind.
  private var sums: [Sum] = []

  /// What the hashes of some of the rows come to, told by their first bits.
  private struct Sum: Hashable {
    var rows = 0
    var sum: UInt64 = 0
  }

  /// How many sums there are.
  private static let sumsBits = 12

  /// Makes an empty count.
  init() {}

  mutating func add(_ hash: UInt64) {
    if !sums.isEmpty { Self.add(hash, times: 1, to: &sums) }
    guard hash.trailingZeroBitCount >= level else { return }
    counts[hash, default: 0] += 1
    while counts.count > Self.keptMax {
      sums = allSums
      level += 1
      counts = Self.kept(counts, level)
    }
  }

  /// All rows in sums.
  private var allSums: [Sum] {
    guard sums.isEmpty else { return sums }
    var sums = [Sum](repeating: Sum(), count: 1 << Self.sumsBits)
    for (hash, count) in counts { Self.add(hash, times: count, to: &sums) }
    return sums
  }

  private static func add(_ hash: UInt64, times count: Int, to sums: inout [Sum]) {
    let place = Int(hash >> (64 - sumsBits))
    sums[place].rows += count
    sums[place].sum &+= hash &* UInt64(count)
  }

  private static func kept(_ counts: [UInt64: Int], _ level: Int) -> [UInt64: Int] {
    counts.filter { $0.key.trailingZeroBitCount >= level }
  }

  /// How many rows more than in another count are like one that is there already; where not all are
  /// kept in mind, how many those that are come to.
  func repeats(beyond other: CopyCount) -> Int {
    let (now, then) = (kept(with: other), other.kept(with: self))
    return (Self.rows(now) - now.count) - (Self.rows(then) - then.count)
  }

  /// How many contents of another count are not here; at least so many where not all are kept in mind.
  func contentsMissing(of other: CopyCount) -> Int {
    let now = kept(with: other)
    let missing = other.kept(with: self).keys.count { now[$0] == nil }
    guard level > 0 || other.level > 0 else { return missing }
    let sums = zip(allSums, other.allSums).reduce(0) { count, pair in
      let (now, then) = pair
      return count
        + (now.rows < then.rows
          ? then.rows - now.rows : now.rows == then.rows && now != then ? 1 : 0)
    }
    return max(missing, sums)
  }

  /// Whether rows were copied since another count, as far as chance does not make them alike.
  ///
  /// Copying takes one row as often as the next, and makes up what was added. Where a few contents
  /// are added again and again, an app does so, and some number of times more often than before is
  /// chance unless other rows were copied too; and where few rows in all became like others, it was
  /// by chance.
  ///
  /// Where rows `haveIDs`, each has a number of its own. Then more rows of a content that several had
  /// before are intended, and copies of rows that were distinct are not.
  func hasCopied(since other: CopyCount, haveIDs: Bool = false) -> Bool {
    let (now, then) = (kept(with: other), other.kept(with: self))
    var repeated = 0
    // Of contents that one row had, and that several had.
    var (ofOne, ofMany) = ((rows: 0, contents: 0), (rows: 0, contents: 0))
    for (hash, count) in now {
      // A migration may have changed every row on the way.
      let before = then[hash] ?? 1
      let gain = max(0, count - before)
      repeated += gain
      guard gain > 0, gain % before == 0, gain / before <= Self.timesMax else { continue }
      if before == 1 {
        ofOne = (ofOne.rows + gain, ofOne.contents + 1)
      } else {
        ofMany = (ofMany.rows + gain, ofMany.contents + 1)
      }
    }
    let ones = then.values.count { $0 == 1 }
    let isOfMany =
      ones > 0
      ? ofOne.contents * 4 >= ones
      : !haveIDs && ofMany.contents >= min(Self.contentsMin, then.count)
    let copied = ofOne.rows + (isOfMany ? ofMany.rows : 0)
    let added = Self.rows(now) - Self.rows(then)
    // One row that is like another is a line more in a log.
    let isAll = Self.rows(then) == 1 && !haveIDs
    guard copied > 1 || isAll || added == 0 else { return false }
    return copied * 4 >= max(repeated, added) * 3
      && (added > 0 || copied * 4 >= Self.rows(then))
  }

  /// How often a row may have been copied, to be told from one that an app adds again and again.
  private static let timesMax = 3
  /// How many contents that several rows had are copied at least, where there are as many.
  private static let contentsMin = 3

  private func kept(with other: CopyCount) -> [UInt64: Int] {
    Self.kept(counts, max(level, other.level))
  }

  private static func rows(_ counts: [UInt64: Int]) -> Int { counts.values.reduce(0, +) }
}
