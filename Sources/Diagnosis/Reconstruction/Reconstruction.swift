// SPDX-License-Identifier: Apache-2.0
// All that is known of a database, damaged or not, in one value: what its bytes say, and what was
// put together again of its damaged trees.

import SQLiteFormat

/// A survey, with what was put together again of its damaged trees: all that losses, gaps, checks
/// and the salvage go by.
package struct Reconstruction: Sendable {
  /// What the bytes say.
  package let survey: Survey
  /// Which page is whose, and what stays without an owner.
  package let reassembly: Reassembly
  /// Where overflow chains go on whose links are broken.
  let chains: ChainRepair
  /// What is kept of its damaged pages.
  let memory = PageMemory()
  /// The tables that seem whole, and of which pages can be that no table leads to, as positions
  /// among the trees.
  private let mayMissRows: Set<Int>
  /// The tables that lack rows which what is left of damaged indexes names.
  private let areShortOfNamedRows: Set<Int>
  /// The trees with pages that may be free.
  private let haveFreePages: Set<Int>
}

extension Reconstruction {
  /// Puts together what is in doubt of a survey.
  package init(_ survey: Survey, knownPages: KnownPages? = nil) {
    self.survey = survey
    let damagedIndexes = survey.damagedIndexes
    areShortOfNamedRows = damagedIndexes.short
    haveFreePages = survey.treesWithFreePages
    guard let doubt = Doubtful(survey, memory, contradicted: damagedIndexes.contradicted) else {
      (reassembly, chains, mayMissRows) = (Reassembly(), ChainRepair(), [])
      return
    }
    reassembly = Reassembly(of: doubt, knownPages: knownPages)
    chains = ChainRepair(of: doubt, reassembly)
    mayMissRows = doubt.tablesThatMayMiss(reassembly.orphans)
  }

  /// The pages of a table that was put together again; nil when its own root leads to its rows.
  func assignment(of table: TreeSurvey) -> Reassembly.Assignment? {
    survey.position(of: table).flatMap { reassembly.assignments[$0] }
  }

  /// Whether a table that seems whole may miss rows: those of pages that no table leads to.
  func mayMissRows(_ table: TreeSurvey) -> Bool {
    survey.position(of: table).map(mayMissRows.contains) ?? false
  }

  /// Whether a table that seems whole lacks rows that what is left of a damaged index names.
  func isShortOfNamedRows(_ table: TreeSurvey) -> Bool {
    survey.position(of: table).map(areShortOfNamedRows.contains) ?? false
  }

  /// Whether rows of a table that seems whole may be deleted ones: a free list has pages of it.
  func mayHaveDeletedRows(_ table: TreeSurvey) -> Bool {
    survey.position(of: table).map(haveFreePages.contains) ?? false
  }

  /// How many records lie on pages that a tree has lost and that were given back to it.
  package func recordsRegained(by tree: TreeSurvey) -> Int {
    guard let rows = survey.position(of: tree).flatMap({ reassembly.rows(of: $0) }) else {
      return 0
    }
    return max(0, rows - tree.records - tree.misplaced.count)
  }

  /// Whether there are rows whose table may be one that the schema has lost.
  package var hasUnnamedRows: Bool {
    survey.schema?.isWhole != true && rowsWithoutTable.rows > 0
  }

  /// What is said of tables that have changed places, unless their indexes have.
  package var undecidedTables: [String] {
    reassembly.undecided.map { names in
      "\(names.map { "'\($0)'" }.joined(separator: " and ")) have changed places, or their indexes "
        + "have: nothing tells which, and each may have the rows of the other"
    }
  }

  /// The pages with rows whose table is not proven, and how many rows they have.
  var rowsWithoutTable: (pages: Int, rows: Int) {
    let orphans = reassembly.orphans
    return (orphans.count, orphans.reduce(0) { $0 + $1.rows })
  }
}
