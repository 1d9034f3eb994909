// SPDX-License-Identifier: Apache-2.0
// Where frameworks, and by habit many apps, keep rows that were not sent anywhere yet.

package import SQLiteFormat

/// A place in which rows wait to be sent, or of which nobody can tell.
package struct UnsyncedMark: Hashable, Sendable {
  /// What can be said of the rows there.
  package enum Rule: Hashable, Sendable {
    /// The rows for which this SQL expression is true are waiting.
    ///
    /// The text is this program's own, never the file's; column names in it are quoted.
    case rows(predicate: String)
    /// Rows may wait, but nothing in the file tells which. Never read as none.
    case cannotTell
  }

  /// Whose mark it is; `none` for a habit of many apps.
  package let framework: Framework
  /// The table, as it is named in the file; to be quoted in SQL.
  package let table: Name
  /// What can be said of its rows.
  package let rule: Rule
}
