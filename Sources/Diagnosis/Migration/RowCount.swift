// SPDX-License-Identifier: Apache-2.0
// How many rows a table has before a migration and after it.

public import SQLiteFormat

/// The number of rows of one table before a migration and after it.
public struct RowCount: Hashable, Sendable {
  /// The table, by its new name where it has one.
  public let table: Name
  /// Its name before; nil where that was the same, or there was no such table.
  public let oldName: Name?
  /// Rows before; nil when there was no such table.
  public let before: Int?
  /// Rows after; nil when there is no such table.
  public let after: Int?

  /// Makes the count of a table.
  package init(table: Name, oldName: Name?, before: Int?, after: Int?) {
    (self.table, self.oldName, self.before, self.after) = (table, oldName, before, after)
  }
}
