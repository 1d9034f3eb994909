// SPDX-License-Identifier: Apache-2.0
// The trees in doubt, on the way to their chains: what each leads to, and which of it is its own.

import SQLiteFormat

/// The trees in doubt, on the way to their chains.
struct TreesInDoubt {
  let survey: Survey
  let pages: PageReader
  /// The trees in doubt.
  var claimants: [Claimant]
  /// Pages of rows that no sound tree has, and that none of these has taken yet.
  private(set) var orphans: [PageNumber]
  /// The interior pages of index trees that hold rows of a claimant.
  private(set) var rowInteriors: [Int: [PageNumber]] = [:]
  /// The pages that no sound tree has.
  private let unproven: PageSet
  private let listed: ListedPages
  private(set) var outlines: [Int: Outline] = [:]
  /// How many pages the outlines may have, for each page of the database.
  private static let outlinesMax = 16
  /// Pages that are not those of the tree that leads to them: leaves that the pointer map
  /// gives to another one, and roots that were outgrown.
  private var disowned: Set<PageNumber> = []
  /// The trees that lead to a page that is more than a part of a stretch; of many pages one tree.
  private var named: [PageNumber: [Int]] = [:]
  /// The trees that lead to an interior page; of most pages one tree.
  private(set) var leading: [PageNumber: [Int]] = [:]

  init(_ doubt: Doubtful) {
    survey = doubt.survey
    pages = doubt.pages
    unproven = doubt.unproven
    listed = doubt.listed
    claimants = doubt.trees.map(doubt.claimant)
    orphans = []
    var inquiry = Inquiry(survey, pages, doubt.schema, claimants)
    // Many roots can lead to the same pages.
    var patience = Self.outlinesMax * pages.image.pageCount
    for (index, claimant) in claimants.enumerated() {
      guard patience > 0, let root = doubt.root(of: claimant.position) else { continue }
      // Where the indexes of a table know no rowids, they are asked about each row.
      let isAsked = claimant.isTable || inquiry.indexes(of: index).isEmpty
      let test = LeafTest(
        isTable: claimant.isTable, form: claimant.form,
        indexes: claimant.isTable ? inquiry.indexes(of: index) : [],
        unproven: isAsked ? unproven : PageSet())
      var outline = Outline(pages, from: root, test, claimant.order, doubt.exchanged)
      outline.openLost { !isDestroyed($0, of: claimant) }
      for _ in outline.leaves { patience -= 1 }
      outlines[index] = outline
    }
    takeStretchesApart()
    var outlines = outlines
    orphans = pages.readable(among: doubt.unprovenTreePages, besides: outlines.values.stretchPages)
    inquiry.run(&outlines, besides: orphans, complete: completeTrees)
    for index in claimants.indices { claimants[index].witnesses = inquiry.witnesses(of: index) }
    orphans = pages.readable(among: doubt.unprovenTreePages, besides: outlines.values.stretchPages)
    self.outlines = outlines
    let outgrown = outgrownRoots
    disowned.formUnion(outgrown)
    orphans.removeAll { outgrown.contains($0) }
    noteNames()
    noteLeaders()
  }

  /// Takes stretches apart of which a page is named by two trees or the free list, or is a root, or may
  /// have to leave its place to a page that is none of a stretch.
  private mutating func takeStretchesApart() {
    var seen = PageSet()
    var shared = listed.all
    for index in claimants.indices {
      guard let outline = outlines[index] else { continue }
      for page in outline.leaves where !seen.insert(page) { shared.insert(page) }
      // A root that is a leaf has its number alone to speak for it.
      if let root = survey.trees[claimants[index].position].root, outline.leaves.contains(root) {
        shared.insert(root)
      }
    }
    disowned = pagesOfOthers.union(survey.misdirected)
    for page in disowned { shared.insert(page) }
    for index in claimants.indices where outlines[index] != nil {
      outlines[index]?.takeApart(shared)
      let contested = outlines[index].map { contestedStretches(of: claimants[index], in: $0) }
      outlines[index]?.takeApart(contested ?? PageSet())
    }
  }

  /// The pages of a tree's stretches that may have to leave their place to others that it leads to.
  private func contestedStretches(of claimant: Claimant, in outline: Outline) -> PageSet {
    let places = outline.items.indices.compactMap { position -> (Int, LeafSpan)? in
      switch outline.items[position] {
      case .stretch(let stretch): (position, stretch.span)
      case .leaf(let page): possibleSpan(of: page, claimant).map { (position, $0) }
      case .lost, .gap: nil
      }
    }
    return PageSet(claimant.order.contestedStretches(among: places).flatMap(\.pages))
  }

  /// The span of a page that can be a tree's at all.
  private func possibleSpan(of page: PageNumber, _ claimant: Claimant) -> LeafSpan? {
    guard unproven.contains(page) else { return nil }
    let rows = pages.rows(on: page, isTable: claimant.isTable)
    let admitted = rows.count { claimant.form?.admits($0.record) ?? true }
    guard admitted * 2 >= rows.count else { return nil }
    return pages.span(of: page, isTable: claimant.isTable).map(claimant.order.oriented)
  }

  /// Whether a leaf that a tree leads to was destroyed where it lay: nobody else has the page, what
  /// is there is no page of any tree, and no page moved.
  private func isDestroyed(_ page: PageNumber, of claimant: Claimant) -> Bool {
    let owner = survey.claims.owner(of: page)
    return survey.firstMovedPage == nil && page.number <= pages.image.pageCount
      && pages.reading(of: page) == nil && (owner == nil || owner == .tree(claimant.position))
  }

  /// The trees of which every leaf is there or was destroyed where it lay: no other page is theirs.
  private var completeTrees: Set<Int> {
    let complete = claimants.indices.filter { index in
      outlines[index]?.items.allSatisfy { item in
        switch item {
        case .stretch, .lost: true
        case .leaf(let page): possibleSpan(of: page, claimants[index]) != nil
        case .gap: false
        }
      } ?? false
    }
    return Set(complete.map { claimants[$0].position })
  }

  /// Notes which trees lead to the leaves that are no part of a stretch.
  private mutating func noteNames() {
    for index in claimants.indices {
      guard let outline = outlines[index] else { continue }
      let deleted = listed.withDeletedRows(in: outline, of: claimants[index], pages)
      for case .leaf(let page) in outline.items
      where unproven.contains(page) && !deleted.contains(page) && !disowned.contains(page) {
        named[page, default: []].append(index)
      }
      if !deleted.isEmpty { orphans.removeAll { deleted.contains($0) } }
    }
  }

  /// The tree that leads to a page, where it alone does.
  func home(of page: PageNumber) -> Int? {
    named[page].flatMap { $0.count == 1 ? $0[0] : nil }
  }

  /// Takes for every tree those of the pages it leads to that are its own.
  mutating func takePages() {
    for index in claimants.indices {
      guard let outline = outlines[index] else {
        claimants[index].openWholly()
        continue
      }
      let isTable = claimants[index].isTable
      var claimant = claimants[index]
      claimant.take(
        outline,
        accepted: { page in
          guard let named = named[page], owner(of: page, named) == index,
            var span = pages.span(of: page, isTable: isTable)
          else { return nil }
          // Rows that lack columns, or what the declared types promise, hardly drive others out. Every
          // column is written unless it was added later; types are a promise of the app alone.
          let tally = claimants[index].tally(pages.rows(on: page, isTable: isTable))
          span.rows = (2 * tally.whole + tally.expected) / 3
          // Rows that nothing proves may be those that the page had before, and those of a page that the
          // free list has too may be deleted.
          if listed.all.contains(page)
            || pages.reading(of: page, isTable: isTable)?.content.cells.isEmpty ?? true
          {
            span.rows = min(span.rows, 1)
          }
          return span
        },
        rows: { page in
          let content = pages.reading(of: page, isTable: isTable)?.content
          return (
            pages.rows(on: page, isTable: isTable).map { KeyPlace($0) },
            content?.cells.isEmpty == false
          )
        })
      claimants[index] = claimant
    }
    releaseTaken()
  }

  /// The interior pages of all trees; of index trees those whose rows are taken.
  var interiors: [PageNumber] {
    claimants.indices.flatMap { index in
      (rowInteriors[index] ?? [])
        + (claimants[index].isTable ? outlines[index]?.interiors ?? [] : [])
    }
  }

  /// Takes the pages that found their tree off the orphans.
  private mutating func releaseTaken() {
    var taken = PageSet()
    for index in claimants.indices {
      for span in claimants[index].chain { for page in span.pages { taken.insert(page) } }
      guard let outline = outlines[index] else { continue }
      for page in outline.interiors {
        if claimants[index].isTable {
          taken.insert(page)
        } else if leader(of: page) == index,
          claimants[index].tally(pages.rows(on: page, isTable: false)).fits,
          taken.insert(page)
        {
          rowInteriors[index, default: []].append(page)
        }
      }
    }
    orphans.removeAll { taken.contains($0) }
    let spilled = pages.spilled(of: taken, among: orphans)
    orphans.removeAll { spilled.contains($0) }
  }

  /// Notes which trees lead to each interior page.
  private mutating func noteLeaders() {
    for index in claimants.indices {
      for page in outlines[index]?.interiors ?? [] { leading[page, default: []].append(index) }
    }
  }
}
