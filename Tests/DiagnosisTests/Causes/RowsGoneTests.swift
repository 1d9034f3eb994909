// SPDX-License-Identifier: Apache-2.0
// Sound databases that lack what their newest backup holds: made anew, or with many rows deleted.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct RowsGoneTests {
  /// What is found in a database with so many rows, of whose backup the rows and counter are given.
  private func examination(
    notes: Int, tags: Int, backup: [Name: Int], counter: UInt32, isReplaced: Bool = false
  ) throws -> Examination {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    func fill(_ table: String, _ count: Int) -> DatabaseBuilder.Step {
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO \(table) SELECT i, 'text ' || i FROM n WHERE i <= \(count)
      """
    }
    try DatabaseBuilder([
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
      "CREATE TABLE tags (id INTEGER PRIMARY KEY, text TEXT)", fill("notes", notes),
      fill("tags", tags),
    ]).build(at: path)
    var around = Circumstances()
    around.before = .init(backup: "b", userVersion: 0, rows: backup, changeCounter: counter)
    around.isReplacedByUs = isReplaced
    return try Rescue(world: World(environment: [:])).check(InputFiles(path)).value.amid(around)
      .adding([Finding(.rowsFewer, "tables have fewer rows")])
  }

  private static let full: [Name: Int] = ["notes": 900, "tags": 1600]

  private func firstOption(_ examination: Examination) -> String? {
    examination.options(backups: [], hasFreshSchema: false).first?.summary
  }

  @Test(arguments: [0, 3]) func `a database that was made anew is told from one that lost rows`(
    _ rows: Int
  ) throws {
    let anew = try examination(notes: rows, tags: rows, backup: Self.full, counter: 1 << 20)
    #expect(anew.causes.leading?.kind == .emptied && anew.verdict == .healthy)
    #expect(firstOption(anew)?.contains("lacks rows of its backup") == true)
    let counted = try examination(notes: rows, tags: rows, backup: Self.full, counter: 1)
    #expect(counted.causes.causes.isEmpty)
    #expect(firstOption(counted)?.contains("lacks rows of its backup") == true)
  }

  @Test func `a table with many rows that has none is missed`() throws {
    let found = try examination(notes: 0, tags: 1600, backup: Self.full, counter: 1)
    #expect(found.causes.causes.isEmpty)
    #expect(firstOption(found)?.contains("lacks rows of its backup") == true)
  }

  /// What apps do: rows of both tables, a small one that is empty, rows that moved to another table.
  static let ordinary: [(notes: Int, tags: Int, backup: [Name: Int])] = [
    (600, 1200, full), (0, 1600, ["notes": 90, "tags": 1600]),
    (0, 2500, full), (0, 0, ["notes": 50, "tags": 20]),
  ]

  @Test(arguments: ordinary.indices) func `ordinary deletes raise no alarm`(
    _ index: Int
  ) throws {
    let (notes, tags, backup) = Self.ordinary[index]
    let found = try examination(notes: notes, tags: tags, backup: backup, counter: 1)
    #expect(found.causes.causes.isEmpty)
    #expect(firstOption(found) == "nothing is wrong: leave the database as it is")
  }

  @Test func `what this program has put there raises no alarm`() throws {
    let found = try examination(
      notes: 3, tags: 3, backup: Self.full, counter: 1 << 20, isReplaced: true)
    #expect(found.causes.causes.isEmpty)
    #expect(firstOption(found) == "nothing is wrong: leave the database as it is")
  }
}
