// SPDX-License-Identifier: Apache-2.0
// Whose a group is, of the trees that it fits.

import SQLiteFormat

extension Placement {
  /// From how many rows on their entries can no longer all have been on the root of an index.
  private static let forgottenMin = 8

  /// Whether a page cannot be a free one, of which only elimination says whose it is.
  func isBeyondDoubt(
    _ open: Open, _ candidates: [Candidate], _ claimant: Int, _ rivals: [Int: Int]
  ) -> Bool {
    if knowsFreePages { return true }
    // Indexes that know most rows of a table know hardly one of those that were deleted.
    if open.tallies[claimant]?.isForgotten ?? false, known(claimants[claimant]).isEchoed {
      return false
    }
    if !open.group.isLone { return true }
    if candidates.contains(where: { $0.claimant == claimant && $0.opening.isBounded }) {
      return true
    }
    return claimants[claimant].chain.isEmpty && rivals[claimant] == 1
  }

  /// Whether the rows of a group cannot be a tree's, because its indexes know hardly one of them,
  /// although they know most of its other rows.
  ///
  /// That tells where no leaf of an index is gone, or where those that may be gone had no room for so
  /// many entries.
  private func knowsHardlyARow(_ candidate: Candidate, to group: OrphanGroup) -> Bool {
    let tally = candidate.tally
    guard tally.isForgotten, known(claimants[candidate.claimant]).isEchoed else { return false }
    // A root that is gone had one entry for each leaf below it.
    if doubt.showsEveryLeaf { return tally.rows >= Self.forgottenMin }
    guard let gone = doubt.unshownPages?.count else { return false }
    let rows = tally.rows * group.rowPages.count / max(group.sample.count, 1)
    return rows > gone * pages.image.geometry.cellCountMax
  }

  /// Whether rows of a table WITHOUT ROWID can as well be entries of one of its own indexes.
  ///
  /// Then what speaks for the rows may lie on pages of the table itself, and each would vouch for the
  /// other.
  private func mayBeEntries(_ candidate: Candidate, among others: [Candidate]) -> Bool {
    let table = claimants[candidate.claimant]
    guard !table.isTable, !candidate.tally.isProven else { return false }
    return others.contains { other in
      !claimants[other.claimant].holdsRows
        && doubt.survey.trees[claimants[other.claimant].position].entry.table == table.name
    }
  }

  /// Whether rows and the entries that know them may both be of a table like this one that the schema no
  /// longer names: none lies on a page that is proven to be of this one's index.
  private func mayBeOfUnknownTable(_ candidate: Candidate) -> Bool {
    !knowsEveryTable && !candidate.tally.isProven && !candidate.opening.isBounded
  }

  /// What a sample of the rows looks like that a tree has by now.
  func known(_ claimant: Claimant) -> Claimant.Tally {
    claimant.tally(
      claimant.chain.prefix(Self.sampleMax).flatMap {
        pages.rows(on: $0.page, isTable: claimant.isTable)
      })
  }

  /// Whether the pointer map has all pages of a group as free ones.
  private func isFree(_ group: OrphanGroup) -> Bool {
    pointerMap.map { group.rowPages.allSatisfy($0.isFree) } ?? false
  }

  /// The table whose page in a backup is the same as one of a group.
  private func tableInBackup(_ group: OrphanGroup) -> Name? {
    guard let knownPages else { return nil }
    return group.rowPages.firstResult { page in
      (try? pages.image.bytes(of: page)).flatMap { knownPages.table(of: page, bytes: $0) }
    }
  }

  /// Whether the rows whose tables are known have values of the declared types.
  ///
  /// SQLite enforces no types. If an app does not keep to its own, types do not tell whose the other
  /// rows are.
  func declaredTypesTell() -> Bool {
    var (rows, expected) = (0, 0)
    for claimant in claimants where claimant.holdsRows {
      let tally = known(claimant)
      (rows, expected) = (rows + tally.rows, expected + tally.expected)
    }
    return expected * 10 >= rows * 9
  }

  func choose(
    _ candidates: [Candidate], _ open: Open, _ isElimination: Bool
  ) -> (claimant: Int, evidence: PlacementEvidence)? {
    if open.group.rowPages.contains(where: doubt.freed.contains) {
      // The rows of a page that the free list names were deleted, or moved, unless an index has all.
      let proven = candidates.filter { $0.tally.proven == $0.tally.rows && $0.tally.isProven }
      return open.group.isLone && proven.count == 1 ? (proven[0].claimant, .index) : nil
    }
    let witnessed = candidates.filter(\.tally.isWitnessed)
    if witnessed.count == 1, !mayBeEntries(witnessed[0], among: candidates),
      !mayBeOfUnknownTable(witnessed[0])
    {
      return (witnessed[0].claimant, .index)
    }
    if candidates.count == 1, candidates[0].tally.isEchoed, !mayBeOfUnknownTable(candidates[0]) {
      return (candidates[0].claimant, .index)
    }
    if let map = pointerMap, let tree = open.group.rowPages.firstResult(map.tree),
      let named = candidates.first(where: { claimants[$0.claimant].position == tree })
    {
      return (named.claimant, .pointerMap)
    }
    guard isElimination, witnessed.isEmpty, !isFree(open.group) else { return nil }
    let candidates = candidates.filter { !knowsHardlyARow($0, to: open.group) }
    if let table = tableInBackup(open.group),
      let named = candidates.first(where: { claimants[$0.claimant].name == table })
    {
      return (named.claimant, .backup)
    }
    let eligible = candidates.filter { knowsEveryTable || $0.opening.isBounded }
    guard eligible.count == candidates.count else { return nil }
    if eligible.count == 1 {
      return isLikely(eligible[0], open) && !claimants[eligible[0].claimant].isFormlessIndex
        ? (eligible[0].claimant, .elimination) : nil
    }
    if let sole = soleInNeed(eligible, open.group) { return (sole, .foreignKeys) }
    if typesTell ?? true, let sole = soleExpected(eligible) { return (sole, .declaredTypes) }
    let names = eligible.map { claimants[$0.claimant].name }
    guard let table = allocation?.table(of: open.group.rowPages, among: names) else { return nil }
    return eligible.first { claimants[$0.claimant].name == table }.map {
      ($0.claimant, .allocation)
    }
  }

  /// The only claimant of which a group has most of the keys that other tables refer to.
  private func soleInNeed(_ candidates: [Candidate], _ group: OrphanGroup) -> Int? {
    guard let referred, candidates.contains(where: { referred.isParent($0.claimant) }) else {
      return nil
    }
    let rows = group.sample.map { pages.rows(on: $0, isTable: group.isTable) }
    let most = rows.map(\.count).max() ?? 0
    let needing = candidates.filter {
      referred.areNeeded(rows.joined(), onOnePage: most, by: $0.claimant)
    }
    return needing.count == 1 ? needing[0].claimant : nil
  }

  /// The only claimant whose declared types all rows have.
  private func soleExpected(_ candidates: [Candidate]) -> Int? {
    let likely = likely(candidates)
    guard likely.count == 1, likely[0].tally.expected == likely[0].tally.rows,
      !claimants[likely[0].claimant].isFormlessIndex
    else { return nil }
    return likely[0].claimant
  }

  /// Whether rows have what the declared types of a tree promise, or no better those of another
  /// that misses pages anywhere; and not all of them lack a column that all its own have.
  private func isLikely(_ candidate: Candidate, _ open: Open) -> Bool {
    let tally = candidate.tally
    guard tally.whole > 0 || !knowsOnlyWholeRows(candidate.claimant) else { return false }
    return tally.expected * 2 >= tally.rows
      || open.tallies.values.allSatisfy { $0.expected <= tally.expected }
  }
}
