// SPDX-License-Identifier: Apache-2.0
// Damaged trees put together again: which page is whose, by evidence, and what stays without owner.
//
// survey's trees -> those in doubt -> outlines (what each says it has) -> chains (what fits) ->
// orphan groups (what is left) -> placement (whose they are) -> assignments

import SQLiteFormat

extension Reassembly {
  /// Puts together again what is in doubt.
  init(of doubt: Doubtful, knownPages: KnownPages?) {
    undecided = doubt.undecided
    var work = TreesInDoubt(doubt)
    guard !doubt.trees.isEmpty || !work.orphans.isEmpty else { return }
    work.takePages()
    let pages = doubt.pages
    let copies = pages.copies(among: work.orphans)
      .union(work.orphans.filter(doubt.survey.misdirected.contains))
    let groups = OrphanGroup.groups(of: work.orphans.filter { !copies.contains($0) }, in: pages)
    var placement = Placement(work, of: doubt, knownPages: knownPages)
    placement.run(groups)
    assign(placement, work, doubt)
    orphans += copies.subtracting(doubt.freed).map { page in
      let isTable = pages.reading(of: page)?.page.kind.isTable ?? true
      return OrphanPage(page: page, isTable: isTable, candidates: [])
    }
    orphans += pagesLeft(of: doubt, placement, work)
    orphans.sort { $0.page < $1.page }
    let reader = pages.rested
    for (index, orphan) in orphans.enumerated() {
      orphans[index].rows = reader.rows(on: orphan.page, isTable: orphan.isTable).count
    }
  }

  /// Pages to which a table leads, with rows that can be read, and that came to nobody.
  ///
  /// Such a page may not show by itself what it is.
  private func pagesLeft(
    of doubt: Doubtful, _ placement: Placement, _ work: TreesInDoubt
  ) -> [OrphanPage] {
    var taken = PageSet(orphans.lazy.map(\.page))
    for page in placement.claimants.lazy.flatMap({ $0.chain.lazy.flatMap(\.pages) }) {
      taken.insert(page)
    }
    for group in placement.placed.map(\.group) + placement.orphans.map(\.group) {
      for page in group.leaves + group.interiors { taken.insert(page) }
    }
    for page in work.interiors { taken.insert(page) }
    let survey = doubt.survey
    let led: [(page: PageNumber, tree: Int)] = doubt.unprovenTreePages.pages.compactMap { page in
      guard !taken.contains(page), let tree = survey.treeThatLeads(to: page),
        survey.trees[tree].entry.kind == .table
      else { return nil }
      return (page, tree)
    }
    // Most are those of long values, which take long to be looked through for rows.
    let spilled = doubt.pages.spilled(of: taken, among: led.map(\.page), orBroken: true)
    return led.compactMap { page, tree in
      let isTable = survey.trees[tree].isRowIDTable
      guard !spilled.contains(page), !doubt.pages.rows(on: page, isTable: isTable).isEmpty
      else { return nil }
      return OrphanPage(page: page, isTable: isTable, candidates: [tree])
    }
  }

  /// How many rows of a table its indexes alone prove, on pages that prove or list others.
  private func rowsProven(
    by assignment: Assignment, on looked: [PageNumber], _ pages: PageReader
  ) -> Int {
    let leaves = looked.compactMap { page in
      pages.damagedReading(of: page, isTable: assignment.isTable).flatMap { reading in
        let vouched = reading.content.cells + reading.content.listed
        return vouched.isEmpty ? nil : (reading, rowIDs: vouched.compactMap(\.rowID))
      }
    }
    let vouched = Set(leaves.flatMap(\.rowIDs))
    let proven = leaves.flatMap { reading, _ in
      reading.content.doubtful.compactMap { cell -> Int64? in
        guard let rowID = cell.rowID, !vouched.contains(rowID),
          let record = pages.record(of: cell, on: reading.page)
        else { return nil }
        return assignment.proves(StoredRecord(record, of: cell, on: reading.page)) ? rowID : nil
      }
    }
    return Set(proven).count
  }

  /// Pages that came to an index for want of another claimant, where a table may be unknown: they hold
  /// rows of that, unless the entries are parts of rows.
  private func rowsOfNone(_ placement: Placement, _ doubt: Doubtful) -> [OrphanPage] {
    guard !placement.knowsEveryTable else { return [] }
    return placement.placed.filter { group, owner, evidence in
      !placement.claimants[owner].holdsRows && evidence <= .elimination
        && !LeftIndex.holds(group, beside: doubt)
    }.flatMap { group, _, _ in
      group.rowPages.map { OrphanPage(page: $0, isTable: group.isTable, candidates: []) }
    }
  }

  private mutating func assign(_ placement: Placement, _ work: TreesInDoubt, _ doubt: Doubtful) {
    for (index, claimant) in placement.claimants.enumerated() where claimant.holdsRows {
      var placed: [PageNumber: PlacementEvidence] = [:]
      for (group, owner, evidence) in placement.placed where owner == index {
        for page in group.rowPages { placed[page] = evidence }
      }
      let pages = claimant.chain.flatMap(\.pages) + (work.rowInteriors[index] ?? [])
      // The indexes know all rows of a stretch.
      let stretches = claimant.chain.filter { $0.stretch != nil }
      let looked = claimant.chain.filter { $0.stretch == nil }.map(\.page)
      let rows = (looked + (work.rowInteriors[index] ?? [])).lazy.flatMap {
        work.pages.rows(on: $0, isTable: claimant.isTable)
      }
      var tally = claimant.tally(rows)
      tally.rows += stretches.reduce(0) { $0 + $1.rows }
      // Pages that stand elsewhere too, and of which the indexes know nothing, are those from there.
      if tally.isDenied, work.pages.copies(among: pages).count == pages.count {
        orphans += pages.map {
          OrphanPage(page: $0, isTable: claimant.isTable, candidates: [])
        }
        assignments[claimant.position] = .none(isTable: claimant.isTable)
        continue
      }
      // An index that denies most rows is itself of another time, or of another table.
      var assignment = Assignment(
        isTable: claimant.isTable, pages: pages,
        spilling: looked + claimant.chain.flatMap(\.spilling) + (work.rowInteriors[index] ?? []),
        placed: placed,
        witnesses: tally.believed(of: claimant.witnesses.asked(about: rows)),
        rows: tally.rows,
        isShort: pages.isEmpty || claimant.missing > placed.count,
        isDenied: tally.isDenied && tally.denied >= Claimant.Tally.deniedMin,
        hasUTF8Texts: doubt.image.hasUTF8Texts)
      assignment.rows += rowsProven(by: assignment, on: looked, work.pages)
      assignments[claimant.position] = assignment
    }
    orphans += rowsOfNone(placement, doubt)
    for (group, candidates) in placement.orphans {
      let owners = candidates.filter { placement.claimants[$0].holdsRows }
        .map { placement.claimants[$0].position }
      // What can only be entries of an index holds no rows: the index is made anew. Where a table may be
      // unknown, they can be rows of that.
      guard
        !owners.isEmpty || !placement.knowsEveryTable
          || candidates.allSatisfy({ placement.claimants[$0].isFormlessIndex })
      else { continue }
      // Nor does an index that the schema names no more.
      if LeftIndex.holds(group, beside: doubt) { continue }
      // Nor is a row in doubt that the free list and all others say was deleted.
      if owners.isEmpty, group.rowPages.allSatisfy(doubt.freed.contains) { continue }
      orphans += group.rowPages.map {
        OrphanPage(page: $0, isTable: group.isTable, candidates: owners)
      }
    }
  }
}
