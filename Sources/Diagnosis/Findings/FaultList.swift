// SPDX-License-Identifier: Apache-2.0
// Faults of one kind: all are counted, the first ones are kept.

package import SQLiteFormat

/// Faults of one kind: all are counted, the first ones are kept.
package struct FaultList: Hashable, Sendable {
  /// How many are kept.
  package static let keptMax = 256
  /// How many there were.
  package private(set) var count = 0
  /// The first ones.
  package private(set) var first: [FormatError] = []

  /// Makes an empty list.
  package init() {}

  /// Adds a fault.
  package mutating func add(_ fault: FormatError) {
    count += 1
    if first.count < Self.keptMax { first.append(fault) }
  }

  /// Adds other faults.
  mutating func add(_ others: FaultList) {
    count += others.count
    first += others.first.prefix(Self.keptMax - first.count)
  }

  /// The same faults, those that are kept as `change` gives them.
  func mapped(_ change: (FormatError) -> FormatError) -> FaultList {
    var list = self
    list.first = first.map(change)
    return list
  }

  /// Whether there are none.
  package var isEmpty: Bool { count == 0 }
}
