// SPDX-License-Identifier: Apache-2.0
// What is told of a contract that was made, and of what leads from one to another.

package import Diagnosis

/// A contract that was written to a file.
package struct ContractAnswer: CommandAnswer {
  private let type: String
  private let contract: Contract
  private let output: FilePath

  /// Makes the answer of a contract; `type` is that of the document.
  package init(_ type: String, _ contract: Contract, at output: FilePath) {
    self.type = type
    self.contract = contract
    self.output = output
  }

  private var tableCount: Int { contract.objects.tables.count }

  package var document: JSON {
    .document(
      type,
      [
        "output": .string(output.description),
        "userVersion": .integer(Int(contract.userVersion)),
        "tableCount": .integer(tableCount),
        "notes": .array(contract.notes.map { .string($0) }),
      ])
  }

  package var lines: [AnswerLine] {
    [
      .result("\(output)"),
      .note("version \(contract.userVersion), \(Quantity.count(tableCount, "table"))"),
    ] + contract.notes.map { .note("\($0)") }
  }
}

extension SchemaChange: CommandAnswer {
  package var exitStatus: Int32 { isEmpty ? 0 : Verdict.drifted.exitStatus }

  package var document: JSON {
    get throws(RescueError) {
      let sql = statements.map { $0 + ";" }.joined(separator: "\n")
      return .document(
        "contract-diff", exit: exitStatus,
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

  package var lines: [AnswerLine] {
    var lines: [AnswerLine] = text.map { .pasted($0) }
    if !isExactlyShown {
      lines.append(
        .warning("the statements hold characters that are not shown: --json has them"))
    }
    if isEmpty { lines.append(.note("no difference in the schema")) }
    return lines
  }
}
