// SPDX-License-Identifier: Apache-2.0
// Whether rows whose keys are not there any more are gone, or have other keys: told by what the rows
// have kept that are there under the same keys.

import SQLiteFormat

extension TablePair {
  /// How many rows of before are gone, where most rows have the keys that they had; nil where nothing
  /// tells.
  ///
  /// A row is still there where one under a new key has a value of it by which rows are told apart. Where
  /// no such column is as it was, numbers that rows were given are hardly changed for a few of them alone.
  var rowsGone: Int? {
    guard knowsEveryRow else { return nil }
    let pairs = now.sample.pairs(with: then.sample)
    let (old, new) = (then.sample.rows, now.sample.rows)
    let theirs = Set(pairs.map(\.theirs))
    let own = Set(pairs.map(\.own))
    let missing = old.indices.filter { !theirs.contains($0) }
    guard !missing.isEmpty, pairs.count * 2 > then.rows else { return nil }
    let columns = then.places(in: now, naming: newNames).filter { then.columns[$0.old].isTelling }
    let most = columns.map { then.columns[$0.old].spread }.max() ?? 0
    let names = columns.filter { then.columns[$0.old].spread * 2 >= most }
    let telling = names.filter { place in
      pairs.count { old[$0.theirs][at: place.old] == new[$0.own][at: place.new] } * 10
        >= pairs.count * 9
    }
    guard !telling.isEmpty else {
      // Where other rows have what these held, all were numbered anew.
      let areElsewhere = names.contains { place in
        let values = then.sample.values(at: place.old)
        return values.intersection(now.sample.values(at: place.new)).count * 2 > values.count
      }
      return then.hasNaturalKey || areElsewhere ? nil : missing.count
    }
    let present = telling.map { place in
      Set(new.indices.filter { !own.contains($0) }.map { new[$0][at: place.new] })
    }
    return missing.count { row in
      !zip(telling, present).contains { place, values in
        old[row][at: place.old] != RowSample.null && values.contains(old[row][at: place.old])
      }
    }
  }

  /// How many rows of before are gone, where others have been given their keys and those of each other;
  /// nil where nothing tells.
  ///
  /// What several rows held is under the keys of others then, and what these held nowhere. A row is still
  /// there where some row has a value of it by which rows are told apart. Numbers alone tell nothing: each
  /// may have gone on to that of the next row.
  var rowsShiftedOut: Int? {
    guard knowsEveryRow, keepsNames, !then.hasNaturalKey else { return nil }
    let (old, new) = (then.sample.rows, now.sample.rows)
    let columns = then.places(in: now, naming: newNames)
    func contents(_ rows: [ArraySlice<UInt32>], _ places: [Int]) -> [[UInt32]] {
      rows.map { row in places.map { row[at: $0] } }
    }
    let (held, holds) = (
      contents(old, columns.map(\.old)), contents(new, columns.map(\.new))
    )
    let counts = Dictionary(held.map { ($0, 1) }, uniquingKeysWith: +)
    let present = Set(holds)
    let changed = now.sample.pairs(with: then.sample)
      .filter { held[$0.theirs] != holds[$0.own] && counts[held[$0.theirs]] == 1 }
      .map(\.theirs)
    let missing = changed.filter { !present.contains(held[$0]) }
    let moved = changed.count - missing.count
    guard moved > 1, moved * 2 >= missing.count else { return nil }
    let telling = columns.filter { then.columns[$0.old].isTelling }
    let most = telling.map { then.columns[$0.old].spread }.max() ?? 0
    let places = telling.filter { then.columns[$0.old].spread * 2 >= most }
    guard places.contains(where: { then.textColumns.contains(then.columns[$0.old].name) }) else {
      return nil
    }
    let names = places.map { (old: $0.old, values: now.sample.values(at: $0.new)) }
    let gone = missing.count { row in
      !names.contains {
        old[row][at: $0.old] != RowSample.null && $0.values.contains(old[row][at: $0.old])
      }
    }
    return gone > 0 ? gone : nil
  }
}
