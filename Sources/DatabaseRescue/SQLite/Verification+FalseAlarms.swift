// SPDX-License-Identifier: Apache-2.0
// What SQLite's check takes for wrong values and are none.
//
// It looks for the columns of a table without rowids in the order in which they were declared, and
// some versions (3.40 is one) read another one there, which may be NULL, missing, or of another type.
// And where a function of the app is missing, what stands in for it gives NULL.

import Diagnosis
import SQLiteFormat

extension Verification {
  /// What SQLite's check says, without its false alarms.
  static func problems(
    in connection: borrowing Connection, _ argument: String, listing limit: Int
  ) throws(SQLiteError) -> [String] {
    let lines = try connection.rows("PRAGMA integrity_check(\(argument))").compactMap {
      $0.first?.utf8String
    }.filter { $0 != "ok" }
    guard lines.contains(where: mayBeFalse) else { return lines }
    let falseAlarms = try falseAlarms(among: Set(lines), in: connection)
    let rest = lines.filter { !falseAlarms.contains($0) }
    guard rest.isEmpty, lines.count >= min(limit, defaultLinesMax) else { return rest }
    // More may be behind them, but none of the structure: those come first.
    return try allProblems(in: connection, besides: falseAlarms, listing: limit)
  }

  /// How many problems SQLite names where nobody says how many.
  private static let defaultLinesMax = 100

  /// The same where false alarms fill the list: it is read as it comes.
  private static func allProblems(
    in connection: borrowing Connection, besides known: Set<String>, listing limit: Int
  ) throws(SQLiteError) -> [String] {
    var (falseAlarms, asked, problems) = (known, known, [String]())
    let statement = try connection.prepare("PRAGMA integrity_check(\(Int32.max))")
    while problems.count < limit, try statement.step() {
      guard let line = statement[0].utf8String, line != "ok", !falseAlarms.contains(line) else {
        continue
      }
      if mayBeFalse(line), asked.insert(line).inserted,
        try !Self.falseAlarms(among: [line], in: connection).isEmpty
      {
        falseAlarms.insert(line)
      } else {
        problems.append(line)
      }
    }
    return problems
  }

  /// Which problems are false alarms: each column is asked for itself.
  private static func falseAlarms(
    among problems: Set<String>, in connection: borrowing Connection
  ) throws(SQLiteError) -> Set<String> {
    var falseAlarms: Set<String> = []
    for table in try SchemaReader.describe(connection).tables {
      try falseAlarms.formUnion(alarmsOfStandIns(among: problems, table, in: connection))
      guard table.withoutRowID else { continue }
      for column in table.columns {
        for (start, condition) in ValueAlarm.conditions {
          let alarm = "\(start)\(table.name).\(column.name)"
          guard problems.contains(alarm) else { continue }
          let found = try connection.value(
            "SELECT 1 FROM \(table.name.quotedIdentifier) "
              + "WHERE \(condition(column.name.quotedIdentifier)) LIMIT 1")
          if found == nil { falseAlarms.insert(alarm) }
        }
      }
    }
    return falseAlarms
  }

  /// The problems with a table that only stand-ins for functions of the app make: its other
  /// constraints are asked themselves.
  private static func alarmsOfStandIns(
    among problems: Set<String>, _ table: TableDescription, in connection: borrowing Connection
  ) throws(SQLiteError) -> Set<String> {
    let rules = RulesOfApp(
      of: table, SQLTokens(parsing: table.sql), lacking: connection.statementGuard.standIns)
    let ofColumns = rules.columns.flatMap { column in
      ValueAlarm.conditions.map { "\($0.start)\(table.name).\(column)" }
    }
    var alarms = problems.intersection(ofColumns)
    let check = "\(checkAlarm)\(table.name)"
    guard rules.haveChecks, problems.contains(check) else { return alarms }
    let broken = rules.otherChecks.map { "NOT (\($0.sql))" }.joined(separator: " OR ")
    let query =
      "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(broken.isEmpty ? "0" : broken) LIMIT 1"
    let found = try connection.permitting(.queries) { () throws(SQLiteError) in
      try connection.value(query)
    }
    if found == nil { alarms.insert(check) }
    return alarms
  }

  /// How a problem with a CHECK constraint begins.
  private static let checkAlarm = "CHECK constraint failed in "

  private static func mayBeFalse(_ problem: String) -> Bool {
    problem.hasPrefix(checkAlarm)
      || ValueAlarm.conditions.contains { problem.hasPrefix($0.start) }
  }
}

/// A problem with the value of a column.
private enum ValueAlarm {
  /// How the problems begin, and which rows have them.
  ///
  /// What a column refuses by its declaration, SQLite would not look for: its type is asked.
  static let conditions: [(start: String, condition: @Sendable (_ column: String) -> String)] = [
    ("NULL value in ", { "typeof(\($0)) = 'null'" }),
    ("NUMERIC value in ", { "typeof(\($0)) IN ('integer', 'real')" }),
    // Text that is a number is less than any text as soon as it is compared with a number.
    ("TEXT value in ", { "typeof(\($0)) = 'text' AND +\($0) <= CAST(9e999 AS NUMERIC)" }),
    ("non-INT value in ", { "typeof(\($0)) NOT IN ('integer', 'null')" }),
    ("non-INTEGER value in ", { "typeof(\($0)) NOT IN ('integer', 'null')" }),
    ("non-REAL value in ", { "typeof(\($0)) NOT IN ('real', 'integer', 'null')" }),
    ("non-TEXT value in ", { "typeof(\($0)) NOT IN ('text', 'null')" }),
    ("non-BLOB value in ", { "typeof(\($0)) NOT IN ('blob', 'null')" }),
  ]
}
