// SPDX-License-Identifier: Apache-2.0
// How long the values in a fresh database may be.

import Diagnosis

/// How long the values are that lie in a fresh database, and how long others may be: what an
/// expression makes is never longer than the longest row or statement, or a megabyte.
final class ValueLimit {
  /// How long values may be that no row asks for.
  let usual: Int
  /// How long the values are that the longest row can have in another encoding.
  private(set) var longest: Int
  /// A limit for a database with these declarations, each of which is a value in its schema.
  init(_ declarations: [Declaration]) {
    let statement = declarations.reduce(0) { max($0, $1.sql.utf8.count) }
    usual = max(1 << 20, 2 * statement + (1 << 16))
    longest = usual
  }

  /// Notes a row of so many bytes; gives the limit for it, where that is not the usual one.
  func note(_ rowByteCount: Int) -> Int? {
    let limit = rowByteCount / 2 * 3 + (1 << 16)
    guard limit > usual else { return nil }
    longest = max(longest, limit)
    return limit
  }
}
