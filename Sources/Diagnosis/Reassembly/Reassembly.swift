// SPDX-License-Identifier: Apache-2.0
// Damaged trees put together again: which page is whose, by evidence, and what stays without owner.
//
// survey's trees -> those in doubt -> outlines (what each says it has) -> chains (what fits) ->
// orphan groups (what is left) -> placement (whose they are) -> assignments

import SQLiteFormat

/// Damaged trees put together again from the pages that are proven to be theirs.
///
/// A tree that the survey found sound needs none of this: its root leads to its rows.
public struct Reassembly: Sendable {
  /// The pages of one table, and who can speak for their rows.
  struct Assignment: Sendable {
    /// Whether they are pages of a table with rowids.
    let isTable: Bool
    /// The pages that hold its rows, in the order of the rows.
    var pages: [PageNumber]
    /// Those of them that its own tree does not lead to, and why they are its.
    var placed: [PageNumber: PlacementEvidence]
    /// The indexes that know its rows.
    let witnesses: [Witness]
    /// How many rows can be read on them.
    let rows: Int
  }

  /// A page of rows whose table is not proven.
  struct LoosePage: Sendable {
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
  private(set) var loose: [LoosePage] = []
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

  /// The pages of every table that was put together again, in order.
  var ownedPages: [(page: PageNumber, isTable: Bool)] {
    assignments.values.flatMap { assignment in
      assignment.pages.map { (page: $0, isTable: assignment.isTable) }
    }.sorted { $0.page < $1.page }
  }

  /// Why pages are held to be a table's that its own tree does not lead to, and how many there
  /// are; the strongest evidence first.
  public func evidence(for position: Int) -> [(kind: PlacementEvidence, pages: Int)] {
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
    let strays = survey.straysOnFreelist
    let unproven = survey.pagesWithoutProof(doubtful, strays: strays)
    var work = Work(survey, pages, schema, doubtful, unproven)
    guard !doubtful.isEmpty || !work.orphans.isEmpty else { return }
    work.outlineTrees()
    let copies = pages.copies(among: work.orphans)
    let groups = OrphanGroup.groups(of: work.orphans.filter { !copies.contains($0) }, in: pages)
    var placement = Placement(
      work.claimants, in: pages, pointerMap: work.pointerMap, homes: work.homes,
      knownPages: knownPages,
      knowsEveryTable: schema.namesEveryTable,
      knowsFreePages: survey.knowsFreePages(strays: strays, pages))
    placement.run(groups)
    assign(placement, work)
    loose += copies.map { page in
      let isTable = pages.reading(of: page)?.page.kind.isTable ?? true
      return LoosePage(page: page, isTable: isTable, candidates: [])
    }
    loose.sort { $0.page < $1.page }
  }

  private mutating func assign(_ placement: Placement, _ work: Work) {
    for (index, claimant) in placement.claimants.enumerated() where claimant.holdsRows {
      var placed: [PageNumber: PlacementEvidence] = [:]
      for (group, owner, evidence) in placement.placed where owner == index {
        for page in group.rowPages { placed[page] = evidence }
      }
      let pages = claimant.chain.map(\.page) + (work.rowInteriors[index] ?? [])
      let tally = claimant.tally(
        pages.lazy.flatMap { work.pages.rows(on: $0, isTable: claimant.isTable) })
      // Indexes that deny most rows are themselves of another time, or of another table.
      assignments[claimant.position] = Assignment(
        isTable: claimant.isTable, pages: pages, placed: placed,
        witnesses: tally.isDenied ? [] : claimant.witnesses,
        rows: tally.rows)
    }
    for (group, candidates) in placement.loose {
      let owners = candidates.filter { placement.claimants[$0].holdsRows }
        .map { placement.claimants[$0].position }
      // What can only be entries of an index holds no rows: the index is made anew.
      guard candidates.isEmpty || !owners.isEmpty else { continue }
      loose += group.rowPages.map {
        LoosePage(page: $0, isTable: group.isTable, candidates: owners)
      }
    }
  }
}

/// The trees in doubt, on the way to their chains.
private struct Work {
  let survey: Survey
  let pages: PageReader
  let schema: SchemaSurvey
  /// The trees in doubt.
  var claimants: [Claimant]
  /// Pages of rows that no sound tree has, and that none of these has taken yet.
  private(set) var orphans: [PageNumber]
  /// The interior pages of index trees that hold rows of a claimant.
  private(set) var rowInteriors: [Int: [PageNumber]] = [:]
  /// The pages that no sound tree has.
  private let unproven: Set<PageNumber>
  private var outlines: [Int: Outline] = [:]
  /// The tree that leads to a page, where it alone does.
  private(set) var homes: [PageNumber: Int] = [:]

  init(
    _ survey: Survey, _ pages: PageReader, _ schema: SchemaSurvey, _ doubtful: [Int],
    _ unproven: Set<PageNumber>
  ) {
    self.survey = survey
    self.pages = pages
    self.schema = schema
    self.unproven = unproven
    orphans = unproven.sorted().filter { pages.reading(of: $0) != nil }
    claimants = doubtful.map { survey.claimant($0, schema) }
    for (index, claimant) in claimants.enumerated() {
      guard let root = survey.trees[claimant.position].root else { continue }
      outlines[index] = Outline(pages, from: root, isTable: claimant.isTable)
    }
    findWitnesses()
  }

  /// Gathers the entries of the indexes over the tables in doubt.
  private mutating func findWitnesses() {
    let positions = Dictionary(
      claimants.enumerated().map { ($1.position, $0) }, uniquingKeysWith: { first, _ in first })
    // Pages of index trees that may be a part of any damaged index.
    let strays = orphans.filter { pages.reading(of: $0)?.page.kind.isTable == false }
    for index in claimants.indices where claimants[index].holdsRows {
      guard let table = schema.table(named: claimants[index].name),
        let rowShape = schema.shape(ofTable: table.name)
      else { continue }
      let computable = schema.computableIndexes(of: table, rowShape)
      let witnesses = computable.compactMap { shape -> Witness? in
        guard let description = schema.parsed.index(named: shape.name, of: table.name) else {
          return nil
        }
        let form = RecordForm(description, over: table)
        let position = survey.treePlaces.index(named: shape.name)
        let isDamaged = position.map { positions[$0] != nil } ?? true
        return Witness(shape, isWhole: !isDamaged) { add in
          if let position, !isDamaged, let root = survey.trees[position].root {
            return scan(root) { add($0, true) }
          }
          let owner = position.map { Survey.firstTreeOwner + PageClaims.Owner(clamping: $0) }
          for page in strays {
            let isProven = owner != nil && survey.claims.owner(of: page) == owner
            for row in pages.rows(on: page, isTable: false) where form.admits(row.record) {
              add(row.record, isProven)
            }
          }
        }
      }
      claimants[index].witnesses = witnesses
    }
  }

  private func scan(_ root: PageNumber, _ add: (Record) -> Void) {
    var claims = PageClaims(pageCount: pages.image.pageCount)
    var scan = TreeScan(pages.image, root: root, isTable: false, owner: Survey.firstTreeOwner)
    scan.run(&claims) { event in
      if case .record(let stored) = event { add(stored.record) }
      return true
    }
  }

  /// Takes for every tree those of the pages it leads to that are its own.
  mutating func outlineTrees() {
    var claims: [PageNumber: [Int]] = [:]
    for (index, outline) in outlines.sorted(by: { $0.key < $1.key }) {
      for case .leaf(let page) in outline.items where unproven.contains(page) {
        claims[page, default: []].append(index)
      }
    }
    // The heavy part: every page in doubt is read once for each tree that could have it.
    var owners: [PageNumber: Int] = [:]
    for (page, named) in claims {
      owners[page] = owner(of: page, named)
      if named.count == 1 { homes[page] = named[0] }
    }
    for index in claimants.indices {
      guard let outline = outlines[index] else {
        claimants[index].openWholly()
        continue
      }
      let (pages, isTable) = (pages, claimants[index].isTable)
      claimants[index].take(outline) { page in
        owners[page] == index ? pages.span(of: page, isTable: isTable) : nil
      }
    }
    releaseTaken()
  }

  /// The tree that a page belongs to, of those that lead to it; nil when it belongs to none, or
  /// nothing tells to which.
  private func owner(of page: PageNumber, _ named: [Int]) -> Int? {
    let rows = pages.rows(on: page, isTable: claimants[named[0]].isTable)
    let tallies = named.map { ($0, claimants[$0].tally(rows)) }
    let fitting = tallies.filter { $0.1.fits }
    guard !fitting.isEmpty else {
      // A page of which most rows are damaged is still that of the only tree that leads to it.
      return named.count == 1 && !rows.isEmpty && tallies[0].1.admitted * 2 >= rows.count
        ? named[0] : nil
    }
    let witnessed = fitting.filter { $0.1.isWitnessed }
    if witnessed.count == 1 { return witnessed[0].0 }
    guard fitting.count == 1 else { return nil }
    guard fitting[0].1.isDenied else { return fitting[0].0 }
    // Its indexes do not know the rows: whose do?
    let others = claimants.indices.filter { index in
      index != fitting[0].0 && claimants[index].isTable == claimants[fitting[0].0].isTable
        && claimants[index].tally(rows).isWitnessed
    }
    return others.isEmpty ? fitting[0].0 : nil
  }

  /// Takes the pages that found their tree off the orphans.
  private mutating func releaseTaken() {
    var taken: Set<PageNumber> = []
    for index in claimants.indices {
      taken.formUnion(claimants[index].chain.map(\.page))
      guard let outline = outlines[index] else { continue }
      for page in outline.interiors {
        if claimants[index].isTable {
          taken.insert(page)
        } else if claimants[index].tally(pages.rows(on: page, isTable: false)).fits,
          taken.insert(page).inserted
        {
          rowInteriors[index, default: []].append(page)
        }
      }
    }
    orphans.removeAll { taken.contains($0) }
  }

  /// What the pointer map knows; nil where there is none.
  var pointerMap: PointerMapWitness? {
    guard survey.hasPointerMaps else { return nil }
    var trees: [PageNumber: Int] = [:]
    for (position, tree) in survey.trees.enumerated() {
      if let root = tree.root { trees[root] = position }
    }
    for (index, outline) in outlines {
      for page in outline.interiors { trees[page] = claimants[index].position }
    }
    let known = trees
    return PointerMapWitness(pages.image) { known[$0] }
  }
}
