// SPDX-License-Identifier: Apache-2.0
// How differences read.

import Diagnosis
import SQLiteFormat
import Testing

@Suite struct ContractDifferenceTests {
  @Test func `a diff shows what is missing, extra and changed, and what would mend it`() {
    let differences = [
      ContractDifference(
        .missing, .column, "workouts.timezone", expected: "TEXT NOT NULL DEFAULT 'UTC'",
        mend: .statement(
          "ALTER TABLE \"workouts\" ADD COLUMN timezone TEXT\n NOT NULL DEFAULT 'UTC'")),
      ContractDifference(
        .extra, .table, "cache", found: "2 columns", mend: .none(because: "its rows would go")),
      ContractDifference(
        .changed, .columnOrder, "workouts", expected: "a, b", found: "b, a",
        mend: .none(because: "the table must be made anew"), weight: .notice),
    ]
    #expect(
      ContractDifference.diff(differences) == """
        - missing column workouts.timezone (TEXT NOT NULL DEFAULT 'UTC')
            mend: ALTER TABLE "workouts" ADD COLUMN timezone TEXT NOT NULL DEFAULT 'UTC';
        + extra table cache (2 columns)
            no SQL mends it: its rows would go
        ~ changed column order workouts [notice]
            expected: a, b
            found:    b, a
            no SQL mends it: the table must be made anew

        """)
    #expect(ContractDifference.diff([]) == "")
  }

  @Test func `the order does not depend on that of the schema`() {
    func table(_ name: Name) -> TableDescription {
      TableDescription(name: name, columns: [], storageOrder: [], sql: "CREATE TABLE \(name) (a)")
    }
    let names: [Name] = ["b", "C", "a", "d"]
    let schema = SchemaDescription(
      tables: names.map(table), views: [NamedSQL(name: "v", table: "v", sql: "CREATE VIEW v AS x")])
    let backwards = SchemaDescription(tables: names.reversed().map(table), views: schema.views)
    let expected = ["a", "b", "C", "d", "v"]
    for schema in [schema, backwards] {
      let found = ContractDifference.compare(expected: schema, found: SchemaDescription())
      #expect(found.map(\.object) == expected)
    }
  }
}

extension ContractDifference {
  /// A readable list as one text; empty when there are no differences.
  fileprivate static func diff(_ differences: [ContractDifference]) -> String {
    lines(for: differences).map { $0 + "\n" }.joined()
  }
}
