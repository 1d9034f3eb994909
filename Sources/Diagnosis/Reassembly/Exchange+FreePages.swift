// SPDX-License-Identifier: Apache-2.0
// Leaves that have changed places with free pages: the free list names what a tree misses.

import SQLiteFormat

extension ExchangeSearch {
  /// A leaf that the free list names, and where its rows stand.
  private struct ListedLeaf {
    let page: PageNumber
    let span: PlaceSpan
  }

  /// How many times a free page is held against a table, at most.
  private static let comparedMax = 1 << 20

  /// The leaves that may have changed places with free pages: the free list names them, their rows
  /// fit a place of a tree, and no others fit better there.
  ///
  /// And the pages that stand in those places.
  ///
  /// Most such pages hold rows that were deleted, or that have moved to other leaves.
  func listedLeaves() -> (freed: Set<PageNumber>, instead: Set<PageNumber>) {
    var (freed, instead): (Set<PageNumber>, Set<PageNumber>) = ([], [])
    guard !freeLeaves.isEmpty else { return (freed, instead) }
    var patience = Self.comparedMax
    for table in tables where isAmiss(table.survey) {
      patience -= freeLeaves.count
      guard patience >= 0 else { break }
      let found = listedLeaves(among: freeLeaves, of: table)
      freed.formUnion(found.freed)
      instead.formUnion(found.instead)
    }
    return (freed, instead)
  }

  private func listedLeaves(
    among free: [PageNumber], of table: Table
  ) -> (freed: [PageNumber], instead: [PageNumber]) {
    // Indexes that are sound tell of each row.
    let isTold = disagreesWithIndexes(table.survey)
    let places = isTold ? [] : emptyPlaces(of: table)
    guard isTold || !places.isEmpty else { return ([], []) }
    let leaves = free.compactMap { page -> ListedLeaf? in
      let rows = rows(on: page, table)
      guard !rows.isEmpty, rows.allSatisfy({ table.form.admits($0.record) }) else { return nil }
      return span(of: page, table).map { ListedLeaf(page: page, span: $0) }
    }.sorted { table.order.compare($0.span.first, $1.span.first) < 0 }
    if isTold { return (leaves.map(\.page), []) }
    var (freed, instead): ([PageNumber], [PageNumber]) = ([], [])
    for place in places {
      let start = leaves.partitioningIndex { leaf in
        place.after.map { table.order.compare($0, leaf.span.first) < 0 } ?? true
      }
      let fitting = leaves[start...].prefix { leaf in
        place.upTo.map { table.order.compare(leaf.span.first, $0) <= 0 } ?? true
      }.filter { place.admits($0.span, in: table.order) }
      let best = fitting.map { place.closeness(of: $0.span) }.max()
      freed += fitting.filter { place.closeness(of: $0.span) == best }.map(\.page)
      if !fitting.isEmpty { instead.append(place.page) }
    }
    return (freed, instead)
  }

  /// The places in a table's tree where a leaf should stand, and none of the table does.
  private func emptyPlaces(of table: Table) -> [TreePlace] {
    let isTable = table.survey.isRowIDTable
    var empty = misfits(of: table).leaves
    var pending = [TreePlace(page: table.root, after: nil, upTo: nil)]
    var seen = PageSet([table.root])
    while let place = pending.popLast() {
      let below = places(below: place, isTable: isTable, table.order)
      let kinds = below.map { (try? pages.image.btreePage($0.page))?.kind }
      let hasLeaves = kinds.contains { $0?.isLeaf ?? false && $0?.isTable == isTable }
      for (child, kind) in zip(below, kinds) {
        if let kind, kind.isTable == isTable {
          if !kind.isLeaf, seen.insert(child.page) { pending.append(child) }
        } else if hasLeaves {
          empty.append(child)
        }
      }
    }
    return empty
  }
}
