// SPDX-License-Identifier: Apache-2.0
// Does every index hold exactly the keys of its table?

import SQLiteFormat

/// No row depends on an index: whatever is wrong with one weighs no more than damage.
enum IndexCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    survey.trees.filter { $0.entry.kind == .index }.compactMap { index in
      guard index.isSound else { return damaged(index) }
      guard let table = survey.tree(named: index.entry.table), table.isReadable,
        let message = contradiction(between: index, and: table, survey)
      else { return nil }
      return Finding(.indexMismatch, message, at: .init(object: index.entry.name.text))
    }
  }

  /// What an index says otherwise than its table, in words; nil where they agree as far as can be
  /// told.
  private static func contradiction(
    between index: TreeSurvey, and table: TreeSurvey, _ survey: Survey
  ) -> String? {
    let name = index.entry.name
    if table.computed?.failedIndexes.contains(name) == true {
      return "SQLite cannot compute the key of each row for index '\(name)'"
    }
    guard disagree(index, table, survey) else { return nil }
    let difference = index.records - table.records
    return switch difference {
    case 0: "index '\(name)' holds other keys than its table"
    case 1...: "index '\(name)' names \(counted(difference, "row")) that the table lacks"
    default: "index '\(name)' lacks \(counted(-difference, "row")) of its table"
    }
  }

  /// Whether an index holds other entries than its table implies; of one whose keys only SQLite can
  /// compute, whether it has another number of them than the table has rows.
  private static func disagree(
    _ index: TreeSurvey, _ table: TreeSurvey, _ survey: Survey
  ) -> Bool {
    let name = index.entry.name
    if let expected = table.expectedKeys[name] ?? table.computed?.partialKeys[name] {
      return expected != index.keys
    }
    let description = survey.schema?.parsed.index(named: name, of: table.entry.name)
    guard let description, description.predicate == nil else { return false }
    return index.records != table.records
  }

  private static func damaged(_ index: TreeSurvey) -> Finding {
    let first = TreeCheck.faults(of: CheckedTree(tree: index)).first
    return Finding(
      .indexDamaged,
      "index '\(index.entry.name)' is damaged: \(first?.message ?? "its root cannot be read")",
      at: .init(page: first?.place.page ?? index.root, object: index.entry.name.text))
  }
}
