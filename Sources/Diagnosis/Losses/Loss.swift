// SPDX-License-Identifier: Apache-2.0
// How many rows of a table are lost: exactly, at least, or unknown. Three different words.

import SQLiteFormat

/// How many rows of a table are lost.
public enum Loss: Hashable, Sendable, CustomStringConvertible {
  /// None.
  case none
  /// So many, proven by a sound index that still counts them, or by damaged cells alone.
  case exactly(Int)
  /// So many, and perhaps more.
  case atLeast(Int)
  /// Nothing says how many.
  case unknown

  /// How many rows are known to be lost.
  var knownCount: Int {
    switch self {
    case .none, .unknown: 0
    case .exactly(let count), .atLeast(let count): count
    }
  }

  /// The loss in words.
  public var description: String {
    switch self {
    case .none: "no rows"
    case .exactly(let count): "exactly \(counted(count, "row"))"
    case .atLeast(let count): "at least \(counted(count, "row"))"
    case .unknown: "an unknown number of rows"
    }
  }
}

extension Reconstruction {
  /// How many rows of a table's tree are lost.
  ///
  /// A sound index over every row still counts the rows that the table lost. Without
  /// one, each damaged cell is one row, and each page that is gone held at least one.
  package func loss(of tree: TreeSurvey) -> Loss {
    let loss = lossOfPages(of: tree)
    // Which pages a transaction has changed that cannot be taken back, or is known of only in part,
    // nothing tells.
    guard survey.missesUnknownPages else { return loss }
    return switch loss {
    case .none, .unknown: .unknown
    case .exactly(let count), .atLeast(let count): .atLeast(count)
    }
  }

  /// How many rows are lost with the pages of a tree.
  private func lossOfPages(of tree: TreeSurvey) -> Loss {
    if !tree.isReadable || tree.pages == 0, survey.followsFromNodes(tree) { return .none }
    let counts = survey.soundIndexes(over: tree).map(\.records)
    let count = counts.first.flatMap { first in counts.allSatisfy { $0 == first } ? first : nil }
    if tree.isReadable, tree.pages > 0 {
      // What can be read there may be another table's, or all that is left of more.
      if let assignment = assignment(of: tree), tree.records > 0,
        assignment.isShort || assignment.isDenied
      {
        return .unknown
      }
      if mayMissRows(tree) || isShortOfNamedRows(tree) || mayHaveDeletedRows(tree) {
        return .unknown
      }
      // Rows that an index still names, or entries that it should have lost: nothing tells.
      let named = tree.records + survey.rowsNamedByPartialIndexes(besides: tree)
      return max(count ?? 0, named) > rowsFound(in: tree) ? .unknown : .none
    }
    if survey.isOnlyMisplaced(tree) { return .none }
    let regained = recordsRegained(by: tree)
    let kept = tree.records + regained + tree.misplaced.count
    if let count, count >= kept {
      if tree.misplaced.isEmpty { return count == kept ? .none : .exactly(count - kept) }
      // What lies in the place of other rows may be anything.
      return count == kept ? .unknown : .atLeast(count - kept)
    }
    let missing = tree.cellFaults.count + tree.pageFaults.count
    // Pages that were given back may be all that was lost, or a part of it.
    if tree.pages == 0 || missing == 0 || regained > 0 { return .unknown }
    guard tree.pageFaults.isEmpty, tree.misplaced.isEmpty else { return .atLeast(missing) }
    // A page that contradicts itself does not know how many cells it has.
    return tree.layoutFaults.isEmpty ? .exactly(missing) : .unknown
  }

  /// How many rows of a table's tree were read: whoever reads it again must find as many.
  package func rowsFound(in tree: TreeSurvey) -> Int {
    assignment(of: tree)?.rows ?? tree.records + tree.misplaced.count
  }

  /// Whether the indexes of a table deny most of its rows: nothing tells how many it has lost.
  package func isDenied(_ tree: TreeSurvey) -> Bool { assignment(of: tree)?.isDenied ?? false }

  /// Whether every row that the schema leads to can be read, in its place or not.
  var holdsEveryRow: Bool {
    survey.schema?.tree.isReadable == true
      && survey.trees.allSatisfy { $0.entry.kind == .index || loss(of: $0) == .none }
  }
}
