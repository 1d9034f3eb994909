// SPDX-License-Identifier: Apache-2.0
// Pages that no row was read from: not understood, or not anybody's.

public import SQLiteFormat

/// A page that no row was read from and that may hold some.
public struct StrayPage: Sendable {
  /// Why no row was read from a page.
  public enum Reason: String, Sendable {
    /// No tree, list or map leads to it.
    case unclaimed
    /// A tree leads to it, and it cannot be a page of that tree.
    case unreadable
  }

  /// The page.
  public let page: PageNumber
  /// What it looks like: a kind of b-tree page, `zero` or `unknown`.
  public let kind: String
  /// How many cells it says it has; nil for what is no b-tree page.
  public let cellCount: Int?
  /// The tables and indexes that may own it.
  public let candidates: [String]
  /// Why no row was read from it.
  public let reason: Reason
  /// What is known of it, in words.
  public let evidence: String
}

extension Survey {
  /// The most tables that are named for a page.
  private static let candidatesMax = 8

  /// The pages that no row was read from, in order; of a tree's broken ones, those that the
  /// survey keeps.
  public var strayPages: [StrayPage] {
    var faults: [PageNumber: (owner: String, problem: FormatError.Problem)] = [:]
    for tree in trees {
      for fault in tree.pageFaults.first {
        guard let page = fault.page, faults[page] == nil else { continue }
        faults[page] = (tree.entry.name, fault.problem)
      }
    }
    var pages = unclaimed.filter { placed[$0.page] == nil }.map { unclaimed in
      strayPage(unclaimed, faults.removeValue(forKey: unclaimed.page))
    }
    for (page, fault) in faults {
      let content = image.flatMap { try? $0.btreePage(page) }
      pages.append(
        StrayPage(
          page: page, kind: content?.kind.description ?? "unknown", cellCount: content?.cellCount,
          candidates: [fault.owner], reason: .unreadable, evidence: "\(fault.problem)"))
    }
    return pages.sorted { $0.page < $1.page }
  }

  private func strayPage(
    _ unclaimed: UnclaimedPage, _ fault: (owner: String, problem: FormatError.Problem)?
  ) -> StrayPage {
    let page = unclaimed.page
    let (kind, cells): (String, Int?) =
      switch unclaimed.content {
      case .zero: ("zero", nil)
      case .btree(let kind, let cells): (kind.description, cells)
      case .unknown: ("unknown", nil)
      }
    if let fault {
      return StrayPage(
        page: page, kind: kind, cellCount: cells, candidates: [fault.owner], reason: .unreadable,
        evidence: "\(fault.problem)")
    }
    let tables = unclaimed.content.isTableLeaf ? tablesFitting(page) : []
    return StrayPage(
      page: page, kind: kind, cellCount: cells, candidates: tables, reason: .unclaimed,
      evidence: tables.isEmpty
        ? "nothing leads to it"
        : "nothing leads to it; its rows have the shape of these tables")
  }

  /// The tables whose columns every row of a leaf page can have.
  private func tablesFitting(_ number: PageNumber) -> [String] {
    guard let image, let schema, let page = try? image.btreePage(number) else { return [] }
    let records = image.cells(of: page).cells.compactMap {
      (try? image.record(of: $0, on: page))?.record
    }
    guard !records.isEmpty else { return [] }
    let tables = schema.parsed.description.tables.filter { table in
      guard table.kind != .virtual, !table.withoutRowID,
        let shape = schema.shape(ofTable: table.name)
      else { return false }
      return records.allSatisfy { shape.fits($0) && !shape.isMistyped($0) }
    }
    return tables.prefix(Self.candidatesMax).map(\.name)
  }
}

extension UnclaimedPage.Content {
  fileprivate var isTableLeaf: Bool {
    if case .btree(.tableLeaf, _) = self { true } else { false }
  }
}
