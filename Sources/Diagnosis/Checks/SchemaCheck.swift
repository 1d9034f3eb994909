// SPDX-License-Identifier: Apache-2.0
// The schema table: can it be read, and is every statement in it a declaration?

import SQLiteFormat

enum SchemaCheck: Check {
  static func findings(in survey: Survey) -> [Finding] {
    guard let schema = survey.schema else { return [] }
    guard !survey.hasHeadOfAnother else {
      return [
        Finding(
          .headOfAnother, "the header and the schema are those of another database",
          at: .init(page: .first, offset: 0))
      ] + statements(schema)
    }
    return table(schema) + rows(schema) + statements(schema) + texts(schema)
      + roots(schema, survey)
  }

  private static func table(_ schema: SchemaSurvey) -> [Finding] {
    let tree = schema.tree
    var findings: [Finding] = []
    for fault in tree.pageFaults.first + tree.cellFaults.first + tree.misplaced.first {
      findings.append(
        Finding(
          .schemaDamaged, "the schema table is damaged: \(fault.problem)",
          at: .init(page: fault.page, offset: fault.offset, object: "sqlite_schema")))
    }
    for fault in tree.layoutFaults.first {
      findings.append(
        Finding(
          .freeSpaceDamaged, "a page of the schema table does not use each byte exactly once",
          at: .init(page: fault.page, offset: fault.offset, object: "sqlite_schema")))
    }
    for fault in schema.misfits.first {
      findings.append(
        Finding(
          .schemaDamaged, "a row of the schema table declares nothing",
          at: .init(page: fault.page, offset: fault.offset, object: "sqlite_schema")))
    }
    return findings
  }

  private static func rows(_ schema: SchemaSurvey) -> [Finding] {
    schema.rowFaults.map { fault in
      Finding(
        .schemaDamaged, "SQLite refuses the schema row of '\(fault.name)': \(fault.reason)",
        at: .init(object: fault.name.text), severity: .damage)
    }
  }

  /// Names and statements whose bytes are no text: SQLite does not mind them.
  private static func texts(_ schema: SchemaSurvey) -> [Finding] {
    schema.entriesWithoutText.map { entry in
      Finding(
        .textInvalid, schema.remark(onTextOf: entry), at: .init(object: entry.name.text))
    }
  }

  private static func statements(_ schema: SchemaSurvey) -> [Finding] {
    schema.parsed.refused.map { refused in
      let place = Finding.Place(object: refused.name.text)
      return switch refused.weight {
      case .noDeclaration:
        Finding(
          .schemaHostile,
          "the SQL of '\(refused.name)' is not the declaration that its row says: \(refused.reason)",
          at: place)
      case .unreadable:
        Finding(
          .schemaSQLUnreadable, "the SQL of '\(refused.name)' does not parse: \(refused.reason)",
          at: place)
      case .unchecked:
        Finding(
          .schemaSQLUnreadable, "the SQL of '\(refused.name)' was not checked: \(refused.reason)",
          at: place, severity: .warning)
      }
    }
  }

  private static func roots(_ schema: SchemaSurvey, _ survey: Survey) -> [Finding] {
    survey.trees.compactMap { tree in
      guard tree.entry.kind == .table, tree.pages == 0, let fault = tree.pageFaults.first.first
      else { return nil }
      return Finding(
        .rootLost, "the root of table '\(tree.entry.name)' cannot be read: \(fault.problem)",
        at: .init(page: tree.root, object: tree.entry.name.text),
        severity: survey.loss(of: tree) == .none ? .damage : nil)
    }
  }
}
