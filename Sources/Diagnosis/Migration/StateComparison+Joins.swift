// SPDX-License-Identifier: Apache-2.0
// Tables that a contract makes one: it has the rows of each of them.

import SQLiteFormat

extension StateComparison {
  /// The old names of each table that is made of several, as a contract has them: of others, or of
  /// itself and others.
  static func joins(_ names: [Name: Name], _ before: MigrationState) -> [Name: [Name]] {
    Dictionary(grouping: before.tables.keys.sorted()) { names[$0] ?? $0 }.filter { $1.count > 1 }
  }

  /// The tables that went, as a contract has it, into others which were there before and still are.
  static func tablesTakenIn(
    _ names: [Name: Name], _ before: MigrationState, _ after: MigrationState
  ) -> [Name: Name] {
    names.filter { old, new in
      before.tables[old] != nil && after.tables[old] == nil && before.tables[new] != nil
        && after.tables[new] != nil && names[new] == nil
    }
  }

  /// How many rows the tables had together that are one now; nil for any other table.
  func rowsBeforeJoin(into table: Name) -> Int? {
    joins[table].map { $0.reduce(0) { $0 + (before.tables[$1]?.rows ?? 0) } }
  }

  /// Tables that were made one and whose rows that has not.
  var joinProblems: [String] {
    joins.sorted { $0.key < $1.key }.compactMap { table, olds in
      guard let now = after.tables[table], let then = rowsBeforeJoin(into: table), then > 0,
        !isFree(table), !olds.contains(where: isFree)
      else { return nil }
      let names = list(olds)
      if now.rows < then {
        return "\(names) had \(counted(then, "row")) and have, as '\(table)', \(now.rows)"
      }
      // A single column may have been converted.
      let columns = joinedColumns(of: table)
      return now.rows == then && columns.count > 1 && columns.allSatisfy { !$0.isKept }
        ? "'\(table)' has other rows than \(names) had" : nil
    }
  }

  /// What is otherwise in a table that was made of several than in these.
  var joinNotices: [String] {
    joins.sorted { $0.key < $1.key }.flatMap { table, olds -> [String] in
      guard let now = after.tables[table] else { return [] }
      let gone = olds.flatMap { old in
        (before.tables[old]?.columns ?? []).compactMap { column -> String? in
          let values = (before.tables[old]?.rows ?? 0) - column.nulls
          let isGone = now.column(name(of: column.name, in: old, as: table)) == nil
          return isGone && values > 0
            ? "column '\(old).\(column.name)' with \(counted(values, "value")) is gone" : nil
        }
      }
      let isAll = rowsBeforeJoin(into: table) == now.rows
      return gone
        + joinedColumns(of: table).filter { isAll && !$0.isKept }
        .map { "column '\(table).\($0.name)' has other values than in \(list(olds))" }
    }
  }

  /// The columns that all tables have which are one now, but for those of its key, and whether that has
  /// their values.
  private func joinedColumns(of table: Name) -> [(name: Name, isKept: Bool)] {
    guard let now = after.tables[table], let olds = joins[table], now.isWhole else { return [] }
    return now.columns.compactMap { column in
      guard !now.keyNames.contains(column.name) else { return nil }
      var (sum, nulls) = (UInt64(0), 0)
      for old in olds {
        let then = before.tables[old]
        guard let then, then.isWhole,
          let own = then.columns.first(where: {
            name(of: $0.name, in: old, as: table) == column.name
          })
        else { return nil }
        (sum, nulls) = (sum &+ own.sum, nulls + own.nulls)
      }
      return (column.name, sum == column.sum && nulls == column.nulls)
    }
  }

  private func name(of column: Name, in old: Name, as table: Name) -> Name {
    (contract?.renamedColumns[table] ?? contract?.renamedColumns[old])?[column] ?? column
  }

  private func list(_ names: [Name]) -> String {
    names.dropLast().map { "'\($0)'" }.joined(separator: ", ") + " and '\(names[names.count - 1])'"
  }
}
