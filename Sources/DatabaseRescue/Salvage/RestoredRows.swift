// SPDX-License-Identifier: Apache-2.0
// Rows that a salvage took from a backup, as its report names them.

package import SQLiteFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Rows of one table that a salvage took from one backup.
package struct RestoredRows: Hashable, Sendable {
  /// The table.
  package let table: Name
  /// The file name of the backup.
  package let backup: PlainName
  /// When the backup was made.
  package let created: Date?
  /// How many rows.
  package let rows: Int
}
