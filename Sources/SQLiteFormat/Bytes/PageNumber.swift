// SPDX-License-Identifier: Apache-2.0
// The number of a page, kept apart from counts and offsets.

/// The number of a page, from 1.
public struct PageNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number as stored: 32 bits, 0 meaning none.
  package let rawValue: UInt32

  /// Makes a page number; 0 is none and gives nil.
  package init?(_ rawValue: UInt32) {
    guard rawValue != 0 else { return nil }
    self.rawValue = rawValue
  }

  /// Makes a page number of a count or index that the caller counted itself.
  package init?(_ number: Int) {
    guard number > 0, let rawValue = UInt32(exactly: number) else { return nil }
    self.rawValue = rawValue
  }

  private init(known rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The first page, which holds the file header and the root of the schema table.
  package static let first = PageNumber(known: 1)

  /// The number as an `Int`, for arithmetic.
  public var number: Int { Int(rawValue) }

  /// The number in decimal.
  public var description: String { String(rawValue) }

  /// Orders pages by number.
  public static func < (left: PageNumber, right: PageNumber) -> Bool {
    left.rawValue < right.rawValue
  }
}
