// SPDX-License-Identifier: Apache-2.0
// Is every statement of the schema a declaration that SQLite can parse, and text?

import SQLiteFormat

enum StatementCheck: Check {
  static func findings(in reconstruction: Reconstruction) -> [Finding] {
    let survey = reconstruction.survey
    guard let schema = survey.schema else { return [] }
    return schema.parsed.refused.map { finding(of: $0, in: reconstruction, schema) }
      + (survey.hasHeadOfAnother ? [] : texts(schema))
  }

  private static func finding(
    of refused: RefusedStatement, in reconstruction: Reconstruction, _ schema: SchemaSurvey
  ) -> Finding {
    let place = schema.place(of: refused.name)
    return switch refused.weight {
    case .noDeclaration:
      Finding(
        .schemaHostile,
        "the SQL of '\(refused.name)' is not the declaration that its row says: \(refused.reason)",
        at: place)
    case .unreadable:
      Finding(
        .schemaSQLUnreadable, "the SQL of '\(refused.name)' does not parse: \(refused.reason)",
        at: place, severity: reconstruction.hasRowsWithoutStatement(refused.name) ? .loss : .damage)
    case .refuted:
      Finding(
        .schemaSQLUnreadable, "the SQL of '\(refused.name)' is damaged: \(refused.reason)",
        at: place)
    case .unchecked:
      Finding(
        .schemaSQLUnreadable, "the SQL of '\(refused.name)' was not checked: \(refused.reason)",
        at: place, severity: .warning)
    }
  }

  /// Names and statements whose bytes are no text: SQLite does not mind them.
  private static func texts(_ schema: SchemaSurvey) -> [Finding] {
    schema.entriesWithoutText.map { entry in
      Finding(.textInvalid, schema.remark(onTextOf: entry), at: schema.place(of: entry.name))
    }
  }
}

extension Reconstruction {
  /// Whether a table has rows, and nothing tells what they mean.
  fileprivate func hasRowsWithoutStatement(_ name: Name) -> Bool {
    guard let tree = survey.tree(named: name), tree.entry.kind == .table,
      tree.records + recordsRegained(by: tree) > 0
    else { return false }
    return survey.schema?.parsed.table(named: name) == nil
  }
}
