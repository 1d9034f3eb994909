// SPDX-License-Identifier: Apache-2.0
// Rows that a salvage took from a backup, as its report names them.

public import SQLiteFormat

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Rows of one table that a salvage took from one backup.
public struct RestoredRows: Hashable, Sendable {
  /// The table.
  public let table: Name
  /// The file name of the backup.
  public let backup: PlainName
  /// When the backup was made.
  public let created: Date?
  /// How many rows.
  public let rows: Int
}
