// SPDX-License-Identifier: Apache-2.0
// What the sound indexes over a table say of its rows.

package import SQLiteFormat

extension Survey {
  /// Whether every row of a table is there exactly once, although some lie in the wrong place.
  ///
  /// The proof are the sound indexes over the table: they hold the keys of all its rows, and no
  /// others.
  package func isOnlyMisplaced(_ tree: TreeSurvey) -> Bool {
    guard !tree.misplaced.isEmpty, tree.pageFaults.isEmpty, tree.cellFaults.isEmpty else {
      return false
    }
    let indexes = soundIndexes(over: tree)
    return !indexes.isEmpty
      && indexes.allSatisfy { $0.keys == tree.expectedKeys[$0.entry.name] }
  }

  /// How many rows of a table are missing by its sound partial indexes; of several indexes, the most.
  ///
  /// A partial index says which rows exist, and only its condition says which it leaves out. As that
  /// can have been changed, an entry counts only if its row is not there.
  func rowsNamedByPartialIndexes(besides tree: TreeSurvey) -> Int {
    let partial = tree.computed?.partialKeys ?? [:]
    return partial.reduce(0) { most, expected in
      guard let index = self.tree(named: expected.key), index.isSound,
        index.records - expected.value.count > most
      else { return most }
      let rowless = entriesWithoutRow(in: index) ?? .max
      return max(most, min(rowless, index.records - expected.value.count))
    }
  }

  /// How many entries of a partial index are for no row of its table as it is; nil where that cannot be
  /// told.
  private func entriesWithoutRow(in index: TreeSurvey) -> Int? {
    guard let pair = IndexAndTable(index, in: self, isPartial: true) else { return nil }
    var rows: Set<KeyHash> = []
    pair.forEach(.rows) { stored in
      rows.insert(pair.shape.key(of: stored))
      return true
    }
    var count = 0
    pair.forEach(.entries) { stored in
      if !rows.contains(KeyHash(stored.record)) { count += 1 }
      return true
    }
    return count
  }

  /// Whether an index holds other entries than its table implies; of one whose keys only SQLite can
  /// compute, whether it has another number of them than the table has rows.
  func disagree(_ index: TreeSurvey, _ table: TreeSurvey) -> Bool {
    let name = index.entry.name
    if let expected = table.expectedKeys[name] ?? table.computed?.partialKeys[name] {
      return expected != index.keys
    }
    let description = schema?.parsed.index(named: name, of: table.entry.name)
    guard let description, description.predicate == nil else { return false }
    return index.records != table.records
  }

  /// Whether an index has other keys than its table.
  func isAtOdds(_ index: TreeSurvey) -> Bool {
    guard index.entry.kind == .index, let table = tree(named: index.entry.table),
      let expected = table.expectedKeys[index.entry.name]
    else { return false }
    return expected != index.keys
  }

  /// A sound index that holds other entries than a table that seems whole; nil where there is none.
  ///
  /// One of the two is of another moment. Where no row shows which, the table may lack what was written
  /// last.
  package func indexOfAnotherMoment(over table: TreeSurvey) -> Name? {
    guard table.isReadable else { return nil }
    return treePlaces.indexes(of: table.entry.table).lazy.map { trees[$0] }.first { index in
      index.isSound && !indexesOfOthers.contains(index.entry.name)
        && table.computed?.failedIndexes.contains(index.entry.name) != true
        && disagree(index, table)
    }?.entry.name
  }

  /// The sound indexes over every row of a table.
  func soundIndexes(over tree: TreeSurvey) -> [TreeSurvey] {
    // Of thousands of indexes, none is asked for each of the others.
    guard !tree.expectedKeys.isEmpty else { return [] }
    return treePlaces.indexes(of: tree.entry.table).lazy.map { trees[$0] }.filter { index in
      index.isSound && tree.expectedKeys[index.entry.name] != nil
        && !indexesOfOthers.contains(index.entry.name)
    }
  }

  /// The indexes over tables, with the keys that each should hold by the rows of its table.
  var expectedOfIndexes: [(index: TreeSurvey, table: TreeSurvey, keys: Fingerprint)] {
    trees.flatMap { table in
      table.expectedKeys.compactMap { name, keys in
        tree(named: name).map { (index: $0, table: table, keys: keys) }
      }
    }
  }

  /// The sound indexes that hold what one of another table should, and not what they should themselves:
  /// their roots have changed places, or one was written over the other.
  ///
  /// Where two hold each other's, the tables may have changed places instead, unless their rows fit better
  /// as they lie.
  func findIndexesOfOthers(in image: Image, _ schema: SchemaSurvey) -> Set<Name> {
    let expected = expectedOfIndexes
    let amiss = expected.filter {
      $0.index.isSound && $0.index.records > 0 && $0.index.keys != $0.keys
    }
    guard !amiss.isEmpty else { return [] }
    let owners = Dictionary(grouping: expected, by: \.keys)
    return Set(
      amiss.filter { one in
        (owners[one.index.keys] ?? []).contains { other in
          guard other.table.entry.name != one.table.entry.name else { return false }
          return other.index.keys == other.keys
            || other.index.isSound && other.index.keys == one.keys
              && fitBetterAsTheyLie(one.table, other.table, in: image, schema)
        }
      }.map(\.index.entry.name))
  }

  /// Whether the rows of two tables fit better than each in the place of the other.
  private func fitBetterAsTheyLie(
    _ table: TreeSurvey, _ other: TreeSurvey, in image: Image, _ schema: SchemaSurvey
  ) -> Bool {
    guard let own = form(of: table, schema), let another = form(of: other, schema) else {
      return false
    }
    let (rows, others) = (
      image.sampledRecords(ofTree: table.root), image.sampledRecords(ofTree: other.root)
    )
    func fit(_ form: RecordForm, _ otherForm: RecordForm) -> Int {
      (rows.map { RecordFit($0, form).sum } ?? 0)
        + (others.map { RecordFit($0, otherForm).sum } ?? 0)
    }
    return fit(own, another) > fit(another, own)
  }
}
