// SPDX-License-Identifier: Apache-2.0
// What a backup says of the pages of its database: whose leaves they are, and their checksums.

package import SQLiteFormat

/// The leaf pages of a database at the time of a backup, each with its table and checksum.
///
/// A page that still has its checksum is what it was: intact, and a leaf of that table.
package struct KnownPages: Sendable {
  /// A leaf page.
  package struct Leaf: Hashable, Sendable {
    /// Its table.
    package let table: Name
    /// Its checksum.
    package let checksum: UInt32

    /// Makes a leaf.
    package init(table: Name, checksum: UInt32) {
      self.table = table
      self.checksum = checksum
    }
  }

  private let leaves: [PageNumber: Leaf]
  private let checksum: @Sendable (Bytes) -> UInt32

  /// Makes a list of pages whose checksums `checksum` makes.
  package init(_ leaves: [PageNumber: Leaf], checksum: @escaping @Sendable (Bytes) -> UInt32) {
    self.leaves = leaves
    self.checksum = checksum
  }

  /// The table of a leaf that is still what it was; nil for a page that changed, or is none.
  package func table(of page: PageNumber, bytes: Bytes) -> Name? {
    leaves[page].flatMap { $0.checksum == checksum(bytes) ? $0.table : nil }
  }
}

/// What is known of a database from outside the file: from a contract, a script, a backup.
package struct OutsideKnowledge: Sendable {
  /// The statements of its schema; asked for where the file's own is not whole.
  package var schema: @Sendable () -> [SchemaEntry]
  /// Its leaf pages at the time of a backup.
  package var pages: KnownPages?
  /// The roots of its tables and indexes at that time.
  package var roots: [Name: PageNumber]

  /// Gathers what is known.
  package init(
    schema: @escaping @Sendable () -> [SchemaEntry] = { [] }, pages: KnownPages? = nil,
    roots: [Name: PageNumber] = [:]
  ) {
    self.schema = schema
    self.pages = pages
    self.roots = roots
  }
}
