// SPDX-License-Identifier: Apache-2.0
// The schemas of two states of a database side by side: what is not demanded or done any more.

import SQLiteFormat

extension StateComparison {
  /// What the schema demanded and does not any more; a contract says itself what is meant.
  var schemaProblems: [String] {
    guard contract == nil else { return [] }
    let old = renamedSchema
    let kept = Set(after.schema.tables.map(\.name))
    let gone = old.tables.map(\.name).filter { !kept.contains($0) }
    let differences = ContractDifference.compare(
      expected: old, found: after.schema, extras: .allowed, ignoring: gone)
    return lostIndexes(differences, old) + lostRules(differences) + lostActions(old)
      + lostOfColumns(old) + lostTriggers(old) + lostViews(old)
  }

  /// The defaults that columns do not have any more: apps that write each column make tables anew
  /// without them.
  var lostDefaults: [String] {
    guard contract == nil else { return [] }
    return pairsOfColumns(renamedSchema).compactMap { name, old, new in
      guard let value = old.defaultSQL, Name(value) != "NULL", new.defaultSQL == nil,
        new.generated == .none
      else { return nil }
      return "\(name) has lost its DEFAULT"
    }
  }

  /// The schema of before, with the names that tables and columns have now.
  private var renamedSchema: SchemaDescription {
    var old = before.schema.renamingTables(renames)
    let newNames = Dictionary(
      pairs.map { ($0.new, $0.newNames) }, uniquingKeysWith: { first, _ in first })
    old.tables = old.tables.map { $0.renamingColumns(newNames[$0.name] ?? [:]) }
    return old
  }

  /// Triggers that are gone while their table is there, and no new one of it is in their place.
  private func lostTriggers(_ old: SchemaDescription) -> [String] {
    let new = Dictionary(grouping: Self.missing(of: after.schema.triggers, in: old.triggers)) {
      $0.table
    }
    let lost = Self.missing(of: old.triggers, in: after.schema.triggers).filter(isStillAbout)
    return Dictionary(grouping: lost) { $0.table }.sorted { $0.key < $1.key }
      .filter { $0.value.count > new[$0.key]?.count ?? 0 }
      .flatMap { table, triggers in
        triggers.map { "trigger '\($0.name)' of '\(table)' is gone" }
      }
  }

  /// Views that are gone while the tables that they name are there, and no new one is in their place.
  private func lostViews(_ old: SchemaDescription) -> [String] {
    let taken = Set(after.schema.tables.map(\.name))
    let lost = Self.missing(of: old.views, in: after.schema.views).filter { view in
      !taken.contains(view.name) && isStillAbout(view)
    }
    let new = Self.missing(of: after.schema.views, in: old.views)
    guard lost.count > new.count else { return [] }
    return lost.map { "view '\($0.name)' is gone" }
  }

  private static func missing(of all: [NamedSQL], in others: [NamedSQL]) -> [NamedSQL] {
    let names = Set(others.map(\.name))
    return all.filter { !names.contains($0.name) }.sorted { $0.name < $1.name }
  }

  /// Whether all tables are there that an object of the schema before names.
  private func isStillAbout(_ object: NamedSQL) -> Bool {
    let gone = Set(before.schema.tables.map { renames[$0.name] ?? $0.name })
      .subtracting(after.schema.tables.map(\.name))
    return !SQLTokens(parsing: object.sql).tokens.contains { token in
      switch token {
      case .word(let text), .name(let text): gone.contains(Name(text))
      default: false
      }
    }
  }

  private func lostIndexes(
    _ differences: [ContractDifference], _ old: SchemaDescription
  ) -> [String] {
    let present = Set(
      after.schema.tables.flatMap { table in
        table.indexes.map { IndexMeaning($0, of: table).normal }
      }
    )
    return differences.filter { $0.subject == .index && $0.kind != .extra }.compactMap { lost in
      for table in old.tables {
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
  private func lostRules(_ differences: [ContractDifference]) -> [String] {
    let subjects: [ContractDifference.Subject] = [.primaryKey, .unique, .check, .foreignKey]
    let grouped = Dictionary(grouping: differences.filter { subjects.contains($0.subject) }) {
      [$0.subject.rawValue, $0.object]
    }
    return grouped.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { key, all in
      let lost = all.filter { $0.kind == .missing }.count
      let new = all.filter { $0.kind == .extra }.count
      let isOther =
        key[0] == ContractDifference.Subject.primaryKey.rawValue
        && all.contains { $0.kind == .changed }
      if isOther { return "the primary key of '\(key[1])' is another one than before" }
      return lost > new ? "'\(key[1])' has lost a \(key[0])" : nil
    }
  }

  /// What foreign keys did to rows, and do not any more.
  private func lostActions(_ old: SchemaDescription) -> [String] {
    old.tables.flatMap { table in
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
  private func lostOfColumns(_ old: SchemaDescription) -> [String] {
    pairsOfColumns(old).flatMap { name, column, now in
      var lost: [String] = []
      if column.notNull, !now.notNull { lost.append("\(name) does not refuse NULL any more") }
      if column.collation != "BINARY", now.collation == "BINARY" {
        lost.append("\(name) has lost COLLATE \(column.collation)")
      }
      return lost
    }
  }

  /// The columns that were there and still are, with what to call them.
  private func pairsOfColumns(
    _ old: SchemaDescription
  ) -> [(name: String, old: ColumnDescription, new: ColumnDescription)] {
    let newTables = newTables
    return old.tables.flatMap { table in
      table.columns.compactMap { column in
        newTables[table.name]?.columns.first { $0.name == column.name }.map { now in
          ("column '\(table.name).\(column.name)'", column, now)
        }
      }
    }
  }

  private var newTables: [Name: TableDescription] {
    Dictionary(after.schema.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
