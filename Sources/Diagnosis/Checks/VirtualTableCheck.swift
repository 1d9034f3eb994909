// SPDX-License-Identifier: Apache-2.0
// The tables in which virtual tables are kept: do they hold what their modules look for?

import SQLiteFormat

enum VirtualTableCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    survey.virtualTables.flatMap { table in
      survey.faults(of: table).map { finding(of: $0, table, survey) }
    }
  }

  private static func finding(
    of fault: VirtualTableFault, _ table: VirtualTable, _ survey: Survey
  ) -> Finding {
    var place = Finding.Place(object: table.name.text)
    if case .rowsDamaged(_, let faults) = fault, let first = faults.first.first {
      place.page = first.page
      place.offset = first.offset
    }
    let (code, severity) = weight(of: fault, table, survey)
    return Finding(code, words(for: fault, table), at: place, severity: severity)
  }

  /// What of a virtual table cannot be computed again is lost.
  private static func weight(
    of fault: VirtualTableFault, _ table: VirtualTable, _ survey: Survey
  ) -> (FindingCode, Finding.Severity?) {
    if case .misshapen = fault { return (.virtualTableUnreadable, nil) }
    guard table.isFullText else {
      // What whole nodes do not hold is only noted.
      if case .nodesDiffer(missing: 0) = fault, survey.hasWholeNodes(table.name.text) {
        return (.regionsDamaged, .damage)
      }
      return (.regionsDamaged, nil)
    }
    if case .partMissing(let part) = fault, part == table.part("content")?.name {
      return (.fullTextContentLost, nil)
    }
    if case .textsLost = fault { return (.fullTextContentLost, nil) }
    return (.fullTextDamaged, survey.keepsTexts(of: table) ? nil : .loss)
  }

  private static func words(for fault: VirtualTableFault, _ table: VirtualTable) -> String {
    let name = table.name
    return switch fault {
    case .partMissing(let part): "the table '\(part)', in which '\(name)' is kept, is not there"
    case .misshapen(let part):
      "the table '\(part)', in which '\(name)' is kept, has other columns than SQLite looks for"
    case .rowsDamaged(let part, let faults):
      "\(counted(faults.count, "row")) of '\(part)', in which '\(name)' is kept, cannot be right"
    case .structureLost: "the record of what the full-text index '\(name)' consists of is gone"
    case .segmentsLost(let count):
      "pages are missing in \(counted(count, "segment")) of the full-text index '\(name)'"
    case .segmentsUnnamed:
      "the full-text index '\(name)' has pages of a segment that it does not name"
    case .pageTermsLost(let count):
      "\(counted(count, "segment")) of the full-text index '\(name)' cannot be searched for words"
    case .formatUnknown: "the format of the full-text index '\(name)' is none that SQLite knows"
    case .countsDiffer: "the full-text index '\(name)' counts other rows than it has"
    case .textsLost(let count):
      "\(counted(count, "row")) that the full-text index '\(name)' has \(count == 1 ? "is" : "are") "
        + "not in its table"
    case .indexEmpty: "the rows of '\(name)' have words, and its full-text index has none"
    case .rowsUnnoted(let count):
      "\(counted(count, "row")) of '\(name)' have lost what they held besides coordinates"
    case .nodesDiffer(missing: 0): "the nodes of '\(name)' hold other rows than are noted of it"
    case .nodesDiffer(let missing):
      "the nodes of '\(name)' lack \(counted(missing, "entry", "entries")) that are noted of it"
    }
  }
}

extension Survey {
  /// Whether the texts of a full-text table are kept somewhere: by itself, or in the table that it
  /// names.
  func keepsTexts(of table: VirtualTable) -> Bool {
    if let content = table.part("content") { return treePlaces[content.name] != nil }
    return table.contentTable != nil
  }
}
