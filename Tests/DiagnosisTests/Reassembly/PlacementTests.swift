// SPDX-License-Identifier: Apache-2.0
// By which evidence pages come back to their tables.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PlacementTests {
  /// Why pages are held to be a table's whose root is gone.
  private func evidence(for table: Name, in specimen: Specimen) throws -> [PlacementEvidence] {
    let root = try specimen.root(of: table.text)
    let survey = Survey(main: specimen.with(.zeroPage(root)).bytes)
    let tree = try #require(survey.tree(named: table))
    #expect(tree.records == 0)
    #expect(tree.regained > 0)
    return survey.reassembly.evidence(for: try #require(survey.position(of: tree))).map(\.kind)
  }

  @Test func `rows that an index knows come back by its word`() throws {
    #expect(try evidence(for: "note", in: Specimen()) == [.index])
  }

  @Test func `rows that only one tree can have come back to it`() throws {
    #expect(try evidence(for: "word", in: Specimen()) == [.elimination])
  }

  @Test func `a pointer map names the tree`() throws {
    let specimen = try Specimen(
      "CREATE TABLE copy (word TEXT PRIMARY KEY) WITHOUT ROWID",
      "INSERT INTO copy SELECT * FROM word",
      autoVacuum: .full)
    #expect(try evidence(for: "copy", in: specimen) == [.pointerMap])
  }

  @Test func `a sound database needs none of it`() throws {
    let survey = Survey(main: try Specimen().bytes)
    #expect(survey.reassembly.assignments.isEmpty)
    #expect(survey.reassembly.orphans.isEmpty)
  }
}
