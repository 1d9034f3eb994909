// SPDX-License-Identifier: Apache-2.0
// Damaged trees put together again: which page is whose, by evidence, and what stays without owner.
//
// survey's trees -> those in doubt -> outlines (what each says it has) -> chains (what fits) ->
// orphan groups (what is left) -> placement (whose they are) -> assignments

import SQLiteFormat

/// Damaged trees put together again from the pages that are proven to be theirs.
///
/// A tree that the survey found sound needs none of this: its root leads to its rows.
package struct Reassembly: Sendable {
  /// The pages of one table, and who can speak for their rows.
  struct Assignment: Sendable {
    /// Whether they are pages of a table with rowids.
    let isTable: Bool
    /// The pages that hold its rows, in the order of the rows.
    var pages: [PageNumber]
    /// Those of them from which rows may spill to overflow pages.
    let spilling: [PageNumber]
    /// Those of them that its own tree does not lead to, and why they are its.
    var placed: [PageNumber: PlacementEvidence]
    /// The indexes that know its rows.
    let witnesses: [Witness]
    /// How many rows can be read on them.
    let rows: Int
  }

  /// A page of rows whose table is not proven.
  struct OrphanPage: Sendable {
    /// The page.
    let page: PageNumber
    /// Whether it is a page of a table with rowids.
    let isTable: Bool
    /// The tables that it can belong to, as positions among the survey's trees.
    let candidates: [Int]
  }

  /// The pages of every table that was put together again, by its position among the trees.
  private(set) var assignments: [Int: Assignment] = [:]
  /// The pages without an owner.
  private(set) var orphans: [OrphanPage] = []
}

extension Reassembly {
  /// The pages of a table that was put together again; nil when its own root leads to its rows.
  func assignment(of table: TreeSurvey, in survey: Survey) -> Assignment? {
    survey.position(of: table).flatMap { assignments[$0] }
  }

  /// The pages that a tree got back, in order.
  func pagesRegained(by position: Int) -> [PageNumber] {
    assignments[position]?.placed.keys.sorted() ?? []
  }

  /// The pages of every table that was put together again from which rows may spill, in order.
  var spillingPages: [(page: PageNumber, isTable: Bool)] {
    assignments.values.flatMap { assignment in
      assignment.spilling.map { (page: $0, isTable: assignment.isTable) }
    }.sorted { $0.page < $1.page }
  }

  /// The pages of every table that was put together again.
  var ownedPages: PageSet { PageSet(assignments.values.lazy.flatMap(\.pages)) }

  /// Why pages are held to be a table's that its own tree does not lead to, and how many there
  /// are; the strongest evidence first.
  package func evidence(for position: Int) -> [(kind: PlacementEvidence, pages: Int)] {
    let kinds = Dictionary(grouping: assignments[position]?.placed.values.map(\.self) ?? []) { $0 }
    return kinds.map { (kind: $0.key, pages: $0.value.count) }.sorted { $0.kind > $1.kind }
  }

  /// The pages that some table got back.
  var placedPages: Set<PageNumber> { Set(assignments.values.flatMap(\.placed.keys)) }

  /// How many rows can be read of a table that was put together again.
  func rows(of position: Int) -> Int? { assignments[position]?.rows }

  /// Puts together again what a survey found damaged.
  init(of survey: Survey, knownPages: KnownPages?) {
    guard let image = survey.image, let schema = survey.schema else { return }
    let doubtful = survey.treesInDoubt
    let pages = PageReader(image)
    let unlisted = survey.unlistedFreePages
    let unproven = survey.pagesWithoutProof(doubtful, unlisted: unlisted)
    var work = TreesInDoubt(survey, pages, schema, doubtful, unproven)
    guard !doubtful.isEmpty || !work.orphans.isEmpty else { return }
    work.takePages()
    let copies = pages.copies(among: work.orphans)
    let groups = OrphanGroup.groups(of: work.orphans.filter { !copies.contains($0) }, in: pages)
    var placement = Placement(
      work.claimants, in: pages, pointerMap: work.pointerMap, home: work.home,
      knownPages: knownPages,
      knowsEveryTable: schema.namesEveryTable,
      knowsFreePages: survey.knowsFreePages(unlisted: unlisted, pages),
      unshownPages: survey.header == nil ? survey.unshownPages(unlisted: unlisted, pages) : nil,
      isRootless: work.claimants.map { survey.trees[$0.position].root == nil })
    placement.run(groups)
    assign(placement, work)
    orphans += copies.map { page in
      let isTable = pages.reading(of: page)?.page.kind.isTable ?? true
      return OrphanPage(page: page, isTable: isTable, candidates: [])
    }
    orphans += pagesLeft(of: unproven, placement, work)
    orphans.sort { $0.page < $1.page }
  }

  /// Pages to which a table leads, with rows that can be read, and that came to nobody.
  ///
  /// Such a page may not show by itself what it is.
  private func pagesLeft(
    of unproven: PageSet, _ placement: Placement, _ work: TreesInDoubt
  ) -> [OrphanPage] {
    var taken = PageSet(orphans.lazy.map(\.page))
    for page in placement.claimants.lazy.flatMap({ $0.chain.lazy.flatMap(\.pages) }) {
      taken.insert(page)
    }
    for group in placement.placed.map(\.group) + placement.orphans.map(\.group) {
      for page in group.leaves + group.interiors { taken.insert(page) }
    }
    for page in work.interiors { taken.insert(page) }
    let survey = work.survey
    return unproven.pages.compactMap { page in
      guard !taken.contains(page), let position = survey.treeThatLeads(to: page),
        survey.trees[position].entry.kind == .table
      else { return nil }
      let isTable = survey.trees[position].isRowIDTable
      guard !work.pages.rows(on: page, isTable: isTable).isEmpty else { return nil }
      return OrphanPage(page: page, isTable: isTable, candidates: [position])
    }
  }

  private mutating func assign(_ placement: Placement, _ work: TreesInDoubt) {
    for (index, claimant) in placement.claimants.enumerated() where claimant.holdsRows {
      var placed: [PageNumber: PlacementEvidence] = [:]
      for (group, owner, evidence) in placement.placed where owner == index {
        for page in group.rowPages { placed[page] = evidence }
      }
      let pages = claimant.chain.flatMap(\.pages) + (work.rowInteriors[index] ?? [])
      // The indexes know all rows of a run.
      let runs = claimant.chain.filter { $0.run != nil }
      let looked = claimant.chain.filter { $0.run == nil }.map(\.page)
      var tally = claimant.tally(
        (looked + (work.rowInteriors[index] ?? [])).lazy.flatMap {
          work.pages.rows(on: $0, isTable: claimant.isTable)
        })
      tally.rows += runs.reduce(0) { $0 + $1.rows }
      // Indexes that deny most rows are themselves of another time, or of another table.
      assignments[claimant.position] = Assignment(
        isTable: claimant.isTable, pages: pages,
        spilling: looked + claimant.chain.flatMap(\.spilling) + (work.rowInteriors[index] ?? []),
        placed: placed,
        witnesses: tally.isDenied ? [] : claimant.witnesses,
        rows: tally.rows)
    }
    for (group, candidates) in placement.orphans {
      let owners = candidates.filter { placement.claimants[$0].holdsRows }
        .map { placement.claimants[$0].position }
      // What can only be entries of an index holds no rows: the index is made anew.
      guard candidates.isEmpty || !owners.isEmpty else { continue }
      orphans += group.rowPages.map {
        OrphanPage(page: $0, isTable: group.isTable, candidates: owners)
      }
    }
  }
}
