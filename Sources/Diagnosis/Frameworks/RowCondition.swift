// SPDX-License-Identifier: Apache-2.0
// What is true of a row of a framework's table: asked of records, and as SQL.

import SQLiteFormat

/// What is true of a row, by one of its columns.
package struct RowCondition: Sendable {
  /// What is asked of the column.
  enum Test: Sendable {
    case isAny
    case isTrue
    case isFalse
    case isNull
    case isNotNull
    case equals(Int64)
    case isText(String)
    case isNotText(String)
    case isLess(Name)
    /// None of these bits is set in its number.
    case lacksBits(Int64)
  }

  let column: Name
  let test: Test

  init(_ column: Name, _ test: Test) {
    self.column = column
    self.test = test
  }

  /// The columns that must be known.
  var columns: [Name] {
    if case .isLess(let other) = test { [column, other] } else { [column] }
  }

  /// Whether it is true of a row.
  func holds(_ row: [Name: Value]) -> Bool {
    guard let own = row[column] else { return false }
    return switch test {
    case .isAny: true
    case .isTrue: own.integerValue.map { $0 != 0 } ?? false
    case .isFalse: own.integerValue == 0
    case .isNull: own == .null
    case .isNotNull: own != .null
    case .equals(let number): own.integerValue == number
    case .isText(let text): own.utf8String == text
    case .isNotText(let text): own.utf8String != text
    case .isLess(let other): isLess(own.integerValue, row[other]?.integerValue)
    case .lacksBits(let bits): (own.integerValue ?? 0) & bits == 0
    }
  }

  private func isLess(_ left: Int64?, _ right: Int64?) -> Bool {
    guard let left, let right else { return false }
    return left < right
  }

  /// The same as an SQL expression.
  package var sql: String {
    let name = column.quotedIdentifier
    return switch test {
    case .isAny: "1"
    case .isTrue: name
    case .isFalse: "NOT \(name)"
    case .isNull: "\(name) IS NULL"
    case .isNotNull: "\(name) NOTNULL"
    case .equals(let number): "\(name) = \(number)"
    case .isText(let text): "\(name) = \(text.quotedString)"
    case .isNotText(let text): "\(name) IS NOT \(text.quotedString)"
    case .isLess(let other): "\(name) < \(other.quotedIdentifier)"
    case .lacksBits(let bits): "ifnull(\(name), 0) & \(bits) = 0"
    }
  }
}
