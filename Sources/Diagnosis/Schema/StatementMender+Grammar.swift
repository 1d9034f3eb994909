// SPDX-License-Identifier: Apache-2.0
// The simple grammar of CREATE TABLE, as the places of a statement and what stands before them.

extension StatementMender {
  /// Where in a statement a character stands.
  enum Place: Int, CaseIterable {
    /// Before the parenthesis that opens the columns.
    case head
    /// At the beginning of a column or constraint.
    case item
    /// Within one.
    case inside
    /// Behind a word that a name has to follow.
    case named
    /// Behind such a name: no type can follow, and no value.
    case behindNamed
    /// In parentheses of its own, and in those within.
    case group, innerGroup
    /// Behind all columns.
    case options
  }

  /// What stands before a place.
  enum Before: Int, CaseIterable {
    /// A parenthesis that opens, or a comma, behind which something has to stand.
    case opening
    /// Another mark, a name in quotes, or a word that SQL knows and space.
    case mark
    /// A word that SQL knows, and one that it does not: no other one can follow at once.
    case keyword, name
    /// A name and space.
    case nameAndSpace

    /// The same, and space behind it.
    var andSpace: Before {
      switch self {
      case .opening: .opening
      case .mark, .keyword: .mark
      case .name, .nameAndSpace: .nameAndSpace
      }
    }
  }

  /// A place, and what stands before it.
  struct State: Hashable {
    let place: Place
    let before: Before

    var number: Int { Before.allCases.count * place.rawValue + before.rawValue }
    static let count = Before.allCases.count * Place.allCases.count
  }
}
