// SPDX-License-Identifier: Apache-2.0
// Pages that no row was read from: not understood, or not anybody's.

package import SQLiteFormat

/// A page that no row was read from and that may hold some.
package struct UnreadPage: Sendable {
  /// Why no row was read from a page.
  package enum Reason: String, Sendable {
    /// No tree, list or map leads to it.
    case unclaimed
    /// A tree leads to it, and it cannot be a page of that tree.
    case unreadable
  }

  /// The page.
  package let page: PageNumber
  /// What it looks like: a kind of b-tree page, `zero` or `unknown`.
  package let kind: String
  /// How many cells it says it has; nil for what is no b-tree page.
  package let cellCount: Int?
  /// The tables and indexes that may own it.
  package let candidates: [Name]
  /// Why no row was read from it.
  package let reason: Reason
  /// What is known of it, in words.
  package let evidence: String
}

extension Reconstruction {
  /// The most tables that are named for a page.
  private static let candidatesMax = 8

  /// The pages that no row was read from, in order; of a tree's broken ones, those that the
  /// survey keeps.
  package var unreadPages: [UnreadPage] {
    var faults: [PageNumber: (owner: Name, problem: FormatError.Problem)] = [:]
    for tree in survey.trees {
      for fault in tree.pageFaults.first {
        guard let page = fault.page, faults[page] == nil else { continue }
        faults[page] = (tree.entry.name, fault.problem)
      }
    }
    let placed = reassembly.placedPages
    let candidates = Dictionary(
      reassembly.orphans.map { ($0.page, $0.candidates) }, uniquingKeysWith: { first, _ in first })
    var pages = survey.unclaimed.filter { !placed.contains($0.page) }.map { unclaimed in
      unreadPage(
        unclaimed, faults.removeValue(forKey: unclaimed.page), candidates[unclaimed.page] ?? [])
    }
    for (page, fault) in faults {
      let content = survey.image.flatMap { try? $0.btreePage(page) }
      pages.append(
        UnreadPage(
          page: page, kind: content?.kind.description ?? "unknown", cellCount: content?.cellCount,
          candidates: [fault.owner], reason: .unreadable, evidence: "\(fault.problem)"))
    }
    return pages.sorted { $0.page < $1.page }
  }

  private func unreadPage(
    _ unclaimed: UnclaimedPage, _ fault: (owner: Name, problem: FormatError.Problem)?,
    _ candidates: [Int]
  ) -> UnreadPage {
    let page = unclaimed.page
    let (kind, cells): (String, Int?) =
      switch unclaimed.content {
      case .zero: ("zero", nil)
      case .btree(let kind, let cells): (kind.description, cells)
      case .unknown: ("unknown", nil)
      }
    if let fault {
      return UnreadPage(
        page: page, kind: kind, cellCount: cells, candidates: [fault.owner], reason: .unreadable,
        evidence: "\(fault.problem)")
    }
    let tables = candidates.prefix(Self.candidatesMax).map { survey.trees[$0].entry.name }
    return UnreadPage(
      page: page, kind: kind, cellCount: cells, candidates: tables, reason: .unclaimed,
      evidence: tables.isEmpty
        ? "nothing leads to it"
        : "nothing leads to it; its rows have the shape of these tables")
  }
}
