// SPDX-License-Identifier: Apache-2.0
// Migrations that came half-way, and those that came to a wrong end.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct MigrationCauseTests {
  private static let rows: DatabaseBuilder.Step =
    """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
    INSERT INTO orders SELECT i, 'number ' || i FROM n
    """

  private func causes(
    _ steps: [DatabaseBuilder.Step], before: Circumstances.Before? = nil
  ) throws -> CauseAnswer {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(steps).build(at: path)
    var around = Circumstances()
    around.before = before
    return try Rescue(world: World(environment: [:]))
      .check(InputFiles(path)).value.amid(around).causes
  }

  /// Names of tables on the way to take the place of others, and whether nobody else has them.
  static let left: [(String, Bool)] = [
    ("ef_temp_orders", true), ("__new_orders", true), ("orders__tmp__", true),
    ("_alembic_tmp_orders", true), ("new_orders", false), ("orders_backup", false),
  ]

  @Test(arguments: left)
  func `what a framework leaves of a table is a rebuild that was cut off`(
    _ name: String, _ isTelling: Bool
  ) throws {
    let tables: [DatabaseBuilder.Step] = [
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT)", Self.rows,
      "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, number TEXT)",
    ]
    #expect((try causes(tables).leading?.kind == .migrationCutOff) == isTelling)
    let gone = try causes(tables + ["DROP TABLE orders"])
    #expect((gone.leading?.kind == .migrationCutOff) == isTelling)
  }

  @Test func `a table of other columns is no rebuild`() throws {
    let answer = try causes([
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT)",
      "CREATE TABLE __new_orders (key TEXT, value BLOB)",
    ])
    #expect(answer.leading == nil)
  }

  @Test func `a table that was changed and has fewer rows may have lost them then`() throws {
    let old = "CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT)"
    let new: [DatabaseBuilder.Step] = [
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT UNIQUE)", Self.rows,
    ]
    for (rows, isSaid) in [(150, true), (105, false), (100, false)] {
      let before = Circumstances.Before(
        backup: "b", userVersion: 0, rows: [Name("orders"): rows], schema: [old])
      let answer = try causes(new, before: before)
      #expect(answer.leading == nil)
      #expect(answer.causes.contains { $0.kind == .migrationLeftWrong } == isSaid, "\(rows)")
    }
    let same = Circumstances.Before(
      backup: "b", userVersion: 0, rows: [Name("orders"): 150], changeCounter: nil)
    #expect(try causes(new, before: same).causes.isEmpty)
  }
}
