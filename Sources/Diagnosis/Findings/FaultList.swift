// SPDX-License-Identifier: Apache-2.0
// Faults of one kind: all are counted, the first ones are kept, and the pages of all.

package import SQLiteFormat

/// Faults of one kind: all are counted, the first ones are kept, and the pages of all.
package struct FaultList: Hashable, Sendable {
  /// How many are kept.
  package static let keptMax = 256
  /// How many there were.
  package private(set) var count = 0
  /// The first ones.
  package private(set) var first: [FormatError] = []
  /// The pages of the others, up to a number that no file of a phone comes near.
  private var further = PageSet()
  private static let furthest = 1 << 24

  /// Makes an empty list.
  package init() {}

  /// Adds a fault.
  package mutating func add(_ fault: FormatError) {
    count += 1
    if first.count < Self.keptMax { first.append(fault) } else { note(fault.page) }
  }

  private mutating func note(_ page: PageNumber?) {
    if let page, page.number < Self.furthest { further.insert(page) }
  }

  /// Adds other faults.
  mutating func add(_ others: FaultList) {
    count += others.count
    let room = Self.keptMax - first.count
    first += others.first.prefix(room)
    for fault in others.first.dropFirst(room) { note(fault.page) }
    for page in others.further.pages { further.insert(page) }
  }

  /// The pages on which they are.
  package var pages: [PageNumber] { first.compactMap(\.page) + further.pages }

  /// The same faults, those that are kept as `change` gives them.
  func mapped(_ change: (FormatError) -> FormatError) -> FaultList {
    var list = self
    list.first = first.map(change)
    return list
  }

  /// Whether there are none.
  package var isEmpty: Bool { count == 0 }
}
