// SPDX-License-Identifier: Apache-2.0
// What tells that the pages of a table are of two moments: a transaction rewrites the leaves that it
// splits or evens out and the pages above them together, or, where it was cut off, only some of them.

import SQLiteFormat

extension Survey {
  /// How many borders between leaves have to be crossed: one alone can be a wrong number.
  private static let crossedMin = 2

  /// Whether leaves of a table reach over the borders that the page above sets them.
  ///
  /// All rowids of a leaf lie between the keys beside the pointer to it (section 1.6). A leaf that is
  /// another's lies beyond them, all of it; one of which a part does is of another moment than the
  /// page above.
  package func isOfTwoMoments(_ tree: TreeSurvey) -> Bool {
    guard let image, tree.entry.kind == .table, !tree.misplaced.isEmpty else { return false }
    let beyond = Dictionary(grouping: tree.misplaced.first, by: \.page)
    let crossing = beyond.lazy.filter { number, rows in
      guard let number, let page = try? image.btreePage(number) else { return false }
      return page.kind.isTable && rows.count < page.cellCount
    }
    return crossing.prefix(Self.crossedMin).count == Self.crossedMin
  }
}
