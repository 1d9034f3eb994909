// SPDX-License-Identifier: Apache-2.0
// The values of two states of a database side by side: which are gone, copied or in another place.

import SQLiteFormat

extension StateComparison {
  /// The tables whose values are known before and after, and have to stay.
  var comparable: [TablePair] {
    pairs.filter {
      !isFree($0.old) && !before.books.contains($0.old) && $0.then.isWhole && $0.now.isWhole
    }
  }

  /// The tables whose values are known before and after, and whose rows may come and go.
  var freeByContract: [TablePair] {
    pairs.filter {
      isFreeByContract($0.old) && contract?.ignoreTables.contains($0.old) != true
        && $0.then.isWhole && $0.now.isWhole
    }
  }

  /// Rows that are gone while others came: their number says nothing of that.
  var replacementProblems: [String] {
    comparable.compactMap { pair in
      let isOfOthers = others[pair.new]?.replaces(pair.now) ?? false
      return isOfOthers ? nil : replacement(in: pair)
    }
  }

  private func replacement(in pair: TablePair) -> String? {
    guard let other = pair.otherKeys, other.loseRows else { return nil }
    return other.isSample
      ? "at least \(counted(other.count, "row")) of '\(pair.new)' "
        + (other.count == 1 ? "is" : "are") + " gone, and others are in their place"
      : "\(counted(other.count, "row")) of '\(pair.new)' "
        + (other.count == 1
          ? "is gone, and another one is in its place"
          : "are gone, and others are in their place")
  }

  /// Tables that have, to the last value, the rows that another one had, and not their own.
  var exchangeProblems: [String] {
    comparable.compactMap { pair in
      guard pair.then.isTelling, pair.now.sum != pair.then.sum, pair.now.isTelling,
        pair.now.columns.contains(where: { column in
          column.variety == TableFigures.Column.varietyMax
            && !pair.now.keyNames.contains(column.name)
        }),
        let other = before.tables.filter({
          $0.key != pair.old && $0.key != after.contentTables[pair.new]
            && $0.value.rows == pair.now.rows && $0.value.sum == pair.now.sum
        }).keys.min()
      else { return nil }
      return "'\(pair.new)' has the rows that were in '\(other)', and not its own"
    }
  }

  var columnProblems: [String] {
    rowsBefore.flatMap { pair in
      // What is gone with its row is told as that.
      pair.now.rows < pair.then.rows
        ? [] : pair.then.columns.compactMap { problem(with: $0, of: pair) }
    }
  }

  private func problem(with column: TableFigures.Column, of pair: TablePair) -> String? {
    let values = pair.then.rows - column.nulls
    let name = pair.name(of: column)
    guard others[pair.new]?.columns.contains(name) != true else { return nil }
    guard let other = pair.column(column) else {
      return contract == nil ? Self.dropped(column, of: pair) : nil
    }
    let left = pair.now.rows - other.nulls
    // A table that was made anew may have given other rows the old ids, as many as came.
    if left + (pair.isAligned ? 0 : pair.addedRows) < values {
      return pair.isSample
        ? "column '\(pair.new).\(name)' has lost at least \(counted(values - left, "value"))"
        : "column '\(pair.new).\(name)' had \(values) values and has \(left)"
          + (pair.addedRows > 0 ? " in the rows that were there" : "")
    }
    if column.variety == TableFigures.Column.varietyMax, other.variety == 1 {
      return "column '\(pair.new).\(name)' had different values and has one and the same"
    }
    return swapped(column, other, in: pair).map {
      "column '\(pair.new).\(name)' has the values that were in '\($0)'"
    }
  }

  /// The other column of which a column has the values now; nil where it has its own, had hardly any, or
  /// leads to the same rows as before, whose ids are others now.
  private func swapped(
    _ column: TableFigures.Column, _ now: TableFigures.Column, in pair: TablePair
  ) -> Name? {
    guard now.sum != column.sum, now.variety == TableFigures.Column.varietyMax,
      column.isTelling, pair.now.rows == pair.then.rows,
      !links.contains(where: {
        $0.child.old == pair.old && $0.columns == [column.name] && $0.moved == 0
      })
    else { return nil }
    let source = pair.then.columns.first {
      $0.name != column.name && $0.sum == now.sum && $0.nulls == now.nulls
        && pair.now.column($0.name) != nil
    }
    return source.flatMap { isStep(column, from: $0, in: pair) ? nil : $0.name }
  }

  /// Whether a column goes on to what another one had as each of a chain does, of which that one has gone on
  /// as well: the next number is the one before of the next row.
  private func isStep(
    _ column: TableFigures.Column, from source: TableFigures.Column, in pair: TablePair
  ) -> Bool {
    guard let next = pair.column(source), next.sum != source.sum, next.sum != column.sum,
      pair.knowsEveryRow,
      let old = pair.then.columns.firstIndex(where: { $0.name == column.name }),
      let new = pair.now.columns.firstIndex(where: { $0.name == pair.name(of: column) })
    else { return false }
    let values = pair.then.sample.values(at: old)
    return values.intersection(pair.now.sample.values(at: new)).count * 2 >= values.count
  }

  // MARK: Copies

  var copyProblems: [String] {
    comparable.compactMap { pair in
      copies(in: pair).map { copies in
        let count = copies.isSample ? "many rows" : counted(copies.count, "row")
        return "'\(pair.new)' has \(count) more than before that are copies of others"
      }
    }
  }

  /// Whether copies stand in the place of rows that are gone: a table with copies has no more rows
  /// than it had, or fewer than those and the copies.
  var hasCopiesForOthers: Bool {
    comparable.contains { pair in
      copies(in: pair).map { copies in
        pair.now.rows < pair.then.rows + (copies.isSample ? 1 : copies.count)
      } ?? false
    }
  }

  /// Rows that are there more often than before, by how many, or by a sample; nil for none.
  private func copies(in pair: TablePair) -> (count: Int, isSample: Bool)? {
    let (then, now) = (pair.then, pair.now)
    let repeats = now.copies.repeats(beyond: then.copies)
    // Without a column that told them apart, rows may well be alike.
    guard repeats > 0, others[pair.new] == nil, !then.hasNaturalKey, !now.hasNaturalKey,
      pair.keepsColumns || now.rows > then.rows, !pair.hasOtherValuesOnly,
      now.copies.hasCopied(since: then.copies, haveIDs: then.hasVisibleID && now.hasVisibleID)
    else { return nil }
    return (repeats, isSample: now.copies.level > 0 || then.copies.level > 0)
  }

  // MARK: Notices

  /// What is otherwise than before, where nothing shows that anything is lost.
  var notices: [String] {
    otherRules + otherMarks + fullCounters + columnsDropped + otherValues + otherWords + freeRows
      + freeValues + fewerMigrations + joinNotices
  }

  /// Columns with values that are gone, as a contract has it.
  private var columnsDropped: [String] {
    guard contract != nil else { return [] }
    return rowsBefore.flatMap { pair in
      pair.then.columns.compactMap { pair.column($0) == nil ? Self.dropped($0, of: pair) : nil }
    }
  }

  /// What is said of a column that is gone; nil where it had no value.
  private static func dropped(_ column: TableFigures.Column, of pair: TablePair) -> String? {
    let values = pair.then.rows - column.nulls
    return values > 0
      ? "column '\(pair.new).\(column.name)' with \(counted(values, "value")) is gone" : nil
  }

  /// Rows that are gone from tables whose rows may come and go.
  private var freeRows: [String] {
    rowCounts.compactMap { count in
      let old = count.oldName ?? count.table
      guard let then = count.before, then > count.after ?? 0, isFreeByContract(old) else {
        return nil
      }
      guard let now = count.after else {
        return "table '\(old)' with \(counted(then, "row")) is gone, as may be"
      }
      return "'\(count.table)' had \(counted(then, "row")) and has \(now), as may be"
    }
  }

  /// Values that rows have not any more which stay in tables whose rows may come and go.
  private var freeValues: [String] {
    pairs.filter { isFree($0.old) && contract?.ignoreTables.contains($0.old) != true }
      .compactMap(\.ofCommonRows).flatMap { pair in
        pair.then.columns.compactMap { problem(with: $0, of: pair) }
      }
  }

  /// Ids and values that are others than before.
  private var otherValues: [String] {
    // What a framework writes into its own book is the migration itself.
    rowsBefore.filter { !before.versionTables.contains($0.old) }.flatMap(othersIn)
      // What has become of rows that may go as well is no less worth knowing.
      + freeByContract.flatMap { pair -> [String] in
        if let replaced = replacement(in: pair) { return [replaced + ", as may be"] }
        guard pair.otherKeys == nil else { return othersIn(pair) }
        return pair.ofCommonRows.map {
          $0.hasMixedRows ? [mixedRows(of: $0)] : otherValues(of: $0)
        } ?? []
      }
  }

  private func othersIn(_ pair: TablePair) -> [String] {
    if let other = pair.otherKeys, other.loseRows || !pair.then.hasNaturalKey {
      guard !other.loseRows else { return [] }
      let count = max(other.count, pair.rowsUnderOtherKeys)
      let rows = (other.isSample ? "at least " : "") + counted(count, "row")
      return ["\(rows) of '\(pair.new)' \(count == 1 ? "has" : "have") another id"]
        + valuesBesideIDs(of: pair)
    }
    guard pair.now.rows == pair.then.rows else { return otherKeys(of: pair) }
    let moved = pair.then.hasHiddenID ? pair.rowsUnderOtherKeys : 0
    guard moved == 0 else {
      return [
        "\(counted(moved, "row")) of '\(pair.new)' \(moved == 1 ? "has" : "have") another id"
      ]
    }
    return pair.hasMixedRows ? [mixedRows(of: pair)] : otherValues(of: pair)
  }

  /// Full-text tables that keep nothing but words, and have others of texts that were there before.
  private var otherWords: [String] {
    before.wordCounts.sorted { $0.key < $1.key }.compactMap { old, then in
      let new = renames[old] ?? old
      guard let now = after.wordCounts[new], SameRows(then, now, naming: [:])?.differ == true else {
        return nil
      }
      return "texts of '\(new)' have more or fewer words than before"
    }
  }

  /// Keys that rows hold and that are not there any more, where rows came.
  private func otherKeys(of pair: TablePair) -> [String] {
    guard let other = pair.otherKeys else { return [] }
    return [
      (other.isSample ? "at least " : "") + "\(counted(other.count, "key")) of '\(pair.new)' "
        + "\(other.count == 1 ? "is" : "are") not there any more"
    ]
  }

  /// Values that are others than before in a table whose rows have other ids.
  private func valuesBesideIDs(of pair: TablePair) -> [String] {
    guard pair.now.rows == pair.then.rows else {
      return pair.hasOtherContents
        ? ["values of '\(pair.new)' are others than before, or in other rows"] : []
    }
    let changed = otherValues(of: pair, besides: pair.then.keyNames)
    return changed.isEmpty && pair.hasOtherContents ? [mixedRows(of: pair)] : changed
  }

  private func mixedRows(of pair: TablePair) -> String {
    "values of '\(pair.new)' are in other rows than before"
  }

  /// How many different values have become how many, where few are left; nothing else.
  ///
  /// The number of them is an estimate, of which 1024 is the most.
  private func collapse(
    of column: TableFigures.Column, to other: TableFigures.Column
  ) -> String {
    guard column.spread >= Self.spreadMin, other.spread * 4 <= column.spread else { return "" }
    let many = column.spread > 512 ? "hundreds of" : "about \(column.spread)"
    return
      ": \(many) different ones have become \(other.variety < TableFigures.Column.varietyMax ? "" : "about ")"
      + "\(other.spread)"
  }

  /// How many different values a column has at least, of which it is told that few are left.
  private static let spreadMin = 12

  private func otherValues(of pair: TablePair, besides keys: [Name] = []) -> [String] {
    pair.then.columns.compactMap { column in
      guard let other = pair.column(column), problem(with: column, of: pair) == nil,
        other.sum != column.sum, !keys.contains(column.name)
      else { return nil }
      return "column '\(pair.new).\(pair.name(of: column))' has other values than before"
        + collapse(of: column, to: other)
    }
  }
}
