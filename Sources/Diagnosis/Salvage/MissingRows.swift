// SPDX-License-Identifier: Apache-2.0
// The rowids at which rows of a table are missing, as a report lists them.

/// The rowids at which rows of a table are missing.
package struct MissingRows: Hashable, Sendable {
  /// A stretch of rowids.
  package struct Interval: Hashable, Sendable {
    /// The first rowid; nil where the stretch begins with the table.
    package let first: Int64?
    /// The last rowid; nil where the stretch ends with the table.
    package let last: Int64?
    /// How many rows are missing in it; nil where that is not known.
    package internal(set) var rows: Int?

    /// Makes a stretch.
    package init(first: Int64?, last: Int64?, rows: Int? = nil) {
      self.first = first
      self.last = last
      self.rows = rows
    }

    /// How many rowids there are in it; nil where it is open.
    var rowIDCount: Int? {
      guard let first, let last, first <= last else { return nil }
      let (distance, overflow) = last.subtractingReportingOverflow(first)
      return overflow || distance == .max ? nil : Int(exactly: distance + 1)
    }

    /// The stretch in words, such as `120-340`.
    package var description: String {
      switch (first, last) {
      case (nil, nil): "all"
      case (let first?, nil): "\(first) and above"
      case (nil, let last?): "up to \(last)"
      case (let first?, let last?): first == last ? "\(first)" : "\(first)-\(last)"
      }
    }
  }

  /// How many stretches are kept.
  package static let keptMax = 1000
  /// The first stretches, in order.
  package private(set) var intervals: [Interval] = []
  /// How many there are in all.
  package private(set) var count = 0
  /// Whether no row can be missing in other places.
  package var areAll = true

  /// How many rows can be missing at most, one for each rowid of every stretch; nil where a stretch
  /// is open, not all are kept, or others may be missing elsewhere.
  package var rowIDCount: Int? {
    guard areAll, count > 0, count == intervals.count else { return nil }
    var sum = 0
    for interval in intervals {
      guard let count = interval.rows ?? interval.rowIDCount else { return nil }
      let (next, overflow) = sum.addingReportingOverflow(count)
      guard !overflow else { return nil }
      sum = next
    }
    return sum
  }

  /// The stretches of rowids outside of which no row is missing; nil where others can be missing, or
  /// one of them is open or has more rowids than can be counted.
  package var bounds: [ClosedRange<Int64>]? {
    guard rowIDCount != nil, intervals.allSatisfy({ $0.rowIDCount != nil }) else { return nil }
    return intervals.compactMap { interval in
      interval.first.flatMap { first in interval.last.map { first...$0 } }
    }
  }

  /// A list without stretches.
  package init() {}

  /// Adds a stretch at the end.
  package mutating func add(_ interval: Interval) {
    count += 1
    if intervals.count < Self.keptMax { intervals.append(interval) }
  }

  /// The list without the ends of its stretches where rows are there by now.
  package func without<Failure: Error>(
    _ isThere: (Int64) throws(Failure) -> Bool
  ) throws(Failure) -> MissingRows {
    guard count == intervals.count else { return self }
    var rest = MissingRows()
    rest.areAll = areAll
    for interval in intervals {
      guard let start = interval.first, let end = interval.last else {
        rest.add(interval)
        continue
      }
      var (first, last) = (start, end)
      while first <= last, try isThere(first), first < .max { first += 1 }
      while first <= last, try isThere(last), last > .min { last -= 1 }
      if first <= last { rest.add(Interval(first: first, last: last)) }
    }
    return rest
  }

  /// The list of a table's gaps, whose last rowid its AUTOINCREMENT counter may tell.
  package init(_ gaps: [Gap], lastRowID: Int64?) {
    for case .rowIDs(let first, let last) in gaps {
      let end = last ?? lastRowID.flatMap { $0 >= first ?? .min ? $0 : nil }
      // What begins where the stretch before it ended is the same stretch.
      if let previous = intervals.last, count == intervals.count, let before = previous.last,
        let first, before < .max, before + 1 == first
      {
        intervals[intervals.count - 1] = Interval(first: previous.first, last: end)
      } else {
        add(Interval(first: first, last: end))
      }
    }
  }
}
