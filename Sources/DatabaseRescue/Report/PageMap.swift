// SPDX-License-Identifier: Apache-2.0
// Which page of a database belongs to what: a cell for each page.

import Diagnosis
import SQLiteFormat

/// Which page of a database belongs to what.
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

    /// The kinds from what is drawn last to what is drawn first where pages share a cell.
    private static let ranks: [Kind] = [
      .free, .system, .index, .table, .unowned, .missing, .damaged,
    ]

    /// The number of the kind among the colours.
    var colour: UInt8 { UInt8(Self.ranks.firstIndex(of: self) ?? 0) }
  }

  /// The most cells: a file of more pages than that shares them out.
  ///
  /// So many points are two pixels wide each: one page that is damaged can be seen among them.
  static let cellLimit = 1 << 17
  /// How many tables and indexes have a colour of their own.
  static let ownersMax = 6
  /// The first colour of an owner; those of the kinds come before.
  static let firstOwnerColour = UInt8(Kind.allCases.count)

  /// A table or index with a colour of its own.
  struct Owner: Hashable, Sendable {
    /// Its name.
    let name: String
    /// How many pages it has.
    let pages: Int
    /// Whether it is an index.
    let isIndex: Bool
  }

  /// How many pages of each kind there are.
  package let counts: [Kind: Int]
  /// How many pages share a cell.
  package let pagesPerCell: Int
  /// How many pages there are, missing ones included.
  package let pageCount: Int
  /// The colour of each cell, in the order of the pages: that of a kind, or of an owner.
  let cells: [UInt8]
  /// The largest tables and indexes, which have colours of their own.
  let owners: [Owner]
  /// The pages with something wrong, as far as they are listed.
  let damaged: [Int]

  /// The name under which the damaged pages are written.
  static let listKey = "damagedPages"
  /// The most damaged pages that are listed.
  private static let damagedMax = 400

  /// Maps the pages of a survey; nil when it has none.
  init?(of survey: Survey, _ findings: [Finding], cellLimit: Int = Self.cellLimit) {
    guard let image = survey.image, image.pageCount > 0 else { return nil }
    let kinds = PageKinds(survey, findings)
    // A page count that cannot be true would leave no room for the pages that are there.
    let stated = survey.header?.countedPages ?? 0
    let missing =
      (0...(3 * image.pageCount)).contains(stated - image.pageCount)
      ? stated - image.pageCount : 0
    pageCount = image.pageCount + missing
    let perCell = (pageCount + cellLimit - 1) / cellLimit
    pagesPerCell = perCell
    var counts: [Kind: Int] = missing > 0 ? [.missing: missing] : [:]
    let total = (pageCount + perCell - 1) / perCell
    var cells = [UInt8](repeating: Kind.missing.colour, count: total)
    let present = image.pageCount - image.missingHead
    var visited = 0
    // What nobody owns and nothing is wrong with is only counted: there may be millions of them.
    let last = (image.pageCount + perCell - 1) / perCell
    // A log can say that there are fewer pages than are missing at the beginning.
    for index in min(image.missingHead / perCell, last)..<last {
      cells[index] = Kind.unowned.colour
    }
    // Of pages that share a cell, the kind that is drawn first counts.
    var ranks = [UInt8?](repeating: nil, count: perCell > 1 ? total : 0)
    kinds.forEachKnown { page, kind, colour in
      guard page > image.missingHead, page <= image.pageCount else { return }
      counts[kind, default: 0] += 1
      visited += 1
      let index = (page - 1) / perCell
      if perCell > 1 {
        guard ranks[index].map({ kind.colour > $0 }) ?? true else { return }
        ranks[index] = kind.colour
      }
      cells[index] = colour
    }
    if present > visited { counts[.unowned, default: 0] += present - visited }
    self.counts = counts
    self.cells = cells
    owners = kinds.owners
    damaged = Array(kinds.damagedPages.prefix(Self.damagedMax))
  }
}

extension PageMap: Encodable {
  /// Writes how many pages of each kind there are, and which are damaged; the map itself is for
  /// looking at.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if !damaged.isEmpty {
      try container.encode(damaged, forKey: CodingKeys(stringValue: Self.listKey))
    }
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

/// What each page of a survey is.
private struct PageKinds {
  private let survey: Survey
  private let free: Set<PageNumber>
  private let damaged: Set<PageNumber>
  private let isIndex: [Bool]
  /// The place of each tree among those with a colour of their own.
  private let places: [Int: Int]
  /// The largest trees.
  let owners: [PageMap.Owner]

  init(_ survey: Survey, _ findings: [Finding]) {
    self.survey = survey
    free = Set((survey.freelist?.trunks ?? []) + (survey.freelist?.leaves ?? []))
    isIndex = survey.trees.map { $0.entry.kind == .index }
    let trees = survey.trees + (survey.schema.map { [$0.tree] } ?? [])
    let faults = trees.flatMap { tree in
      [
        tree.pageFaults, survey.placedCellFaults(of: tree), tree.misplaced, tree.layoutFaults,
        tree.unevenLeaves, tree.misplacedBetween,
      ].flatMap(\.pages)
    }
    damaged = Set(
      faults
        + (survey.freelist?.faults ?? []).compactMap(\.page)
        + findings.filter { $0.severity >= .damage }.compactMap(\.place.page))
    var pages: [Int: Int] = [:]
    survey.claims.forEach { _, owner in
      if let tree = owner.tree { pages[tree, default: 0] += 1 }
    }
    let largest = pages.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .filter { survey.trees.indices.contains($0.key) }.prefix(PageMap.ownersMax)
    owners = largest.map { position, count in
      PageMap.Owner(
        name: survey.trees[position].entry.name.shownName, pages: count,
        isIndex: survey.trees[position].entry.kind == .index)
    }
    places = Dictionary(
      uniqueKeysWithValues: largest.enumerated().map { ($0.element.key, $0.offset) })
  }

  /// The pages with something wrong, in order.
  var damagedPages: [Int] {
    damaged.map(\.number).filter { $0 <= survey.image?.pageCount ?? 0 }.sorted()
  }

  /// Hands out every page with an owner or with something wrong.
  func forEachKnown(_ body: (_ page: Int, PageMap.Kind, _ colour: UInt8) -> Void) {
    survey.claims.forEach { page, owner in
      guard !damaged.contains(page) else { return }
      guard let tree = owner.tree else {
        let kind: PageMap.Kind = free.contains(page) ? .free : .system
        return body(page.number, kind, kind.colour)
      }
      let kind: PageMap.Kind = isIndex.indices.contains(tree) && isIndex[tree] ? .index : .table
      body(
        page.number, kind,
        places[tree].map { PageMap.firstOwnerColour + UInt8($0) } ?? kind.colour)
    }
    for page in damagedPages { body(page, .damaged, PageMap.Kind.damaged.colour) }
  }
}
