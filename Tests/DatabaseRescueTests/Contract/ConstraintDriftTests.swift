// SPDX-License-Identifier: Apache-2.0
// Constraints that come or go with a column, and tests for NULL in all their spellings.

import DatabaseRescue
import Diagnosis
import SQLiteFormat
import Testing

@Suite struct ConstraintDriftTests {
  private func differences(_ expected: String, _ found: String) throws -> [ContractDifference] {
    func schema(_ sql: String) throws -> SchemaDescription {
      let connection = try Connection(mode: .memory)
      try connection.execute(sql)
      return try SchemaReader.describe(connection)
    }
    return ContractDifference.compare(expected: try schema(expected), found: try schema(found))
  }

  private static let parent = "CREATE TABLE p (id INTEGER PRIMARY KEY);"

  @Test(arguments: [
    ("\(parent) CREATE TABLE t (a, b REFERENCES p)", "(b) REFERENCES p (id)"),
    ("\(parent) CREATE TABLE t (a, b, FOREIGN KEY (b) REFERENCES p)", "(b) REFERENCES p (id)"),
    ("\(parent) CREATE TABLE t (a, b CHECK (b > 0))", "b > 0"),
    ("\(parent) CREATE TABLE t (a, b, CHECK (b > 0))", "b > 0"),
  ])
  func `what an extra column enforces is told beside it`(_ found: String, _ rule: String) throws {
    let differences = try differences("\(Self.parent) CREATE TABLE t (a)", found)
    #expect(differences.map(\.kind) == [.extra, .extra])
    #expect(differences.contains { $0.object == "t.b" })
    #expect(
      differences.flatMap(\.mend.warnings).contains("\(rule) is not enforced any more"),
      "\(differences.flatMap(\.mend.warnings))")
  }
}
