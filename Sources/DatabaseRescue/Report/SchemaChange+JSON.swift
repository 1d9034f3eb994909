// SPDX-License-Identifier: Apache-2.0
// What leads from one contract to another, as JSON.

extension SchemaChange {
  /// The change as JSON.
  package var document: JSON {
    get throws(RescueError) {
      let sql = statements.map { $0 + ";" }.joined(separator: "\n")
      return .document(
        "contract-diff",
        [
          "differences": try .list(differences.map { ReportedDifference($0) }),
          "sql": sql.isEmpty ? nil : .string(sql),
          "warnings": .array(warnings.map { .string($0) }),
          "versions": .members([
            "found": .integer(Int(versions.old)), "expected": .integer(Int(versions.new)),
          ]),
        ])
    }
  }
}
