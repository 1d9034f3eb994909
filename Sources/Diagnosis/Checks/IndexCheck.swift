// SPDX-License-Identifier: Apache-2.0
// Does every index hold exactly the keys of its table?

import SQLiteFormat

/// No row depends on an index: whatever is wrong with one weighs no more than damage, unless it names
/// rows that its table lacks.
enum IndexCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    survey.trees.filter { $0.entry.kind == .index }.compactMap { index in
      guard index.isSound else { return damaged(index, survey) }
      guard let table = survey.tree(named: index.entry.table), table.isReadable,
        let (message, severity) = contradiction(between: index, and: table, survey)
      else { return nil }
      return Finding(
        .indexMismatch, message,
        at: .init(page: pageInCommon(of: index, survey), object: index.entry.name.text),
        severity: severity)
    }
  }

  /// The page on which all lies that an index and its table have without each other.
  ///
  /// It is an index leaf that lacks what rows of many pages need, or a leaf of the table whose rows
  /// entries of many pages do not know: that one is of another moment, and not all of the others.
  private static func pageInCommon(of index: TreeSurvey, _ survey: Survey) -> PageNumber? {
    guard let pages = MissingPartners(of: index, in: survey, upTo: pairsMax)?.pages,
      let first = pages.first
    else { return nil }
    func partners(of page: PageNumber) -> Int {
      Set(pages.map { $0.0 == page ? $0.1 : $0.0 }).count
    }
    return [first.0, first.1].first { page in
      pages.allSatisfy { $0.0 == page || $0.1 == page } && partners(of: page) >= partnersMin
    }
  }

  /// How many rows and entries without each other are looked at.
  private static let pairsMax = 1 << 12
  /// How many other pages prove that it is not they which are of another moment.
  private static let partnersMin = 3

  /// What an index says otherwise than its table, in words, and how much that weighs; nil where they
  /// agree as far as can be told.
  private static func contradiction(
    between index: TreeSurvey, and table: TreeSurvey, _ survey: Survey
  ) -> (message: String, Finding.Severity)? {
    let name = index.entry.name
    if table.computed?.failedIndexes.contains(name) == true {
      return ("SQLite cannot compute the key of each row for index '\(name)'", .damage)
    }
    guard survey.disagree(index, table) else { return nil }
    // How many rows a partial index should have is no number of the table's.
    let isPartial = table.computed?.partialKeys[name] != nil
    let difference = isPartial ? 0 : index.records - table.records
    return switch difference {
    case 0: ("index '\(name)' holds other keys than its table", .damage)
    case 1...:
      (
        "index '\(name)' names \(counted(difference, "row")) that the table lacks",
        survey.indexesOfOthers.contains(name) ? .damage : .loss
      )
    default: ("index '\(name)' lacks \(counted(-difference, "row")) of its table", .damage)
    }
  }

  private static func damaged(_ index: TreeSurvey, _ survey: Survey) -> Finding {
    let first = TreeCheck.faults(of: CheckedTree(tree: index, survey: survey)).first
    let name = index.entry.name
    return Finding(
      .indexDamaged,
      survey.hasNothingButSameKeys(index)
        ? "index '\(name)' is UNIQUE, and rows of '\(index.entry.table)' have the same key by it: its "
          + "entries lie in their places, but it cannot be built anew while they do"
        : "index '\(name)' is damaged: \(first?.message ?? "its root cannot be read")",
      at: .init(page: first?.place.page ?? index.root, object: index.entry.name.text))
  }
}

extension Survey {
  /// Whether all that is wrong with an index is that entries have a key which is to be unique, as have
  /// the rows of its table.
  package func hasNothingButSameKeys(_ index: TreeSurvey) -> Bool {
    let faults = [index.misplaced, index.misplacedBetween].flatMap(\.first)
    return !faults.isEmpty && faults.allSatisfy { $0.problem == .keyTwice }
      && [index.pageFaults, index.cellFaults, index.layoutFaults, index.unevenLeaves]
        .allSatisfy(\.isEmpty)
      && !isAtOdds(index)
  }
}
