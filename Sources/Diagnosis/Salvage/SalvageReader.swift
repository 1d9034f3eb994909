// SPDX-License-Identifier: Apache-2.0
// Every row that the bytes of a file set hold, table by table, with the evidence for it.

public import SQLiteFormat

/// The reading side of a salvage: which bytes are rows, and whose.
public struct SalvageReader: Sendable {
  private let survey: Survey
  private let image: Image

  /// Makes a reader; nil when the survey found no database.
  public init?(_ survey: Survey) {
    guard let image = survey.image else { return nil }
    self.survey = survey
    self.image = image
  }

  /// The tables that the file names, in the order in which they are read.
  public var tables: [TreeSurvey] {
    survey.trees.filter { $0.entry.kind == .table }
  }

  /// Reads the rows of one table, in the order of its tree.
  ///
  /// `claims` carries what earlier tables own from one call to the next.
  public func read(
    _ table: TreeSurvey, _ claims: inout PageClaims, _ body: (SalvagedItem) throws -> Void
  ) rethrows {
    let name = table.entry.name
    // Where indexes prove that every row is there once, a wrong place casts no doubt on it.
    let isProven = survey.isOnlyMisplaced(table)
    // Leaves that the tree has lost come after it, each as a tree of its own.
    for root in [table.root] + survey.pagesRegained(by: table) {
      var scan = TreeScan(
        image, root: root, isTable: table.isRowIDTable, owner: Survey.firstTreeOwner)
      var page: BTreePage?
      try scan.run(&claims) { event in
        switch event {
        case .page(let visit): page = visit.page
        case .record(let stored): try body(.row(table: name, stored))
        case .misplaced(let stored):
          try body(
            isProven ? .row(table: name, stored) : .doubtful(table: name, stored, .misplaced))
        case .cellFault(let error):
          let rest = page.flatMap { image.partialRow(for: error, on: $0) }
          try body(rest.map { .partial(table: name, $0) } ?? .lostCell(table: name, error))
        case .pageFault(let error, _): try body(.lostPage(table: name, error))
        }
        return true
      }
    }
  }

  /// Reads the rows of leaf pages that no tree leads to and whose table is not proven.
  public func readOrphans(
    _ claims: inout PageClaims, _ body: (SalvagedItem) throws -> Void
  ) rethrows {
    for unclaimed in survey.unclaimed {
      guard case .btree(.tableLeaf, _) = unclaimed.content, survey.placed[unclaimed.page] == nil
      else { continue }
      var scan = TreeScan(
        image, root: unclaimed.page, isTable: true, owner: Survey.firstTreeOwner)
      try scan.run(&claims) { event in
        switch event {
        case .record(let stored), .misplaced(let stored):
          try body(.doubtful(table: nil, stored, .orphan))
        case .page, .cellFault, .pageFault: break
        }
        return true
      }
    }
  }

  /// Claims with which a reading starts: pages that cannot hold rows are taken.
  public var startingClaims: PageClaims {
    var claims = PageClaims(pageCount: image.pageCount)
    for page in image.pages {
      if let owner = survey.claims.owner(of: page),
        owner == Survey.schemaOwner || owner == Survey.reservedOwner
      {
        _ = claims.claim(page, for: owner)
      }
    }
    return claims
  }
}
