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
    let columns = then.places(in: now, naming: newNames)
    var (same, other): (Set<[UInt32]>, Set<[UInt32]>) = ([], [])
    var (changed, changedInPart) = (0, 0)
    for place in now.sample.pairs(with: then.sample) {
      let (old, new) = (then.sample.hashes(at: place.theirs), now.sample.hashes(at: place.own))
      let content = columns.map { new[at: $0.new] }
      let kept = columns.filter { old[at: $0.old] == new[at: $0.new] }
      guard kept.count < columns.count else {
        same.insert(content)
        continue
      }
      changed += 1
      changedInPart += kept.contains { then.columns[$0.old].isTelling } ? 1 : 0
      other.insert(content)
    }
    return changedInPart * 2 >= changed
      || knowsEveryRow && (same.count < Self.copiedMin || same != other)
  }

  /// How many different rows are copied at least, where others with new values would not be the same.
  private static let copiedMin = 8
}
