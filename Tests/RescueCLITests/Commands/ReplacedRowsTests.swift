// SPDX-License-Identifier: Apache-2.0
// Rows that a migration replaces by others are lost, also where one column happens to keep its values;
// rows that only get other ids are not.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ReplacedRowsTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, status INT)",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
      INSERT INTO t SELECT i, 'a' || i, i % 3 FROM n
      """,
      "PRAGMA user_version = 1",
    ]).build(at: file)
  }

  private func migrate(_ sql: String) throws -> Ending {
    try bench.tryMigration(of: file, sql)
  }

  @Test(arguments: [
    "DELETE FROM t WHERE id = 5; INSERT INTO t VALUES (100, 'x', 2)",
    "DELETE FROM t WHERE id = 5; INSERT INTO t SELECT 100, a, status FROM t WHERE id = 8",
    "UPDATE t SET id = id + 100, a = 'other ' || id",
  ])
  func `rows whose place others take are gone`(_ sql: String) throws {
    let ending = try migrate(sql)
    #expect(ending.status == 18, "\(ending.all)")
    #expect(ending.all.contains("in its place") || ending.all.contains("in their place"))
  }

  @Test(arguments: [
    "UPDATE t SET id = id + 100", "UPDATE t SET id = id + 100, status = status + 1",
  ])
  func `rows with other ids are there`(_ sql: String) throws {
    let ending = try migrate(sql)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains("20 rows of 't' have another id"), "\(ending.all)")
  }
}
