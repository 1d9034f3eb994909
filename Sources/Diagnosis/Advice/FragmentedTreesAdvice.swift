// SPDX-License-Identifier: Apache-2.0
// Trees whose leaves lie out of order in the file, or are half empty.

import SQLiteFormat

enum FragmentedTreesAdvice: Adviser {
  static let kind = AdviceKind.fragmentedTrees
  static let words = AdviceWords(
    title: "tables or indexes are scattered over the file, or half empty",
    costs: "A scan in order jumps back and forth, or reads pages that hold little: slow where the "
      + "database does not fit into memory, or lies on a slow disk.",
    action:
      "Have SQLite write the database anew, or the indexes alone: REINDEX makes them dense, and "
      + "VACUUM puts everything in order.",
    unless:
      "Leave it where rows are only ever looked up one by one, or keep coming in random order, "
      + "as with random keys: it will be the same again soon.")

  /// Smaller trees are read in a moment, however they lie.
  private static let leastLeaves = 64
  private static let disorderMax = 25
  private static let fillMin = 50

  static func trait(of basis: AdviceBasis) -> AdviceTrait? {
    let trees = basis.measures.filter {
      $0.leaves >= leastLeaves && ($0.disorder >= disorderMax || $0.fill < fillMin)
    }.sorted { $0.leaves > $1.leaves }
    guard !trees.isEmpty else { return nil }
    let leaves = trees.reduce(0) { $0 + $1.leaves }
    let backward = trees.reduce(0) { $0 + $1.backward }
    let hasTables = trees.contains { $0.entry.kind == .table }
    return AdviceTrait(
      found:
        "in \(counted(trees.count, "tree", "trees")) with \(counted(leaves, "leaf", "leaves")), "
        + "\(grouped(backward)) lie before the one that they follow",
      figures: ["trees": trees.count, "leaves": leaves, "leavesOutOfOrder": backward],
      places: trees.map { tree in
        Advice.Place(
          object: tree.entry.name.text,
          message: "\(counted(tree.leaves, "leaf", "leaves")), \(tree.disorder) % out of order, "
            + "\(tree.fill) % full",
          sql: hasTables ? nil : "REINDEX \(tree.entry.name.quotedIdentifier);")
      }, sql: hasTables ? ["VACUUM;"] : [])
  }
}
