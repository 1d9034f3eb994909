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

  @Test func `a full-text index without texts loses its words when it is made anew`() throws {
    let mend = try #require(
      try differences(
        "CREATE VIRTUAL TABLE f USING fts5 (a, b, content='')",
        "CREATE VIRTUAL TABLE f USING fts5 (a, content='')"
      ).first?.mend)
    #expect(mend.warnings == ["all that 'f' holds goes with it"])
  }

  @Test func `a foreign key that is deferred no more is enforced still`() throws {
    let found = "\(Self.parent) CREATE TABLE t (b REFERENCES p DEFERRABLE INITIALLY DEFERRED)"
    let mends = try differences("\(Self.parent) CREATE TABLE t (b REFERENCES p)", found).map(\.mend)
    let warnings = mends.flatMap(\.warnings)
    #expect(warnings.contains { $0.contains("is enforced at another moment") }, "\(warnings)")
    #expect(!warnings.contains { $0.contains("is not enforced any more") }, "\(warnings)")
  }

  static let spellings = ["a NOTNULL", "a NOT NULL", "a IS NOT NULL", "(a) notnull"]

  @Test(arguments: spellings, spellings)
  func `a test for NULL is the same in every spelling`(_ one: String, _ other: String) throws {
    func schemas(_ test: String) -> [String] {
      [
        "CREATE TABLE t (a, b, CHECK (\(test) OR b = 1))",
        "CREATE TABLE t (a, b); CREATE INDEX i ON t (b) WHERE \(test)",
        "CREATE TABLE t (a, b); CREATE VIEW v AS SELECT b FROM t WHERE \(test)",
      ]
    }
    for (left, right) in zip(schemas(one), schemas(other)) {
      #expect(try differences(left, right) == [])
    }
  }

  @Test func `a test for NULL is no test for a value`() throws {
    func check(_ test: String) -> String { "CREATE TABLE t (a, b, CHECK (\(test)))" }
    #expect(try differences(check("a ISNULL"), check("a IS NULL")) == [])
    #expect(try differences(check("a ISNULL"), check("a NOTNULL")).count == 2)
    #expect(try differences(check("NOT a"), check("a NOT NULL")).count == 2)
    #expect(
      try differences("CREATE TABLE t (a NOT NULL)", "CREATE TABLE t (a)").map(\.headline)
        == ["changed column t.a"])
  }
}
