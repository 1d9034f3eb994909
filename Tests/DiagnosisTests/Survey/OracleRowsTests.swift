// SPDX-License-Identifier: Apache-2.0
// The main promise of the reader: on every healthy database it reads what SQLite reads.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OracleRowsTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func expectSameAsSQLite(_ path: FilePath) throws {
    let survey = try Survey(path)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    #expect(survey.verdict == .healthy)
    #expect(survey.faults == [], "\(survey.faults.map(\.message))")
  }

  @Test(arguments: Recipe.all)
  func `rows are SQLite's rows, and nothing is wrong`(_ recipe: Recipe) throws {
    try expectSameAsSQLite(recipe.build(in: scratch.path))
  }

  @Test(arguments: Recipe.all)
  func `every index holds the keys that its table implies`(_ recipe: Recipe) throws {
    let survey = try Survey(recipe.build(in: scratch.path))
    for table in survey.trees where table.entry.kind == .table {
      for (name, expected) in table.expectedKeys {
        let index = try #require(survey.tree(named: name))
        #expect(index.keys == expected, "\(name)")
      }
    }
  }

  @Test func `most indexes can be computed from their tables`() throws {
    let survey = try Survey(Recipe.named("indexes").build(in: scratch.path))
    let computed = try #require(survey.tree(named: "t")).expectedKeys.keys.sorted()
    #expect(computed == ["collated", "descending", "on_id", "only", "plain"])
  }
}
