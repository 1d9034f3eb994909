// SPDX-License-Identifier: Apache-2.0
// Does every index hold exactly the keys of its table?

import SQLiteFormat

enum IndexCheck: Check {
  static func findings(in survey: Survey) -> [Finding] {
    survey.trees.filter { $0.entry.kind == .index }.flatMap { index in
      let place = Finding.Place(object: index.entry.name.text)
      guard index.isSound else { return damaged(index) }
      guard let table = survey.tree(named: index.entry.table), table.isReadable else { return [] }
      if table.computed?.failedIndexes.contains(index.entry.name) == true {
        return [
          Finding(
            .indexMismatch,
            "SQLite cannot compute the key of each row for index '\(index.entry.name)'", at: place)
        ]
      }
      guard disagree(index, table, survey) else { return [] }
      let difference = index.records - table.records
      let message =
        switch difference {
        case 0: "index '\(index.entry.name)' holds other keys than its table"
        case 1...:
          "index '\(index.entry.name)' names \(counted(difference, "row")) that the table lacks"
        default: "index '\(index.entry.name)' lacks \(counted(-difference, "row")) of its table"
        }
      return [Finding(.indexMismatch, message, at: place)]
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

  /// No row depends on an index: whatever is wrong with one weighs no more than damage.
  private static func damaged(_ index: TreeSurvey) -> [Finding] {
    let faults = TreeCheck.faults(of: index)
    let first = faults.first?.message ?? "its root cannot be read"
    return [
      Finding(
        .indexDamaged, "index '\(index.entry.name)' is damaged: \(first)",
        at: .init(page: faults.first?.place.page ?? index.root, object: index.entry.name.text))
    ]
  }
}
