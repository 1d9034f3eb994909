// SPDX-License-Identifier: Apache-2.0
// What a restore is said to lose, change and bring back.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RowComparisonTests {
  /// Compares a state of one table with another.
  private func compare(
    _ current: [DatabaseBuilder.Step], with other: [DatabaseBuilder.Step]
  ) throws -> RowComparison {
    try ScratchFolder.with { folder in
      func read(_ steps: [DatabaseBuilder.Step], _ name: FilePath) throws -> Reconstruction {
        try DatabaseBuilder(steps).build(at: folder[name])
        return try Reconstruction(
          InputFiles(folder[name], storage: SystemStorage()).open(in: World()),
          parser: SandboxParser())
      }
      return try #require(
        read(current, "current.db").compare(with: read(other, "other.db")).first)
    }
  }

  private static let rows = "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) "

  @Test func `a column that was added changes no row`() throws {
    let before: [DatabaseBuilder.Step] = [
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b REAL)",
      "\(Self.rows) INSERT INTO t SELECT i, 'text ' || i, i FROM n",
    ]
    let comparison = try compare(
      before + ["ALTER TABLE t ADD COLUMN c DEFAULT 5", "UPDATE t SET c = id"], with: before)
    #expect(comparison.same == 100 && comparison.changed == 0)
    #expect(comparison.onlyCurrent == 0 && comparison.onlyOther == 0)
    #expect(comparison.columnsOnlyCurrent == ["c"])
  }

  @Test func `changed, lost and regained rows are three figures`() throws {
    let before: [DatabaseBuilder.Step] = [
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "\(Self.rows) INSERT INTO t SELECT i, 'text ' || i FROM n",
    ]
    let comparison = try compare(
      before + [
        "DELETE FROM t WHERE id <= 3", "UPDATE t SET a = 'new' WHERE id > 90",
        "INSERT INTO t VALUES (1000, 'new'), (1001, 'new')",
      ], with: before)
    #expect(comparison.same == 87 && comparison.changed == 10)
    #expect(comparison.onlyCurrent == 2 && comparison.onlyOther == 3)
  }

  @Test func `rows of a table without rowids are known by their key`() throws {
    let before: [DatabaseBuilder.Step] = [
      "CREATE TABLE t (v, k TEXT, j INT, PRIMARY KEY (k, j)) WITHOUT ROWID",
      "\(Self.rows) INSERT INTO t SELECT i, 'key ' || i, i FROM n",
    ]
    let comparison = try compare(
      before + ["DELETE FROM t WHERE j = 5", "UPDATE t SET v = 0 WHERE j > 90"], with: before)
    #expect(comparison.same == 89 && comparison.changed == 10)
    #expect(comparison.onlyCurrent == 0 && comparison.onlyOther == 1)
  }

  @Test func `rows whose rowid nobody sees may have another one`() throws {
    let before: [DatabaseBuilder.Step] = [
      "CREATE TABLE t (a TEXT, b)", "\(Self.rows) INSERT INTO t SELECT 'text ' || i, i FROM n",
    ]
    let comparison = try compare(
      before + ["DELETE FROM t WHERE b IN (2, 50)", "VACUUM"], with: before)
    #expect(comparison.same == 98 && comparison.changed == 0)
    #expect(comparison.onlyCurrent == 0 && comparison.onlyOther == 2)
  }

  @Test func `columns that have changed places are the same columns`() throws {
    let comparison = try compare(
      ["CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 'x')"],
      with: ["CREATE TABLE t (b, a)", "INSERT INTO t VALUES ('x', 1)"])
    #expect(comparison.same == 1 && comparison.onlyOther == 0)
  }
}
