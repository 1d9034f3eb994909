// SPDX-License-Identifier: Apache-2.0
// The schemas of two states of a database side by side: what is not demanded or done any more.

import SQLiteFormat

extension StateComparison {
  /// What the schema demanded and does not any more; a contract says itself what is meant.
  var schemaProblems: [String] {
    guard contract == nil else { return [] }
    return lostIndexes + lostRules + lostNumbering + lostActions + lostTypes + lostOfColumns
      + lostColumns.filter(\.isComputed).map(\.line) + lostTriggers + lostViews
  }

  /// What is demanded or done in another way than before, and may well be meant.
  var otherRules: [String] {
    guard contract == nil else { return [] }
    let rules = ruleChanges.compactMap { rule in
      rule.lost > 0 && rule.lost <= rule.new ? "a \(rule.subject) of '\(rule.table)'" : nil
    }
    let others = differences.filter { $0.kind == .changed && $0.weight == .drift }.compactMap {
      switch $0.subject {
      case .foreignKey: "a foreign key of '\($0.object)'"
      case .trigger, .view:
        hasNewNamesOnly($0) ? nil : "\($0.subject.rawValue) '\($0.object)'"
      case .table:
        newTables[Name($0.object)]?.kind == .virtual ? "the virtual table '\($0.object)'" : nil
      default: nil
      }
    }
    let conflicts = Set(differences.filter { $0.subject == .conflictClause }.map(\.object)).sorted()
      .map { "an ON CONFLICT clause of '\($0)'" }
    return (rules + others + conflicts).map { "\($0) is another one than before" } + otherColumns
      + otherComputations + otherNumbering + lostColumns.filter { !$0.isComputed }.map(\.line)
      + lostModules + otherKinds + lostTables + lostWithTables
  }

  /// Whether two statements differ only in names that are gone, in the place of which are new ones.
  private func hasNewNamesOnly(_ change: ContractDifference) -> Bool {
    guard let expected = change.expected, let found = change.found else { return false }
    let (old, new) = (SQLTokens(parsing: expected).tokens, SQLTokens(parsing: found).tokens)
    let (then, now) = (before.schema.names, after.schema.names)
    let (gone, added) = (then.subtracting(now), now.subtracting(then))
    return old.count == new.count
      && zip(old, new).allSatisfy { old, new in
        guard old != new else { return true }
        guard let old = old.asName, let new = new.asName else { return false }
        return old == new || gone.contains(old) && added.contains(new)
      }
  }

  /// What columns are in another way than before.
  ///
  /// That a default is gone may be well: apps that write each column make tables anew without them.
  private var otherColumns: [String] {
    pairsOfColumns.flatMap { name, old, new in
      var changes: [String] = []
      if new.generated == .none {
        if old.generated != .none { changes.append("\(name) is not computed any more") }
        if let value = old.defaultMeaning, value != new.defaultMeaning {
          let isGone = new.defaultMeaning == nil
          changes.append("\(name) has \(isGone ? "lost its" : "another") DEFAULT")
        }
      }
      if old.affinity != new.affinity {
        changes.append(
          "\(name) is declared \(new.type.isEmpty ? "without a type" : new.type), and was "
            + (old.type.isEmpty ? "without one" : old.type))
      }
      return changes
    }
  }

  /// Triggers that are gone while their table is there, and no new one of it is in their place.
  private var lostTriggers: [String] {
    let added = Self.missing(of: after.schema.triggers, in: oldSchema.triggers)
    let new = Dictionary(grouping: added) { $0.table }
    let lost = Self.missing(of: oldSchema.triggers, in: after.schema.triggers).filter(isStillAbout)
    return Dictionary(grouping: lost) { $0.table }.sorted { $0.key < $1.key }
      .filter { $0.value.count > new[$0.key]?.count ?? 0 }
      .flatMap { table, triggers in
        triggers.map { "trigger '\($0.name)' of '\(table)' is gone" }
      }
  }

  /// Views that are gone while the tables that they name are there, and no new one is in their place.
  private var lostViews: [String] {
    let taken = Set(after.schema.tables.map(\.name))
    let lost = Self.missing(of: oldSchema.views, in: after.schema.views).filter { view in
      !taken.contains(view.name) && isStillAbout(view)
    }
    let new = Self.missing(of: after.schema.views, in: oldSchema.views)
    guard lost.count > new.count else { return [] }
    return lost.map { "view '\($0.name)' is gone" }
  }

  static func missing(of all: [NamedSQL], in others: [NamedSQL]) -> [NamedSQL] {
    let present = Set(others.map { [$0.name, $0.table] })
    return all.filter { !present.contains([$0.name, $0.table]) }.sorted { $0.name < $1.name }
  }

  /// Whether all tables are there that an object of the schema before names.
  func isStillAbout(_ object: NamedSQL) -> Bool {
    let gone = Set(before.schema.tables.map { renames[$0.name] ?? $0.name })
      .subtracting(after.schema.tables.map(\.name))
    return !SQLTokens(parsing: object.sql).tokens.contains { token in
      switch token {
      case .word(let text), .name(let text): gone.contains(Name(text))
      default: false
      }
    }
  }

  private var lostIndexes: [String] {
    let present = Set(
      after.schema.tables.flatMap { table in
        table.indexes.map { IndexMeaning($0, of: table).normal }
      }
    )
    // One that is a constraint now enforces the same.
    return differences.filter {
      $0.subject == .index && $0.kind != .extra && $0.weight == .drift
    }.compactMap { lost in
      for table in oldSchema.tables {
        guard let index = table.indexes.first(where: { $0.name == Name(lost.object) }) else {
          continue
        }
        // The same index may have a new name.
        if present.contains(IndexMeaning(index, of: table).normal) { return nil }
      }
      return lost.kind == .missing
        ? "index '\(lost.object)' is gone" : "index '\(lost.object)' is another one than before"
    }
  }

  /// Keys and constraints of which there are fewer than before.
  private var lostRules: [String] {
    ruleChanges.compactMap { rule in
      if rule.subject == ContractDifference.Subject.primaryKey.rawValue, rule.isChanged {
        return keepsKey(Name(rule.table))
          ? nil : "the primary key of '\(rule.table)' is another one than before"
      }
      return rule.lost > rule.new ? "'\(rule.table)' has lost a \(rule.subject)" : nil
    }
  }

  /// Whether no two rows can have the same key as before, nor one none: a new number beside it takes
  /// nothing away.
  private func keepsKey(_ table: Name) -> Bool {
    guard let then = oldSchema.tables.first(where: { $0.name == table }), let now = newTables[table]
    else { return false }
    let key = then.columns.filter { $0.primaryKeyPosition > 0 }
    // A number that SQLite gives to each row, used again or not.
    if let alias = now.rowIDColumn, key.map(\.name) == [alias] {
      return now.autoincrement || !then.autoincrement
    }
    let collations = then.collationsOfKey
    let isUnique = now.indexes.contains { index in
      index.unique && index.predicate == nil
        && Set(index.columns.map(\.name)) == Set(key.map { Optional($0.name) })
        && index.columns.allSatisfy { column in
          let before = column.name.flatMap { collations[$0] }
          return before == nil || before == "BINARY" || before == column.collation
        }
    }
    return isUnique
      && key.allSatisfy { column in
        !column.notNull && !then.withoutRowID
          || now.columns.first { $0.name == column.name }?.notNull == true
      }
  }

  /// How many keys or constraints of a kind a table has lost, and how many new ones it has.
  private struct RuleChange {
    let subject: String
    let table: String
    let lost: Int
    let new: Int
    let isChanged: Bool
  }

  private var ruleChanges: [RuleChange] {
    let subjects: [ContractDifference.Subject] = [.primaryKey, .unique, .check, .foreignKey]
    let grouped = Dictionary(grouping: differences.filter { subjects.contains($0.subject) }) {
      [$0.subject.rawValue, $0.object]
    }
    return grouped.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, all in
      RuleChange(
        subject: key[0], table: key[1], lost: all.count { $0.kind == .missing },
        new: all.count { $0.kind == .extra }, isChanged: all.contains { $0.kind == .changed })
    }
  }

  /// Tables that took only values of the types that they declare, and do not any more.
  private var lostTypes: [String] {
    oldSchema.tables.filter { $0.strict && newTables[$0.name]?.strict == false }.map {
      "'\($0.name)' is not STRICT any more"
    }
  }

  /// What foreign keys did to rows, and do not any more.
  private var lostActions: [String] {
    oldSchema.tables.flatMap { table in
      let now = newTables[table.name]?.foreignKeys ?? []
      return table.foreignKeys.flatMap { key -> [String] in
        guard let other = now.first(where: { $0.columns == key.columns && $0.table == key.table })
        else { return [] }
        let columns = key.columns.joined(separator: ", ")
        return [
          ("DELETE", key.onDelete, other.onDelete), ("UPDATE", key.onUpdate, other.onUpdate),
        ].filter { Self.changesRows($0.1) && $0.2 == "NO ACTION" }.map { event, action, _ in
          "foreign key (\(columns)) of '\(table.name)' has lost ON \(event) \(action)"
        }
      }
    }
  }

  private static func changesRows(_ action: String) -> Bool {
    ["CASCADE", "SET NULL", "SET DEFAULT"].contains(action)
  }

  /// What columns refused and compared by, and do not any more.
  private var lostOfColumns: [String] {
    pairsOfColumns.flatMap { name, column, now in
      var lost: [String] = []
      if column.notNull, !now.notNull { lost.append("\(name) does not refuse NULL any more") }
      if column.collation != "BINARY", now.collation == "BINARY" {
        lost.append("\(name) has lost COLLATE \(column.collation)")
      }
      return lost
    }
  }

  /// The columns that were there and still are, with what to call them.
  private var pairsOfColumns: [(name: String, old: ColumnDescription, new: ColumnDescription)] {
    oldSchema.tables.flatMap { table in
      table.columns.compactMap { column in
        newTables[table.name]?.columns.first { $0.name == column.name }.map { now in
          ("column '\(table.name).\(column.name)'", column, now)
        }
      }
    }
  }
}

extension ContractDifference {
  /// What one schema has that another one has not, or has in another way, of the tables of both.
  static func lost(
    from old: SchemaDescription, to new: SchemaDescription
  ) -> [ContractDifference] {
    let kept = Set(new.tables.map(\.name))
    return compare(
      expected: old, found: new, extras: .allowed,
      ignoring: old.tables.map(\.name).filter { !kept.contains($0) })
  }
}

extension ColumnDescription {
  /// How values are taken in, whatever the name of the type is.
  fileprivate var affinity: Affinity { Affinity(declaredType: type, strict: false) }
}

extension TableDescription {
  /// The collations by which the columns of its primary key are the same or not.
  fileprivate var collationsOfKey: [Name: Name] {
    let columns = indexes.first { $0.origin == .primaryKey }?.columns ?? []
    return Dictionary(
      columns.compactMap { column in column.name.map { ($0, column.collation) } },
      uniquingKeysWith: { first, _ in first })
  }
}
