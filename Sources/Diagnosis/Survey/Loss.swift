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

extension Survey {
  /// How many rows of a table's tree are lost.
  ///
  /// A sound index over every row still counts the rows that the table lost. Without
  /// one, each damaged cell is one row, and each page that is gone held at least one.
  public func loss(of tree: TreeSurvey) -> Loss {
    guard !tree.isReadable || tree.pages == 0 else { return .none }
    let kept = tree.records + tree.misplaced.count
    let counts = trees.filter { index in
      index.entry.kind == .index && index.isSound
        && tree.expectedKeys[index.entry.name.lowercased()] != nil
        && index.entry.table.lowercased() == tree.entry.table.lowercased()
    }.map(\.records)
    if let count = counts.first, counts.allSatisfy({ $0 == count }), count >= kept {
      return count == kept ? .none : .exactly(count - kept)
    }
    if tree.pages == 0 { return .unknown }
    let missing = tree.cellFaults.count + tree.pageFaults.count
    if missing == 0 { return .none }
    return tree.pageFaults.isEmpty ? .exactly(missing) : .atLeast(missing)
  }
}
