// SPDX-License-Identifier: Apache-2.0
// Which tree a group of orphan pages belongs to, from the strongest evidence to the weakest.

import SQLiteFormat

/// The placement of orphan groups.
struct Placement {
  let doubt: Doubtful
  let pages: PageReader
  let pointerMap: PointerMapTrail?
  let knowsEveryTable: Bool
  private(set) var knowsFreePages: Bool
  /// Whether rows have what their tables declare; nil as long as that was not asked.
  private(set) var typesTell: Bool?
  /// How many pages do not show what they are, any of which may be a trunk of the free list; nil
  /// where that is not known.
  private let unshownPages: Int?
  /// Whether the root of a claimant's tree is not known.
  private let isRootless: [Bool]
  /// The tree that leads to a page, where it alone does.
  private let home: (PageNumber) -> Int?
  let knownPages: KnownPages?
  /// Which rows others refer to; nil where leaves may be gone.
  private(set) var referred: ReferredKeys?
  /// The order in which the tables were allocated; nil where they lie in none.
  private(set) var allocation: AllocationOrder?
  /// What the sound trees alone tell of it; nil as long as nobody asked.
  private var allocationOfSound: AllocationOrder?
  /// The trees that miss pages.
  private(set) var claimants: [Claimant]
  /// The groups that were placed, and where.
  private(set) var placed: [(group: OrphanGroup, claimant: Int, evidence: PlacementEvidence)] = []
  /// The groups that were not placed, and the claimants that they fit: those that miss pages there, or
  /// else any.
  private(set) var orphans: [(group: OrphanGroup, candidates: [Int])] = []

  struct Open {
    let group: OrphanGroup
    /// The claimants whose rows these can be, with what they look like to each.
    let tallies: [Int: Claimant.Tally]
    /// Whether rows of the group are proven, or at least listed.
    let isFirm: Bool
  }

  /// A placement that has not begun.
  ///
  /// If every tree of the file is known, what fits only one tree is that tree's. If not every free page
  /// is known, a page that nothing ties to others may be a free one, with rows that were deleted.
  init(_ trees: TreesInDoubt, of doubt: Doubtful, knownPages: KnownPages?) {
    let survey = doubt.survey
    self.doubt = doubt
    claimants = trees.claimants
    pages = doubt.pages
    pointerMap = trees.pointerMap
    home = trees.home
    self.knownPages = knownPages
    referred =
      doubt.showsEveryLeaf ? ReferredKeys(to: trees.claimants, in: survey, doubt.schema) : nil
    knowsEveryTable = doubt.schema.namesEveryTable
    knowsFreePages = doubt.knowsFreePages
    unshownPages = survey.header == nil ? doubt.unshownPages?.count : nil
    isRootless = trees.claimants.map { survey.trees[$0.position].root == nil }
  }

  /// Places the groups for which there is evidence.
  mutating func run(_ groups: [OrphanGroup]) {
    var open = groups.map { judged($0) }
    // A group without any evidence may hold pages that have some.
    open = place(open)
    open = place(
      open.flatMap { $0.group.isLone ? [$0] : $0.group.split(in: pages).map { judged($0) } })
    if !knowsFreePages, let unshownPages, unshownPages <= hiddenRoots(open, isRootless) {
      knowsFreePages = true
      open = place(open)
    }
    open = returnHome(open)
    orphans = open.map { open in
      let candidates = candidates(for: open).map(\.claimant)
      return (
        open.group,
        candidates.contains { claimants[$0].holdsRows } ? candidates : open.tallies.keys.sorted()
      )
    }
  }

  private func judged(_ group: OrphanGroup) -> Open {
    var tallies: [Int: Claimant.Tally] = [:]
    let rows = group.sample.flatMap { pages.rows(on: $0, isTable: group.isTable) }
    for (position, claimant) in claimants.enumerated() where claimant.isTable == group.isTable {
      let tally = claimant.tally(rows)
      guard tally.fits, !tally.isDenied, !claimant.openings.isEmpty || tally.isProven else {
        continue
      }
      tallies[position] = tally
    }
    return Open(group: group, tallies: tallies, isFirm: isFirm(group))
  }

  /// Places what can be placed, strongest evidence first; each placement narrows the rest.
  private mutating func place(_ groups: [Open]) -> [Open] {
    var open = groups
    var isElimination = false
    while true {
      let before = open.count
      var proposals: [Int: [Claimant.Proposal]] = [:]
      let offers = open.map { candidates(for: $0) }
      var rivals: [Int: Int] = [:]
      for candidate in offers.joined() { rivals[candidate.claimant, default: 0] += 1 }
      for (index, group) in open.enumerated() {
        let candidates = offers[index]
        guard let (claimant, evidence) = choose(candidates, group, isElimination),
          evidence > .elimination || isBeyondDoubt(group, candidates, claimant, rivals),
          let span = candidates.first(where: { $0.claimant == claimant })?.span
        else { continue }
        proposals[claimant, default: []].append((index, span, evidence))
      }
      var accepted: Set<Int> = []
      for (claimant, proposed) in proposals.sorted(by: { $0.key < $1.key }) {
        let compatible = compatible(proposed, of: claimant, among: open)
        adopt(compatible, in: claimant, among: open)
        accepted.formUnion(compatible.map(\.open))
      }
      open = open.indices.filter { !accepted.contains($0) }.map { open[$0] }
      if open.count == before {
        if isElimination { return open }
        isElimination = true
        typesTell = typesTell ?? declaredTypesTell()
        // Between several tables, what others say of them tells.
        if open.contains(where: { $0.tallies.count > 1 }) {
          let sound = allocationOfSound ?? AllocationOrder(doubt.survey, besides: doubt.owners)
          (allocationOfSound, allocation) = (sound, sound.borneOut(by: claimants))
          let (known, pages) = (claimants, pages)
          referred?.hear(known, pages)
        }
      } else {
        isElimination = false
      }
    }
  }

  /// Gives pages that nobody else can have back to the tree that leads to them.
  ///
  /// The rows of a page of the free list were deleted, where the tree has no place for them.
  private mutating func returnHome(_ groups: [Open]) -> [Open] {
    var proposals: [Int: [Claimant.Proposal]] = [:]
    for (index, open) in groups.enumerated() {
      guard open.group.isLone, let page = open.group.rowPages.first, let home = home(page),
        !doubt.listed.all.contains(page), !doubt.standIns.contains(page),
        open.tallies[home] != nil, !isOfFewerValues(open.group, than: home),
        let span = claimants[home].span(of: open.group.spans),
        claimants[home].hasRoom(for: span, { pages.span(of: $0, isTable: open.group.isTable) })
      else { continue }
      proposals[home, default: []].append((index, span, .tree))
    }
    var returned: Set<Int> = []
    for (home, proposed) in proposals.sorted(by: { $0.key < $1.key }) {
      let compatible = compatible(proposed, of: home, among: groups)
      adopt(compatible, in: home, among: groups)
      returned.formUnion(compatible.map(\.open))
    }
    return groups.indices.filter { !returned.contains($0) }.map { groups[$0] }
  }

  /// Whether every record on the pages of a group has fewer values than any of a tree without rowids:
  /// entries of an index are such rows of a wider table.
  private func isOfFewerValues(_ group: OrphanGroup, than claimant: Int) -> Bool {
    let tree = doubt.survey.trees[claimants[claimant].position]
    guard !group.isTable,
      let least = pages.image.sampledRecords(ofTree: tree.root)?.map(\.fieldCount).min()
    else { return false }
    let rows = group.rowPages.flatMap { pages.rows(on: $0, isTable: false) }
    return !rows.isEmpty && rows.allSatisfy { $0.record.fieldCount < least }
  }

  /// Gives groups to a claimant.
  private mutating func adopt(
    _ proposals: [Claimant.Proposal], in claimant: Int, among groups: [Open]
  ) {
    let adopted = proposals.map { (group: groups[$0.open].group, evidence: $0.evidence) }
    claimants[claimant].adopt(adopted.map(\.group.spans))
    placed += adopted.map { ($0.group, claimant, $0.evidence) }
  }

  typealias Candidate = (
    claimant: Int, tally: Claimant.Tally, span: PlaceSpan, opening: Claimant.Opening
  )

  /// The claimants that miss pages where a group's rows would stand.
  ///
  /// Where leaves were destroyed in their places, pages that lie elsewhere cannot be those, unless an
  /// index knows their rows by a page of its own.
  func candidates(for open: Open) -> [Candidate] {
    let isNamed = open.group.rowPages.contains { home($0) != nil }
    return open.tallies.sorted { $0.key < $1.key }.compactMap { position, tally in
      let claimant = claimants[position]
      guard let span = claimant.span(of: open.group.spans),
        let opening = claimant.opening(for: span)
          ?? anywhere(in: claimant, span, open.group, tally),
        !opening.isOfLostLeaves || isNamed || tally.isProven
      else { return nil }
      return (position, tally, span, opening)
    }
  }
}

extension Placement {
  /// The whole tree as an opening for pages that nothing in it leads to any more, such as those that
  /// an interior page of an earlier time did not have: where indexes prove their rows, and the tree
  /// has none there.
  private func anywhere(
    in claimant: Claimant, _ span: PlaceSpan, _ group: OrphanGroup, _ tally: Claimant.Tally
  ) -> Claimant.Opening? {
    guard tally.isProven,
      claimant.hasRoom(for: span, { pages.span(of: $0, isTable: group.isTable) })
    else { return nil }
    return Claimant.Opening(after: nil, before: nil)
  }
}

extension Placement {
  /// Whether the rows of some page of a group are proven, or at least listed.
  private func isFirm(_ group: OrphanGroup) -> Bool {
    group.rowPages.contains { page in
      let content = pages.reading(of: page, isTable: group.isTable)?.content
      return content.map { !$0.cells.isEmpty || !$0.listed.isEmpty } ?? false
    }
  }

  /// The proposals of a claimant that do not stand in each other's way: none that is firm stands
  /// back for one that is not.
  private func compatible(
    _ proposals: [Claimant.Proposal], of claimant: Int, among groups: [Open]
  ) -> [Claimant.Proposal] {
    let claimant = claimants[claimant]
    let firm = proposals.filter { groups[$0.open].isFirm }
    let loose = proposals.filter { !groups[$0.open].isFirm }
    return claimant.compatible(firm) + claimant.apart(claimant.compatible(loose), from: firm)
  }
}

extension Claimant {
  fileprivate typealias Proposal = (open: Int, span: PlaceSpan, evidence: PlacementEvidence)

  /// Those of some proposals that share no place with others.
  fileprivate func apart(_ proposals: [Proposal], from others: [Proposal]) -> [Proposal] {
    guard order.isKnown else { return proposals }
    var others = others.map(\.span).sorted { order.compare($0.first, $1.first) < 0 }[...]
    // Whether another one overlaps is known by the furthest end of those that start before.
    var furthest: PlaceSpan?
    return proposals.sorted { order.compare($0.span.last, $1.span.last) < 0 }.filter { proposal in
      while let next = others.first, order.compare(next.first, proposal.span.last) <= 0 {
        if furthest.map({ order.compare($0.last, next.last) < 0 }) ?? true { furthest = next }
        others.removeFirst()
      }
      return furthest.map { !order.overlap($0, proposal.span) } ?? true
    }
  }

  /// The proposals that do not stand in each other's way.
  ///
  /// Of two pages with rows of the same places, one is an older copy, or another table's.
  fileprivate func compatible(_ proposals: [Proposal]) -> [Proposal] {
    guard order.isKnown else { return proposals }
    let sorted = proposals.sorted { order.compare($0.span.first, $1.span.first) < 0 }
    // The furthest end so far tells whether one that starts later still overlaps.
    var contested: Set<Int> = []
    var furthest: Int?
    for index in sorted.indices {
      if let known = furthest, order.overlap(sorted[known].span, sorted[index].span) {
        contested.formUnion([known, index])
      }
      if furthest.map({ order.compare(sorted[$0].span.last, sorted[index].span.last) < 0 }) ?? true
      {
        furthest = index
      }
    }
    return sorted.indices.filter { !contested.contains($0) }.map { sorted[$0] }
  }
}
