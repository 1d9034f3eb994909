// SPDX-License-Identifier: Apache-2.0
// The rowids at which rows are missing, and where they end.

import Testing

@testable import Diagnosis

@Suite struct MissingRowsTests {
  private static func missing(_ intervals: MissingRows.Interval...) -> MissingRows {
    intervals.reduce(into: MissingRows()) { $0.add($1) }
  }

  @Test func `stretches with both ends have bounds`() {
    let missing = Self.missing(.init(first: 3, last: 5), .init(first: 9, last: 9, rows: 1))
    #expect(missing.bounds == [3...5, 9...9])
  }

  @Test func `a stretch with more rowids than can be counted has no bounds`() {
    let missing = Self.missing(.init(first: .min, last: .max, rows: 2))
    #expect(missing.rowIDCount == 2 && missing.bounds == nil)
  }

  @Test func `where others may be missing there are no bounds`() {
    #expect(Self.missing(.init(first: 3, last: nil)).bounds == nil)
    var missing = Self.missing(.init(first: 3, last: 5))
    missing.areAll = false
    #expect(missing.bounds == nil)
  }
}
