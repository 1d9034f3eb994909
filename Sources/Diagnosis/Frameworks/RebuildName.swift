// SPDX-License-Identifier: Apache-2.0
// How tables are named that take the place of others: SQLite's way to change a table is to make a new
// one, to copy the rows, to drop the old one and to rename the new one.

import SQLiteFormat

/// How a table is named that is to take the place of another one: something before that one's name,
/// or behind it.
struct RebuildName: Sendable {
  var prefix = ""
  var suffix = ""
  /// How many hexadecimal digits come behind all that.
  var digits = 0
  /// Whether nobody else would give a table such a name.
  var isTelling = false
  /// Whether hardly anybody would: it tells where the table whose place it is to take is not there.
  var isOdd = false

  /// How people name a table whose rows are on their way to another one.
  static let usual = outgoing + incoming

  /// How people name a table that they move out of the way of the one that gets its rows.
  static let outgoing = [
    RebuildName(suffix: "_old"), RebuildName(prefix: "_", suffix: "_old"),
    RebuildName(prefix: "old_"),
  ]

  /// How people name a table that gets the rows of another one before it takes its place.
  static let incoming = [
    RebuildName(prefix: "_new_", isOdd: true), RebuildName(prefix: "new__", isOdd: true),
    RebuildName(suffix: "_new"), RebuildName(prefix: "new_"), RebuildName(suffix: "_tmp"),
    RebuildName(prefix: "tmp_"), RebuildName(suffix: "_temp"), RebuildName(prefix: "temp_"),
    RebuildName(prefix: "temporary_"),
  ]

  /// How people name a table that keeps the rows of another one, on the way or for good.
  static let copies = [
    RebuildName(suffix: "_backup"), RebuildName(suffix: "_bak"), RebuildName(prefix: "backup_"),
  ]

  /// The name that a table has on the way.
  func name(of table: Name) -> Name { Name(prefix + table.text + suffix) }

  /// The table whose place one of this name is to take; nil where it is not named so.
  func table(of left: Name) -> Name? {
    let text = left.text
    let end = text.suffix(digits)
    guard end.count == digits, end.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
      return nil
    }
    let rest = text.dropLast(digits)
    guard rest.hasPrefix(prefix), rest.hasSuffix(suffix),
      rest.count > prefix.count + suffix.count
    else { return nil }
    return Name(String(rest.dropFirst(prefix.count).dropLast(suffix.count)))
  }
}
