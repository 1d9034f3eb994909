// SPDX-License-Identifier: Apache-2.0
// Which column refuses NULL and which CHECK is broken, where rows do not keep to the schema that they
// are under.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct BrokenRulesTests {
  let bench: Workbench
  let file: FilePath
  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
  }

  /// What is said of a table whose rows were written before its declaration was changed by hand.
  private func broken(
    _ before: String, _ rows: String, under statement: String
  ) throws -> [String] {
    try DatabaseBuilder([
      .init(stringLiteral: "CREATE TABLE p (\(before))"), .init(stringLiteral: rows),
    ]).build(at: file)
    let table = "CREATE TABLE p (\(statement))"
    try Connection.unguarded(file).prepare("UPDATE sqlite_schema SET sql = ?").run([.text(table)])
    let contract = bench["schema.sql"]
    try contract.replaceContents(with: Bytes("\(table);".utf8))
    let ending = try bench.run("contract", "verify", file, "--contract", contract, "--json")
    let differences = try #require(try ending.json["differences"]?.elements)
    return differences.map { difference in
      ["kind", "subject", "object", "expected", "found"].map { difference[$0]?.text ?? "-" }
        .joined(separator: "; ")
    }
  }

  @Test func `each column and each CHECK is told`() throws {
    let told = try broken(
      "id INTEGER PRIMARY KEY, n TEXT, m INT, k INT",
      "INSERT INTO p VALUES (1, 'a', 1, 1), (2, NULL, -1, 1), (3, NULL, -2, 10), (4, 'b', 2, 2), "
        + "(5, 'c', 3, 3), (6, 'd', 4, 4), (7, 'e', 5, 5)",
      under: "id INTEGER PRIMARY KEY, n TEXT NOT NULL, m INT CHECK (m > 0), k INT, CHECK (k < 9)")
    #expect(
      told == [
        "broken; column; p.n; NOT NULL; 2 rows with NULL",
        "broken; check; p; k < 9; 1 row breaking it",
        "broken; check; p; m > 0; 2 rows breaking it",
      ])
  }

  @Test func `a virtual column that refuses NULL is told`() throws {
    let told = try broken(
      "id INTEGER PRIMARY KEY, n TEXT, v TEXT AS (n) VIRTUAL",
      "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 50) "
        + "INSERT INTO p (id, n) SELECT i, CASE WHEN i > 20 THEN 'a' END FROM c",
      under: "id INTEGER PRIMARY KEY, n TEXT, v TEXT AS (n) VIRTUAL NOT NULL")
    #expect(told == ["broken; column; p.v; NOT NULL; 20 rows with NULL"])
  }

  @Test func `a row may break the rules of several columns`() throws {
    let told = try broken(
      "a TEXT, b TEXT",
      "INSERT INTO p VALUES ('x', NULL), (NULL, NULL), ('y', 'z'), ('a', 'b'), ('c', 'd')",
      under: "a TEXT NOT NULL, b TEXT NOT NULL")
    #expect(
      told == [
        "broken; column; p.a; NOT NULL; 1 row with NULL",
        "broken; column; p.b; NOT NULL; 2 rows with NULL",
      ])
  }
}
