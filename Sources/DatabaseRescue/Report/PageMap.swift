// SPDX-License-Identifier: Apache-2.0
// Which page of a database belongs to what, as few enough cells to draw.

import Diagnosis
import SQLiteFormat

/// Which page of a database belongs to what, as few enough cells to draw.
package struct PageMap: Hashable, Sendable {
  /// What a page belongs to; where several pages share a cell, what is drawn of them.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A table.
    case table
    /// An index.
    case index
    /// The schema, or SQLite's own books.
    case system
    /// The list of unused pages.
    case free
    /// Nothing that is known: left over, or cut off from its owner.
    case unowned
    /// Beyond the end of a file that was cut.
    case missing
    /// Something that it does not fit, or it is broken.
    case damaged
  }

  /// Some pages in a row, drawn as one.
  struct Cell: Hashable, Sendable {
    let kind: Kind
    /// The table or index, by position in ``owners``; nil where there is none, or several.
    let owner: Int?
  }

  /// The most cells.
  static let cellLimit = 4000

  /// How many pages of each kind there are.
  package let counts: [Kind: Int]
  /// How many pages share a cell.
  package let pagesPerCell: Int
  /// How many pages there are, missing ones included.
  package let pageCount: Int
  /// The cells, in the order of the pages.
  let cells: [Cell]
  /// The names of tables and indexes.
  let owners: [String]

  /// Maps the pages of a survey; nil when it has none.
  init?(of survey: Survey, _ findings: [Finding]) {
    guard let image = survey.image, image.pageCount > 0 else { return nil }
    let kinds = PageKinds(survey, findings)
    // A page count that cannot be true would leave no room for the pages that are there.
    let stated = survey.header.map { $0.isPageCountValid ? $0.pageCount : 0 } ?? 0
    let missing =
      (0...(3 * image.pageCount)).contains(stated - image.pageCount)
      ? stated - image.pageCount : 0
    pageCount = image.pageCount + missing
    let perCell = (pageCount + Self.cellLimit - 1) / Self.cellLimit
    pagesPerCell = perCell
    var counts: [Kind: Int] = missing > 0 ? [.missing: missing] : [:]
    var groups: [Int: [Cell]] = [:]
    let present = image.pageCount - image.missingHead
    var visited = 0
    // What nobody owns and nothing is wrong with is left out: there may be millions of them.
    for page in kinds.knownPages where page.number > image.missingHead {
      let cell = kinds.cell(of: page)
      counts[cell.kind, default: 0] += 1
      visited += 1
      groups[(page.number - 1 - image.missingHead) / perCell, default: []].append(cell)
    }
    if present > visited { counts[.unowned, default: 0] += present - visited }
    var cells = (0..<((present + perCell - 1) / perCell)).map { index in
      let known = groups[index] ?? []
      let isFull = known.count >= min(perCell, present - index * perCell)
      return Cell(summing: isFull ? known : known + [Cell(kind: .unowned, owner: nil)])
    }
    let total = (pageCount + perCell - 1) / perCell
    cells += Array(repeating: Cell(kind: .missing, owner: nil), count: total - cells.count)
    self.counts = counts
    self.cells = cells
    owners = survey.trees.map(\.entry.name.shownName)
  }
}

extension PageMap: Encodable {
  /// Writes how many pages of each kind there are; the map itself is for looking at.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    for kind in Kind.allCases {
      try container.encode(counts[kind, default: 0], forKey: CodingKeys(stringValue: kind.rawValue))
    }
  }

  private struct CodingKeys: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension PageMap.Cell {
  /// What is drawn of several pages: the worst of them, else what most of them are.
  fileprivate init(summing cells: [PageMap.Cell]) {
    var counts: [PageMap.Kind: Int] = [:]
    for cell in cells { counts[cell.kind, default: 0] += 1 }
    let worst = [PageMap.Kind.damaged, .missing, .unowned].first { counts[$0] != nil }
    let common = PageMap.Kind.allCases.max { counts[$0, default: 0] < counts[$1, default: 0] }
    kind = worst ?? common ?? .unowned
    let owners = Set(cells.map(\.owner))
    owner = owners.count == 1 ? cells.first?.owner : nil
  }
}

/// What each page of a survey is.
private struct PageKinds {
  private let survey: Survey
  private let free: Set<PageNumber>
  private let damaged: Set<PageNumber>
  private let isIndex: [Bool]

  init(_ survey: Survey, _ findings: [Finding]) {
    self.survey = survey
    free = Set((survey.freelist?.trunks ?? []) + (survey.freelist?.leaves ?? []))
    isIndex = survey.trees.map { $0.entry.kind == .index }
    let trees = survey.trees + (survey.schema.map { [$0.tree] } ?? [])
    let faults = trees.flatMap { tree in
      [
        tree.pageFaults, tree.cellFaults, tree.misplaced, tree.layoutFaults, tree.unevenLeaves,
        tree.misplacedBetween,
      ]
      .flatMap(\.first)
    }
    damaged = Set(
      faults.compactMap(\.page)
        + (survey.freelist?.faults ?? []).compactMap(\.page)
        + findings.filter { $0.severity >= .damage }.compactMap(\.place.page))
  }

  /// The pages with an owner, and those with something wrong.
  var knownPages: Set<PageNumber> {
    var pages = damaged.filter { $0.number <= survey.image?.pageCount ?? 0 }
    survey.claims.forEach { page, _ in pages.insert(page) }
    return pages
  }

  func cell(of page: PageNumber) -> PageMap.Cell {
    let owner = survey.claims.owner(of: page)
    let tree = owner.map { Int($0 - Survey.firstTreeOwner) }.flatMap { $0 >= 0 ? $0 : nil }
    let kind: PageMap.Kind =
      if damaged.contains(page) {
        .damaged
      } else if let tree {
        isIndex.indices.contains(tree) && isIndex[tree] ? .index : .table
      } else if owner == nil {
        .unowned
      } else {
        free.contains(page) ? .free : .system
      }
    return PageMap.Cell(kind: kind, owner: tree)
  }
}
