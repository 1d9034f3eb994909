// SPDX-License-Identifier: Apache-2.0
// What is wrong with how a virtual table is stored, as far as its tables tell without its module.

import SQLiteFormat

/// What is wrong with how a virtual table is stored.
enum VirtualTableFault: Hashable, Sendable {
  /// A table that stores it is not there.
  case partMissing(Name)
  /// A table that stores it has other columns than its module looks for.
  case misshapen(Name)
  /// Rows of a table that stores it are not what its module writes.
  case rowsDamaged(Name, FaultList)
  /// The record that lists the segments of its index is not there, or is none.
  case structureLost
  /// Pages or blocks of segments are not there.
  case segmentsLost(Int)
  /// There are pages of segments that the index does not have.
  case segmentsUnnamed
  /// Segments without the first terms of their pages.
  case pageTermsLost(Int)
  /// Its format is one that its module does not know.
  case formatUnknown
  /// Its tables do not have the same documents.
  case countsDiffer
  /// So many documents have sizes, and no texts.
  case textsLost(Int)
  /// Its documents have words, and its index has none.
  case indexEmpty
  /// The nodes of an R-tree hold other rows than are noted; how many are missing in them.
  case nodesDiffer(missing: Int)
  /// Rows of an R-tree are noted nowhere that have columns besides coordinates.
  case rowsUnnoted(Int)
}

extension VirtualTableFault {
  /// Whether it is what the tables hold that is wrong, and not what they are.
  var isOfRows: Bool { if case .misshapen = self { false } else { true } }
}
