// SPDX-License-Identifier: Apache-2.0
// Why pages are held to be those of a tree.

/// Why pages are held to be those of a tree.
package enum PlacementEvidence: Int, Hashable, Sendable, Comparable {
  /// The page lies between the root of the table and the next one, as those of all tables do.
  case allocation
  /// No other tree that misses pages there was declared with the types of the rows.
  case declaredTypes
  /// Foreign keys refer to the rows as to those of the table, and every leaf is there.
  case foreignKeys
  /// A backup has the page, byte by byte, as one of the table.
  case backup
  /// No other tree that misses pages there can have such rows.
  case elimination
  /// The tree leads to the page, if at another place than its rows belong.
  case tree
  /// The pointer map names the tree.
  case pointerMap
  /// An index of the table has the rows.
  case index

  /// Whether one kind of evidence is weaker than another.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
