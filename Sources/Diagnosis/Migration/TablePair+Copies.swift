// SPDX-License-Identifier: Apache-2.0
// Whether rows that have come to be like others were given other values, or are copies of these.

import SQLiteFormat

extension TablePair {
  /// Whether every row is there by its id, and those with other values than before are no copies of
  /// rows that stayed: they have kept a column that tells rows apart, or not each row that stayed has its
  /// likes among them.
  var hasOtherValuesOnly: Bool {
    guard now.rows == then.rows, hasSameKey, now.sample.keysMissing(of: then.sample) == 0 else {
      return false
    }
    let columns = then.columns.indices.compactMap { old -> (old: Int, new: Int, isTelling: Bool)? in
      let column = then.columns[old]
      guard !then.keyNames.contains(column.name),
        let new = now.columns.firstIndex(where: { $0.name == name(of: column) })
      else { return nil }
      return (old, new, column.isTelling)
    }
    var (same, other): (Set<[UInt32]>, Set<[UInt32]>) = ([], [])
    var (changed, changedInPart) = (0, 0)
    for place in now.sample.pairs(with: then.sample) {
      let (old, new) = (then.sample.hashes(at: place.theirs), now.sample.hashes(at: place.own))
      let content = columns.map { new[new.startIndex + $0.new] }
      let kept = columns.filter {
        old[old.startIndex + $0.old] == new[new.startIndex + $0.new]
      }
      guard kept.count < columns.count else {
        same.insert(content)
        continue
      }
      changed += 1
      changedInPart += kept.contains(where: \.isTelling) ? 1 : 0
      other.insert(content)
    }
    let isSample = max(then.sample.level, now.sample.level) > 0
    return changedInPart * 2 >= changed
      || !isSample && (same.count < Self.copiedMin || same != other)
  }

  /// How many different rows are copied at least, where others with new values would not be the same.
  private static let copiedMin = 8
}
