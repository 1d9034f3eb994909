// SPDX-License-Identifier: Apache-2.0
// The foreign keys, unique constraints and indexes of two tables side by side.

import SQLiteFormat

extension TableComparison {
  var foreignKeys: [ContractDifference] {
    let all = expected.foreignKeys.map { ForeignKeyMeaning($0, in: schemas.expected) }
    let present = found.foreignKeys.map { ForeignKeyMeaning($0, in: schemas.found) }
    let new = Set(missingColumns.map(\.name))
    // What comes with a column is not told twice.
    let wanted = without(present, all).filter { key in
      !key.columns.allSatisfy { new.contains($0) } || !isWithinColumn(key)
    }
    var extra = without(all, present)
    var result: [ContractDifference] = []
    for key in wanted.sorted(by: { $0.text < $1.text }) {
      let other = extra.firstIndex { $0.columns == key.columns }.map { extra.remove(at: $0) }
      // With another action, the rows refer to the same ones as before.
      let lost = (
        words: other.map {
          [
            $0.undeferred == key.undeferred
              ? "\($0.text) is enforced at another moment"
              : "\($0.text) is not enforced any more"
          ]
        } ?? [],
        isRule: other?.parent != key.parent || other?.referenced != key.referenced
      )
      result.append(
        ContractDifference(
          other == nil ? .missing : .changed, .foreignKey, expected.name.text, expected: key.text,
          found: other?.text,
          mend: .remaking(
            losses: lost.isRule ? [] : lost.words, rules: lost.isRule ? lost.words : [],
            tests: [found.rows(dangling: key)].compactMap(\.self)),
          weight: weight(seenByRoom: other?.undeferred != key.undeferred)))
    }
    return result
      + extra.sorted { $0.text < $1.text }.map { key in
        ContractDifference(
          .extra, .foreignKey, expected.name.text, found: key.text,
          mend: .remaking(rules: ["\(key.text) is not enforced any more"]))
      }
  }

  private func isWithinColumn(_ key: ForeignKeyMeaning) -> Bool {
    key.columns.count == 1
      && expectedDeclaration.definition(of: key.columns[0])?.position(of: "references") != nil
  }

  /// Unique constraints and indexes: one may stand for the other.
  var keysAndIndexes: [ContractDifference] {
    func constraints(_ table: TableDescription) -> [IndexMeaning] {
      table.indexes.filter { $0.origin == .uniqueConstraint }.map {
        IndexMeaning($0, of: table, names)
      }
    }
    func created(_ table: TableDescription) -> [IndexMeaning] {
      table.indexes.filter { $0.origin == .created }.map { IndexMeaning($0, of: table, names) }
        .sorted { $0.index.name < $1.index.name }
    }
    var wanted = without(constraints(found), constraints(expected))
    var present = without(constraints(expected), constraints(found))
    var (missing, extra, pairs) = sorted(created(expected), created(found))
    var result: [ContractDifference] = []
    wanted.removeAll { constraint in
      guard let place = extra.firstIndex(where: { $0.enforcesAll(of: constraint) }) else {
        return false
      }
      result.append(standIn(.unique, expected.name, constraint, extra.remove(at: place)))
      return true
    }
    missing.removeAll { index in
      guard rules == .sqlite,
        let place = present.firstIndex(where: { index.enforcesAll(of: $0) })
      else { return false }
      result.append(standIn(.index, index.index.name, index, present.remove(at: place)))
      return true
    }
    result += unnamed(
      .unique, wanted.map { ($0.normal, $0.text) }, present.map { ($0.normal, $0.text) }
    ) { text in
      let meant = wanted.first { $0.text == text }
      return [meant.flatMap { duplicates(of: $0.index.columns) }].compactMap(\.self)
    }
    result += pairs.compactMap { changed($0, $1) }
    result += missing.map { missingIndex($0) }
    return result + extra.filter { _ in extras != .allowed }.map { extraIndex($0) }
  }

  /// A unique constraint and a unique index, one where the other is expected.
  private func standIn(
    _ subject: ContractDifference.Subject, _ object: Name, _ wanted: IndexMeaning,
    _ present: IndexMeaning
  ) -> ContractDifference {
    func words(_ meaning: IndexMeaning) -> String {
      meaning.index.origin == .created
        ? "unique index \(meaning.index.name) \(meaning.key)" : "UNIQUE \(meaning.key)"
    }
    return ContractDifference(
      .changed, subject, object.text, expected: words(wanted), found: words(present),
      mend: .remaking(), weight: .notice)
  }

  private typealias Sorted = (
    missing: [IndexMeaning], extra: [IndexMeaning], pairs: [(IndexMeaning, IndexMeaning)]
  )

  /// Indexes by name; those that Room names itself, by what they are where the name is another.
  private func sorted(_ wanted: [IndexMeaning], _ present: [IndexMeaning]) -> Sorted {
    var extra = present
    var missing: [IndexMeaning] = []
    var pairs: [(IndexMeaning, IndexMeaning)] = []
    for index in wanted {
      if let place = extra.firstIndex(where: { $0.index.name == index.index.name }) {
        pairs.append((index, extra.remove(at: place)))
      } else {
        missing.append(index)
      }
    }
    guard rules == .room else { return (missing, extra, pairs) }
    missing.removeAll { index in
      let place = extra.firstIndex { other in
        index.index.name.hasPrefix("index_") && other.index.name.hasPrefix("index_")
          && index.seenByRoom == other.seenByRoom
      }
      guard let place else { return false }
      pairs.append((index, extra.remove(at: place)))
      return true
    }
    return (missing, extra, pairs)
  }

  private func changed(_ wanted: IndexMeaning, _ present: IndexMeaning) -> ContractDifference? {
    let hasItsName = wanted.index.name == present.index.name
    guard wanted.normal != present.normal || !hasItsName else { return nil }
    let loss =
      present.index.unique && (!wanted.index.unique || wanted.key != present.key)
      ? ["that no two rows have the same \(present.key) is not enforced any more"] : []
    let making = wanted.making(from: schemas.found)
    let isSameRule =
      present.index.unique
      && wanted.index.columns.map(\.refused) == present.index.columns.map(\.refused)
      && wanted.index.predicate == present.index.predicate
    let tests = wanted.index.unique && !isSameRule ? tests(of: wanted) : []
    let mend =
      making.obstacle == nil
      ? ContractDifference.Mend(
        [SchemaComparison.dropping(.index, present.index.name)]
          + making.steps.filter { $0.phase == .indexes }, rules: loss, tests: tests) : making
    return ContractDifference(
      .changed, .index, wanted.index.name.text, expected: wanted.text,
      found: hasItsName ? present.text : "\(present.index.name) \(present.text)", mend: mend,
      weight: weight(seenByRoom: wanted.seenByRoom != present.seenByRoom))
  }

  private func missingIndex(_ wanted: IndexMeaning) -> ContractDifference {
    var difference = wanted.missing(from: schemas.found)
    difference.mend.tests = wanted.index.unique ? tests(of: wanted) : []
    return difference
  }

  /// The keys of a column that may be the same once another collation compares them, or another
  /// type keeps them.
  func uniquenessTests(of column: ColumnDescription) -> [ContractDifference.Mend.RowTest] {
    expected.indexes.filter { index in
      index.unique
        && index.columns.contains { $0.name == column.name && $0.collation == column.collation }
    }.compactMap { duplicates(of: $0.columns, where: $0.predicate) }
  }

  private func tests(of index: IndexMeaning) -> [ContractDifference.Mend.RowTest] {
    [duplicates(of: index.index.columns, where: index.index.predicate)].compactMap(\.self)
  }

  /// The keys that several rows would have, where a column that is added has its default in all of
  /// them, and one of another type its values as that keeps them; nil where nothing tells.
  func duplicates(
    of columns: [IndexColumn], where predicate: String? = nil
  ) -> ContractDifference.Mend.RowTest? {
    let new = missingColumns.filter { column in columns.contains { $0.name == column.name } }
    guard new.allSatisfy({ $0.generated == .none }) else { return nil }
    let defaults = new.map { ($0.name, $0.defaultSQL ?? "NULL") }
    return found.duplicates(
      of: columns, where: predicate,
      defaults: Dictionary(defaults, uniquingKeysWith: { first, _ in first }),
      retyped: retyped(of: columns.compactMap(\.name)))
  }

  /// The affinities of those columns that get another one.
  func retyped(of names: [Name]) -> [Name: Affinity] {
    Dictionary(
      names.compactMap { name in newAffinity(of: name).map { (name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  private func extraIndex(_ present: IndexMeaning) -> ContractDifference {
    ContractDifference(
      .extra, .index, present.index.name.text, found: present.text,
      mend: ContractDifference.Mend(
        [SchemaComparison.dropping(.index, present.index.name)],
        rules: present.index.unique
          ? ["that no two rows have the same \(present.key) is not enforced any more"] : []))
  }
}

/// The elements of a list that are left when each of others has taken one like itself.
private func without<Element: Hashable>(_ others: [Element], _ list: [Element]) -> [Element] {
  var taken = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
  return list.filter { element in
    guard let count = taken[element], count > 0 else { return true }
    taken[element] = count - 1
    return false
  }
}
