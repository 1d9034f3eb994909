// SPDX-License-Identifier: Apache-2.0
// Can the schema table be read, is it this database's, and does every row of it declare something?

import SQLiteFormat

enum SchemaTableCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    guard let schema = survey.schema else { return [] }
    guard !survey.hasHeadOfAnother else {
      return [
        Finding(
          .headOfAnother, "the header and the schema are those of another database",
          at: .init(page: .first, offset: 0))
      ]
    }
    return tree(schema.tree, survey) + misfits(schema, survey) + rows(schema) + statements(schema)
  }

  private static func tree(_ tree: TreeSurvey, _ survey: Survey) -> [Finding] {
    let checked = CheckedTree(tree: tree, survey: survey)
    return [tree.pageFaults, tree.cellFaults, tree.misplaced].flatMap { faults in
      checked.findings(faults) { fault in
        (.schemaDamaged, "the schema table is damaged: \(fault.problem)")
      }
    }
      + tree.layoutFaults.first.map { fault in
        Finding(
          .freeSpaceDamaged, "a page of the schema table does not use each byte exactly once",
          at: checked.place(of: fault))
      }
  }

  private static func misfits(_ schema: SchemaSurvey, _ survey: Survey) -> [Finding] {
    CheckedTree(tree: schema.tree, survey: survey).findings(schema.misfits) { _ in
      (.schemaDamaged, "a row of the schema table declares nothing")
    }
  }

  /// Rows because of which SQLite refuses the whole file, and those with a wrong letter.
  private static func rows(_ schema: SchemaSurvey) -> [Finding] {
    schema.rowFaults.map { fault in
      let start = fault.isRefused ? "SQLite refuses" : "a letter is wrong in"
      return Finding(
        .schemaDamaged, "\(start) the schema row of '\(fault.name)': \(fault.reason)",
        at: schema.place(of: fault.name), severity: .damage)
    }
  }

  /// Indexes whose statement is not valid text, though all that it can name is: SQLite takes a name
  /// that no column has for a value, and finds no row in the index.
  private static func statements(_ schema: SchemaSurvey) -> [Finding] {
    func isText(_ text: String?) -> Bool { text.map { !TextEncoding.hasStandIn($0) } ?? false }
    return schema.entriesWithoutText.filter { entry in
      entry.kind == .index && isText(entry.name.text)
        && isText(schema.table(named: entry.table)?.sql)
    }.map { entry in
      Finding(
        .schemaDamaged,
        "the statement of index '\(entry.name)' is not valid \(schema.encoding.name), and its table "
          + "and all columns are", at: schema.place(of: entry.name), severity: .damage)
    }
  }
}
