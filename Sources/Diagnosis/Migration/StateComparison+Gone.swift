// SPDX-License-Identifier: Apache-2.0
// What is gone from a schema without a row or a stored value, and the numbers that rows get.

import SQLiteFormat

extension StateComparison {
  // MARK: Tables, and what goes with them

  /// Tables that had no rows and are gone, while no new one has their columns.
  var lostTables: [String] {
    let old = Set(oldSchema.tables.map(\.name))
    let new = after.schema.tables.filter { !old.contains($0.name) }.map { $0.columns.map(\.name) }
    return oldSchema.tables.filter { table in
      table.kind != .shadow && !table.name.isReserved && newTables[table.name] == nil
        && !joins.values.joined().contains(table.name)
        && before.tables[table.name]?.rows ?? 0 == 0 && !new.contains(table.columns.map(\.name))
    }.map { table in
      switch table.kind {
      case .virtual where VirtualMeaning(table).isFullText:
        "full-text table '\(table.name)' is gone"
      case .virtual: "virtual table '\(table.name)' is gone"
      default: "table '\(table.name)' is gone; it had no rows"
      }
    }
  }

  /// Triggers and views that are gone with a table that they name.
  var lostWithTables: [String] {
    let triggers = Self.missing(of: oldSchema.triggers, in: after.schema.triggers)
    let views = Self.missing(of: oldSchema.views, in: after.schema.views)
    let taken = Set(after.schema.tables.map(\.name))
    return triggers.filter { newTables[$0.table] != nil && !isStillAbout($0) }.map {
      "trigger '\($0.name)' of '\($0.table)' is gone, with a table that it names"
    }
      + views.filter { !taken.contains($0.name) && !isStillAbout($0) }.map {
        "view '\($0.name)' is gone, with a table that it names"
      }
  }

  /// Virtual tables in the place of which tables without a module are.
  var lostModules: [String] {
    oldSchema.tables.filter { $0.kind == .virtual && newTables[$0.name]?.kind == .ordinary }.map {
      let module = VirtualMeaning($0).module.map { " of \($0)" } ?? ""
      return "'\($0.name)' is no virtual table\(module) any more"
    }
  }

  /// Views that are tables now, and tables that are views.
  var otherKinds: [String] {
    let (tables, views) = (Set(newTables.keys), Set(after.schema.views.map(\.name)))
    return before.schema.views.filter { tables.contains($0.name) }.map {
      "'\($0.name)' was a view and is a table now"
    }
      + before.schema.tables.filter { views.contains($0.name) }.map {
        "'\($0.name)' was a table and is a view now"
      }
  }

  // MARK: Columns

  /// A column that is gone without a value that was stored.
  struct LostColumn {
    let line: String
    /// Whether rows had a value there that was computed.
    let isComputed: Bool
  }

  /// Columns that are gone without a value that was stored, while no new one computes the same.
  var lostColumns: [LostColumn] {
    pairs.flatMap { pair -> [LostColumn] in
      guard let old = oldSchema.tables.first(where: { $0.name == pair.new }),
        let new = newTables[pair.new], new.kind == old.kind
      else { return [] }
      let (present, known) = (Set(new.columns.map(\.name)), Set(old.columns.map(\.name)))
      let computed = new.columns.filter { !known.contains($0.name) }.map {
        computation(of: $0, in: new)
      }
      return old.columns.compactMap { column in
        guard !present.contains(column.name) else { return nil }
        let name = "column '\(old.name).\(column.name)'"
        if column.generated == .virtual {
          guard !computed.contains(computation(of: column, in: old)) else { return nil }
          return LostColumn(
            line: "\(name), which was computed, is gone", isComputed: pair.then.rows > 0)
        }
        let values = pair.then.columns.first { pair.name(of: $0) == column.name }
        guard let values, pair.then.isWhole, values.nulls == pair.then.rows,
          !isRenamed(column, of: old, in: new)
        else { return nil }
        return LostColumn(line: "\(name) is gone; it had no values", isComputed: false)
      }
    }
  }

  /// Whether a new column of the same type stands in the place of one that is gone.
  private func isRenamed(
    _ column: ColumnDescription, of old: TableDescription, in new: TableDescription
  ) -> Bool {
    guard let place = old.columns.firstIndex(where: { $0.name == column.name }),
      new.columns.count == old.columns.count
    else { return false }
    let other = new.columns[place]
    return other.type == column.type && !old.columns.contains { $0.name == other.name }
  }

  /// How a column is computed, by meaning; nil where it is not.
  private func computation(of column: ColumnDescription, in table: TableDescription) -> String? {
    guard column.generated != .none else { return nil }
    let names = oldSchema.names.union(after.schema.names)
    return TableDeclaration(sql: table.sql).expression(of: column.name)?.meaning(names: names)
  }

  /// Columns that are computed by another expression than before.
  var otherComputations: [String] {
    oldSchema.tables.flatMap { table in
      table.columns.compactMap { column in
        guard let then = computation(of: column, in: table), let new = newTables[table.name],
          let other = new.columns.first(where: { $0.name == column.name }),
          let now = computation(of: other, in: new), now != then
        else { return nil }
        return "column '\(table.name).\(column.name)' is computed in another way"
      }
    }
  }

  // MARK: The numbers of rows

  /// Columns whose rows SQLite numbered, and that take NULL now where a row has no number.
  var lostNumbering: [String] {
    unnumbered.filter { !$0.now.notNull && !$0.isKeyed && $0.now.defaultMeaning == nil }.map {
      "\($0.name) takes NULL now; a row without a value there got a number"
    }
  }

  /// What is otherwise with the numbers of rows, and may well be meant.
  var otherNumbering: [String] {
    unnumbered.filter { $0.now.notNull || $0.isKeyed || $0.now.defaultMeaning != nil }.map {
      "rows get no number in \($0.name) any more"
    }
      + oldSchema.tables.filter {
        !$0.autoincrement && $0.kind == .ordinary && newTables[$0.name]?.autoincrement == true
      }.map { "'\($0.name)' has AUTOINCREMENT now" }
  }

  /// Columns that were the rowid and are not any more; a key without rowids refuses NULL.
  private var unnumbered: [(name: String, now: ColumnDescription, isKeyed: Bool)] {
    oldSchema.tables.compactMap { table in
      guard let alias = table.rowIDColumn, let now = newTables[table.name],
        now.rowIDColumn != alias,
        let column = now.columns.first(where: { $0.name == alias })
      else { return nil }
      return (
        "column '\(table.name).\(alias)'", column,
        now.withoutRowID && column.primaryKeyPosition > 0
      )
    }
  }
}
