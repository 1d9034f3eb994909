// SPDX-License-Identifier: Apache-2.0
// Pages of rows that no tree leads to, in groups that an interior page still holds together.

import SQLiteFormat

/// Pages of rows without an owner that belong together.
struct OrphanGroup {
  /// Whether they are pages of a table with rowids.
  let isTable: Bool
  /// The leaves, in the order in which the pages above name them.
  var leaves: [PageNumber]
  /// The pages above them; those of index trees hold rows too.
  var interiors: [PageNumber]

  /// The pages that hold rows.
  var rowPages: [PageNumber] { isTable ? leaves : leaves + interiors }
  /// Where the rows of each of them stand.
  private(set) var spans: [LeafSpan] = []
  /// Whether the group is a single page, which no other page ties to a tree.
  var isLone: Bool { leaves.count + interiors.count == 1 }
}

extension OrphanGroup {
  /// How many pages of a group are looked at to tell whose it is.
  static let sampleMax = 48

  /// The pages of a group that are looked at to tell whose it is, spread over all of it.
  var sample: [PageNumber] {
    let pages = rowPages
    guard pages.count > Self.sampleMax else { return pages }
    return (0..<Self.sampleMax).map { pages[$0 * pages.count / Self.sampleMax] }
  }

  /// Each leaf for itself.
  func split(in pages: PageReader) -> [OrphanGroup] {
    rowPages.map {
      OrphanGroup(isTable: isTable, leaves: [$0], interiors: []).measured(in: pages)
    }
  }

  /// The group with the spans of its pages.
  private func measured(in pages: PageReader) -> OrphanGroup {
    var group = self
    group.spans = rowPages.compactMap { pages.span(of: $0, isTable: isTable) }
    return group
  }

  /// The groups of pages without an owner.
  ///
  /// A page belongs under an interior page when that one alone names it. Leaves of tables that do
  /// not follow the others of their group stand for themselves.
  static func groups(of orphans: [PageNumber], in pages: PageReader) -> [OrphanGroup] {
    var kinds: [PageNumber: BTreePage.Kind] = [:]
    var named: [PageNumber: [PageNumber]] = [:]
    for page in orphans {
      guard let reading = pages.reading(of: page) else { continue }
      kinds[page] = reading.page.kind
      if !reading.page.kind.isLeaf { named[page] = reading.children }
    }
    var children: [PageNumber: [PageNumber]] = [:]
    var parents: [PageNumber: Int] = [:]
    for (page, named) in named {
      let own = named.filter { child in
        child != page && kinds[child]?.isTable == kinds[page]?.isTable
      }
      children[page] = own
      for child in own { parents[child, default: 0] += 1 }
    }
    var groups: [OrphanGroup] = []
    var seen: Set<PageNumber> = []
    func gather(from root: PageNumber, isTable: Bool) {
      var group = OrphanGroup(isTable: isTable, leaves: [], interiors: [])
      var pending = [root]
      while let page = pending.popLast() {
        guard let kind = kinds[page], seen.insert(page).inserted else { continue }
        if kind.isLeaf {
          group.leaves.append(page)
        } else {
          group.interiors.append(page)
          pending += (children[page] ?? []).filter { parents[$0] == 1 }.reversed()
        }
      }
      groups += group.untangled(in: pages)
    }
    // First what nothing leads to; then what two pages lead to, or only each other.
    for page in orphans where (parents[page] ?? 0) == 0 {
      if let kind = kinds[page] { gather(from: page, isTable: kind.isTable) }
    }
    for page in orphans where !seen.contains(page) {
      if let kind = kinds[page] { gather(from: page, isTable: kind.isTable) }
    }
    return groups.filter { !$0.rowPages.isEmpty }.map { $0.measured(in: pages) }
  }

  /// The leaves that follow one another, and the others each for itself.
  private func untangled(in pages: PageReader) -> [OrphanGroup] {
    guard leaves.count > 1 else { return [self] }
    guard isTable else { return withoutOthers(in: pages) }
    let spans = leaves.compactMap { pages.span(of: $0, isTable: true) }
    let chosen = PlaceOrder.rowID.chain(spans)
    guard chosen.count < leaves.count else { return [self] }
    var kept = self
    kept.leaves = chosen.map { spans[$0].page }
    return [kept] + lone(Set(leaves).subtracting(kept.leaves))
  }

  /// The leaves of an index with entries as long as most are; and each other leaf for itself.
  ///
  /// A leaf without any entry of that length is another tree's, and came to lie where the interior page
  /// leads.
  private func withoutOthers(in pages: PageReader) -> [OrphanGroup] {
    let counts = leaves.map { page in
      Set(pages.rows(on: page, isTable: false).map(\.record.fieldCount))
    }
    let tally = Dictionary(counts.joined().map { ($0, 1) }, uniquingKeysWith: +)
    guard tally.count > 1, let usual = tally.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })
    else { return [self] }
    // Columns that were added later make rows longer, on the same pages as others.
    var own: Set<Int> = [usual.key]
    for count in counts where !count.isDisjoint(with: own) { own.formUnion(count) }
    let others = Set(
      zip(leaves, counts).filter { !$1.isEmpty && $1.isDisjoint(with: own) }.map(\.0))
    guard !others.isEmpty else { return [self] }
    var kept = self
    kept.leaves.removeAll { others.contains($0) }
    return [kept] + lone(others)
  }

  private func lone(_ leaves: Set<PageNumber>) -> [OrphanGroup] {
    leaves.sorted().map { OrphanGroup(isTable: isTable, leaves: [$0], interiors: []) }
  }
}
