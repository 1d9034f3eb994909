// SPDX-License-Identifier: Apache-2.0
// Rows that do not keep to the schema that they are under, as differences from what is expected.

import SQLiteFormat

extension Survey {
  /// What rows and full-text indexes do not keep to, under a schema that may be the right one.
  func brokenRules(
    _ modules: [ModuleVerdict], besides ignored: Set<Name>
  ) -> [ContractDifference] {
    trees.filter { !ignored.contains($0.entry.table) }.flatMap { rules(of: $0) }
      + modules.filter { !ignored.contains($0.table) }.compactMap(words)
  }

  private func rules(of tree: TreeSurvey) -> [ContractDifference] {
    let name = tree.entry.name.text
    func broken(
      _ subject: ContractDifference.Subject, _ expected: String, _ count: Int, _ what: String,
      in column: Name? = nil
    ) -> [ContractDifference] {
      guard count > 0 else { return [] }
      return [
        ContractDifference(
          .broken, subject, column.map { "\(name).\($0)" } ?? name, expected: expected,
          found: "\(counted(count, "row")) \(what)",
          mend: .none(because: "only who knows the rows can say what they should hold"))
      ]
    }
    guard tree.entry.kind == .index else {
      let isStrict = schema?.table(named: tree.entry.name)?.strict == true
      let types = isStrict ? tree.mistyped.count + tree.mistypedDefaults.count : 0
      let checks = tree.computed?.brokenChecks ?? [:]
      // A column that has no value for a row keeps to no rule, and has no condition.
      let others = (tree.computed?.broken.count ?? 0) - checks.values.reduce(0, +)
      return tree.nullCounts.sorted { $0.key < $1.key }
        .flatMap { broken(.column, "NOT NULL", $0.value, "with NULL", in: $0.key) }
        + checks.sorted { $0.key < $1.key }
        .flatMap { broken(.check, $0.key, $0.value, "breaking it") }
        + broken(.check, "CHECK", others, "breaking it")
        + broken(.options, "STRICT", types, "with values of other types")
    }
    let index = schema?.parsed.index(named: tree.entry.name, of: tree.entry.table)
    guard let index, index.unique else { return [] }
    return broken(.index, "UNIQUE", tree.misplaced.count, "whose keys are not in their place")
  }

  private func words(_ verdict: ModuleVerdict) -> ContractDifference? {
    guard let table = virtualTables.first(where: { $0.name == verdict.table }), table.isFullText
    else { return nil }
    switch verdict.outcome {
    case .sound, .unchecked: return nil
    case .stale, .damaged: break
    }
    let name = table.name.quotedIdentifier
    return ContractDifference(
      .broken, .fullText, table.name.text,
      expected: "the words of '\(table.contentTable ?? table.name)'", found: "others",
      mend: table.hasTexts
        ? .statement("INSERT INTO \(name) (\(name)) VALUES ('rebuild')")
        : .none(because: "its texts are kept nowhere"))
  }
}
