// SPDX-License-Identifier: Apache-2.0
// Rows in whose place others are, under the same keys: nothing of what they held is there, nor is any
// of it the same in another form.

import SQLiteFormat

/// Rows of before under whose keys others are now.
struct ReplacedRows {
  /// How many columns beside the key have to tell of it, and how many rows: a line of settings may well
  /// be written anew.
  private static let (columnsMin, rowsMin) = (3, 8)

  /// A column of a table, by its place before and now.
  private typealias Place = (old: Int, new: Int)
  /// The hashes of a row's columns before and now.
  private typealias Row = (old: ArraySlice<UInt32>, new: ArraySlice<UInt32>)

  /// How many there are, of those that are kept in mind.
  let count: Int

  /// Finds the rows, by new names of columns; nil where the values of all may have been converted, or the
  /// same rows have other keys.
  init?(_ then: TableFigures, _ now: TableFigures, naming names: [Name: Name]) {
    let places = then.places(in: now, naming: names).filter { then.columns[$0.old].isTelling }
    guard places.count >= Self.columnsMin else { return nil }
    let most = places.map { then.columns[$0.old].spread }.max() ?? 0
    let telling = places.filter { then.columns[$0.old].spread * 2 >= most }
    let pairs: [Row] = now.sample.pairs(with: then.sample).map {
      (then.sample.hashes(at: $0.theirs), now.sample.hashes(at: $0.own))
    }
    let rows = pairs.filter { row in
      telling.allSatisfy { row.old[at: $0.old] != row.new[at: $0.new] }
    }
    guard rows.count >= Self.rowsMin,
      !telling.contains(where: { Self.isElsewhere($0, of: rows, then, now) }),
      !Self.areElsewhere(rows, places, now)
    else { return nil }
    var isShown = Self.isOfSome(rows, among: pairs, telling)
    for place in places {
      switch Self.fate(of: place, in: rows) {
      case .kept: return nil
      case .others: isShown = true
      case .unknown: break
      }
    }
    guard isShown else { return nil }
    count = rows.count
  }

  /// Whether other rows have what these held in a column.
  private static func isElsewhere(
    _ place: Place, of rows: [Row], _ then: TableFigures, _ now: TableFigures
  ) -> Bool {
    guard now.sample.isWhole, then.sample.isWhole else {
      // Where rows came, the sum tells nothing.
      return now.rows != then.rows || now.columns[place.new].sum == then.columns[place.old].sum
    }
    // Of few values, most are in any other rows as well.
    let old = Set(rows.map { $0.old[at: place.old] })
    guard old.count * 10 >= rows.count * 9 else { return false }
    let present = now.sample.values(at: place.new)
    return rows.count { present.contains($0.old[at: place.old]) } * 2 >= rows.count
  }

  /// Whether nearly each of these rows is there under another key, in all columns.
  private static func areElsewhere(
    _ rows: [Row], _ places: [Place], _ now: TableFigures
  ) -> Bool {
    guard now.sample.isWhole else { return false }
    var present = Dictionary(
      now.sample.rows.map { row in (places.map { row[at: $0.new] }, 1) }, uniquingKeysWith: +)
    let found = rows.count { row in
      let values = places.map { row.old[at: $0.old] }
      guard let left = present[values], left > 0 else { return false }
      present[values] = left - 1
      return true
    }
    return found * 5 >= rows.count * 4
  }

  /// Whether these are some of all rows, and the others are as they were: a conversion is one of all.
  ///
  /// What is put in the place of the values of some, such as of users who left, is not as different as
  /// they were.
  private static func isOfSome(_ rows: [Row], among pairs: [Row], _ telling: [Place]) -> Bool {
    let kept = pairs.count { row in
      telling.allSatisfy { row.old[at: $0.old] == row.new[at: $0.new] }
    }
    return kept >= rowsMin
      && telling.allSatisfy { place in
        Set(rows.map { $0.new[at: place.new] }).count * 2
          >= Set(rows.map { $0.old[at: place.old] }).count
      }
  }

  /// What has become of the values of a column.
  private enum Fate {
    /// They are there, or each has become another one, wherever it was.
    case kept
    /// The same value has become now this one and now that one.
    case others
    /// Values occur too seldom to tell, or one of them nearly always.
    case unknown
  }

  /// By how much more than chance the values are the same, or each has become one other.
  private static func fate(of place: Place, in rows: [Row]) -> Fate {
    let pairs = rows.map { (old: $0.old[at: place.old], new: $0.new[at: place.new]) }
    let groups = Dictionary(grouping: pairs, by: \.old)
    let news = Dictionary(pairs.map { ($0.new, 1) }, uniquingKeysWith: +)
    let (count, most) = (pairs.count, news.values.max() ?? 0)
    let byChance = groups.reduce(0) { $0 + $1.value.count * (news[$1.key] ?? 0) }
    let same = pairs.count { $0.old == $0.new }
    guard same * 2 * count < count * count + byChance else { return .kept }

    let repeats = groups.values.filter { $0.count > 1 }
    let repeated = repeats.reduce(0) { $0 + $1.count }
    guard repeated * 2 >= count, most * 10 <= count * 9,
      news.values.reduce(0, { $1 > 1 ? $0 + $1 : $0 }) * 2 >= count
    else { return .unknown }
    let alike = repeats.reduce(0) { sum, group in
      sum + (Dictionary(group.map { ($0.new, 1) }, uniquingKeysWith: +).values.max() ?? 0)
    }
    let isOne = alike * 5 >= repeated * 4 && alike * 2 * count >= repeated * (count + most)
    return isOne ? .kept : .others
  }
}
