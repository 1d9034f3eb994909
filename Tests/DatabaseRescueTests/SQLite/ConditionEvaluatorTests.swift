// SPDX-License-Identifier: Apache-2.0
// The sandbox of conditions: what it answers, and what it refuses.

import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct `A condition evaluator` {
  private func evaluate(_ sql: String) throws(SQLiteError) -> ConditionEvaluator.Answer {
    let evaluator = try ConditionEvaluator([
      ("verdict", "TEXT", .text("damaged")), ("rows_lost", "INTEGER", .integer(3)),
      ("age", "REAL", .real(1.5)), ("unknown_fact", "INTEGER", .null),
    ])
    return try evaluator.evaluate(sql)
  }

  @Test(arguments: [
    ("verdict = 'damaged'", ConditionEvaluator.Truth.yes), ("rows_lost = 0", .no),
    ("rows_lost", .yes), ("verdict", .no), ("NULL", .unknown), ("unknown_fact > 1", .unknown),
    ("unknown_fact > 1 AND rows_lost = 0", .no), ("unknown_fact > 1 OR age < 2", .yes),
    ("unknown_fact IS NULL", .yes), ("age BETWEEN 1 AND 2", .yes),
    ("verdict IN ('a', 'damaged')", .yes), ("verdict LIKE 'DAM%'", .yes),
    ("CASE WHEN rows_lost > 2 THEN 1 ELSE 0 END", .yes), ("coalesce(unknown_fact, 0) = 0", .yes),
    ("rows_lost -- the end", .yes), ("(verdict = 'damaged') IS NOT TRUE", .no),
    ("facts.rows_lost = 3", .yes), ("CAST(age AS INTEGER) = 1", .yes),
  ])
  func `an expression is true, false or unknown`(
    sql: String, truth: ConditionEvaluator.Truth
  ) throws {
    #expect(try evaluate(sql).truth == truth)
  }

  @Test func `the columns that are read are known, also those in a branch not taken`() throws {
    #expect(
      try evaluate("rows_lost < 0 AND VERDICT = 'x' OR age > 1").columns == [
        "rows_lost", "verdict", "age",
      ])
  }

  @Test(arguments: [
    "(SELECT count(*) FROM sqlite_schema) > 0", "EXISTS (SELECT 1)", "1 IN (SELECT 1)",
    "1 IN sqlite_schema", "load_extension('x')", "randomblob(1e9)", "zeroblob(1e9)", "random() > 0",
    "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r) > 0",
    "1); DELETE FROM facts; SELECT (1", "1) FROM facts; DROP TABLE facts; --",
    "1) UNION SELECT (1", "1), (2", "1) FROM pragma_table_info('facts') WHERE (1",
    "1) FROM sqlite_schema WHERE (1", "rowid = 1", "sqlite_version() = '3'",
    "datetime('now') > 0", "current_timestamp > 0", "printf('%1000000d', 1)",
    "hex(randomblob(10)) = ''", "count(*) > 0", "row_number() OVER () = 1",
    "\"nothing\" = 'x'", "?1 = 1", ":x = 1", "json_each('[1]')", "verdict MATCH 'x'",
    "verdict REGEXP 'x'", "verdict ->> '$' = 1", "writefile('x', 'y')", "", "verdict =", "((1)",
    "RAISE(ABORT, 'x')", "1) FROM facts WINDOW w AS (PARTITION BY (1",
    "char(1)", "abs(-9223372036854775808)",
  ])
  func `what reaches further is refused`(sql: String) {
    #expect(throws: SQLiteError.self) { try evaluate(sql) }
  }

  @Test func `the message names what is not allowed`() {
    let error = #expect(throws: SQLiteError.self) { try evaluate("randomblob(1e9)") }
    #expect(error?.message == "the function 'randomblob' is not allowed")
    let other = #expect(throws: SQLiteError.self) { try evaluate("EXISTS (SELECT 1)") }
    #expect(other?.message == "another SELECT is not allowed")
  }

  @Test func `an evaluator goes on after a refusal`() throws {
    let evaluator = try ConditionEvaluator([("a", "INTEGER", .integer(1))])
    #expect(throws: SQLiteError.self) { try evaluator.evaluate("load_extension('x')") }
    let answer = try evaluator.evaluate("a = 1")
    #expect(answer == .init(truth: .yes, columns: ["a"]))
  }

  @Test func `size, depth and time are bounded`() {
    let sum = (0..<20_000).map { _ in "1" }.joined(separator: "+")
    #expect(throws: SQLiteError.self) { try evaluate(sum) }
    let deep = String(repeating: "(", count: 1500) + "1" + String(repeating: ")", count: 1500)
    #expect(throws: SQLiteError.self) { try evaluate(deep) }
    let joins = "1) FROM facts WHERE (" + (0..<60).map { "a\($0).rows_lost" }.joined(separator: "+")
    #expect(throws: SQLiteError.self) { try evaluate(joins) }
    let wide = "'\(String(repeating: "a", count: 5000))' = verdict"
    #expect(throws: SQLiteError.self) { try evaluate(wide) }
    let pattern =
      "'\(String(repeating: "a", count: 1000))' LIKE '"
      + String(repeating: "%a", count: 49) + "b'"
    #expect(measured { try? evaluate(pattern) }.effort < .seconds(5))
  }
}
