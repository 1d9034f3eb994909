// SPDX-License-Identifier: Apache-2.0
// What of a survey is in doubt: trees that are not all there, and pages that nobody has proven.

import SQLiteFormat

/// What of a survey is in doubt, worked out once for all who put it together again.
final class Doubtful {
  /// The survey.
  let survey: Survey
  /// The pages of its database.
  let image: Image
  /// Its schema.
  let schema: SchemaSurvey
  /// Who reads the pages.
  let pages: PageReader
  /// The trees that miss pages or disagree with their indexes, as positions among the trees.
  let trees: [Int]
  /// The pages that have changed places, each with the page that stands where it should.
  let exchanged: [PageNumber: PageNumber]
  /// Tables that have changed places, unless their indexes have.
  let undecided: [[Name]]
  /// The roots of the trees of which the schema names another page.
  private let roots: [Int: PageNumber]
  /// The trees in doubt as owners of pages.
  let owners: Set<PageOwner>
  /// The pages of the free list that its head no longer leads to.
  let unlisted: Set<PageNumber>
  /// Whether these are a list from its first trunk to its last.
  private let isListFound: Bool
  /// The pages of a free list of which nothing is wrong in itself.
  let listed: ListedPages
  /// The pages of the free list that may have changed places with leaves of the trees in doubt.
  let freed: Set<PageNumber>
  /// The pages that stand in the places of those: their rows may be deleted ones.
  let standIns: Set<PageNumber>
  /// The pages that no sound tree has: those of the trees in doubt, and those of none.
  let unproven: PageSet
  /// Those of them that may be pages of a tree: of an overflow chain that is whole, only the last one
  /// may, the link of which is 0.
  private(set) lazy var unprovenTreePages = PageSet(
    unproven.pages.lazy.filter { [survey, pages] page in
      switch survey.claims.chainPlace(of: page) {
      case .middle: false
      case .end: pages.mayBeTreePage(page)
      case nil: true
      }
    })
  /// The AUTOINCREMENT counters, by table.
  private let counters: [Name: Int64]
  /// The pages but the first that do not show what they are; nil where pages are missing.
  ///
  /// Any of them may be one of the free list.
  private(set) lazy var unshownPages: Set<PageNumber>? = findUnshownPages()

  /// Looks for what is in doubt; nil where there is no database to be in doubt of.
  ///
  /// `contradicted` are tables of which damaged indexes have other values, as positions among the trees.
  init?(_ survey: Survey, _ memory: PageMemory, contradicted: Set<Int>) {
    guard let image = survey.image, let schema = survey.schema else { return nil }
    (self.survey, self.image, self.schema) = (survey, image, schema)
    pages = PageReader(image, memory)
    let search = ExchangeSearch(survey, schema, pages)
    (exchanged, roots, undecided) = (search.run(), search.raisedRoots, search.undecided)
    trees = Set(survey.treesInDoubt(pages, schema, contradicted))
      .union(exchanged.keys.compactMap(survey.treeThatLeads)).union(roots.keys).sorted()
    let owners = Set(trees.map { PageOwner.tree($0) })
    let (unlisted, isListFound) = survey.unlistedFreePages(pages)
    let strange = survey.strangePagesOfSchema
    let (freed, standIns) = owners.isEmpty ? ([], []) : search.listedLeaves()
    unproven = PageSet(
      image.dataPages.lazy.filter { page in
        survey.claims.owner(of: page).map {
          owners.contains($0) || strange.contains(page) || freed.contains(page)
        }
          ?? !unlisted.contains(page)
      })
    counters = trees.isEmpty ? [:] : survey.sequences
    (self.owners, self.unlisted, self.isListFound) = (owners, unlisted, isListFound)
    (self.freed, self.standIns) = (freed, standIns)
    listed = ListedPages(survey)
  }

  /// Whether every free page is known, so that what is left over is in use.
  var knowsFreePages: Bool {
    guard let freelist = survey.freelist, let header = survey.header else {
      return unshownPages?.isEmpty ?? false
    }
    return survey.isFreelistWhole || freelist.count + unlisted.count == header.freelistCount
      || freelist.count == 0 && isListFound && survey.countsTooFewPages
  }

  /// Whether no leaf is among the pages that do not show what they are: all of them are roots.
  var showsEveryLeaf: Bool {
    guard let header = survey.header, header.isPageCountValid,
      header.pageCount <= image.pageCount
    else { return false }
    return unshownPages?.isSubset(of: survey.trees.compactMap(\.root)) ?? false
  }

  private func findUnshownPages() -> Set<PageNumber>? {
    guard image.hasPageNumbers, image.start <= 0, survey.unclaimedInHoles == 0 else { return nil }
    let unclaimed = survey.unclaimed
    var unknown = Set(
      unclaimed.filter { $0.content == .unknown || $0.content == .zero }.map(\.page))
    unknown.subtract(unlisted)
    unknown.remove(.first)
    for page in unclaimed.map(\.page) where !unknown.isEmpty {
      guard let reading = pages.reading(of: page) else { continue }
      unknown.remove(page)
      for cell in reading.content.cells where cell.overflow != nil {
        guard let chain = pages.chain(of: cell, on: page) else { return nil }
        unknown.subtract(chain.pages)
      }
      for child in reading.children where child.number > image.pageCount { return nil }
    }
    return unknown
  }

  /// The root of a tree: the one that the schema names, or the one above it.
  func root(of position: Int) -> PageNumber? { roots[position] ?? survey.trees[position].root }

  /// What is known of a tree in doubt.
  func claimant(_ position: Int) -> Claimant {
    let tree = survey.trees[position]
    let isTable = tree.isRowIDTable
    let counts = schema.table(named: tree.entry.table)?.autoincrement == true
    return Claimant(
      position: position, name: tree.entry.name, isTable: isTable,
      holdsRows: tree.entry.kind == .table, form: survey.form(of: tree, schema),
      order: survey.order(of: tree),
      rowIDMax: counts ? counters[tree.entry.name] : nil)
  }
}

extension Survey {
  /// The pages that the schema table leads to, and that hold rows of another table.
  var strangePagesOfSchema: Set<PageNumber> {
    guard let image else { return [] }
    var pages: Set<PageNumber> = []
    claims.forEach { number, owner in
      guard owner == .schema, number != .first, let page = try? image.btreePage(number),
        page.kind == .tableLeaf, let cells = page.soundCells, !cells.isEmpty,
        !cells.contains(where: { cell in
          (try? image.record(of: cell, on: page))?.record.isOfSchema ?? true
        })
      else { return }
      pages.insert(number)
    }
    return pages
  }

  /// The order of the rows of a tree.
  func order(of tree: TreeSurvey) -> PlaceOrder {
    tree.isRowIDTable ? .rowID : .key(keyOrder(of: tree))
  }

  /// The tree whose root leads to a page, as a position among the trees.
  func treeThatLeads(to page: PageNumber) -> Int? {
    claims.owner(of: page)?.tree.flatMap { trees.indices.contains($0) ? $0 : nil }
  }

  fileprivate func treesInDoubt(
    _ pages: PageReader, _ schema: SchemaSurvey, _ contradicted: Set<Int>
  ) -> [Int] {
    var doubtful = Set(trees.indices.filter { isInDoubt(trees[$0]) }).union(contradicted)
    // Where two trees lead to one page, either may be wrong.
    for index in doubtful {
      let faults = trees[index].pageFaults.first + trees[index].cellFaults.first
      for fault in faults where fault.problem == .claimedTwice {
        if let position = fault.page.flatMap(treeThatLeads) { doubtful.insert(position) }
      }
    }
    // Only a number in the schema leads to a root that is a leaf. If it has changed places with another
    // page, a small table has the rows of another one.
    if !doubtful.isEmpty {
      doubtful.formUnion(
        trees.indices.filter {
          trees[$0].pages == 1 && !doubtful.contains($0)
            && isBorneOut(trees[$0], in: pages.image, schema) == false
            && !breaksItsRules(trees[$0], in: pages.image, schema)
        })
    }
    // Rows that a table cannot hold came to it with a page of another tree.
    if !doubtful.isEmpty {
      doubtful.formUnion(
        trees.indices.filter {
          trees[$0].entry.kind == .table && !trees[$0].mistyped.isEmpty
            && !breaksItsRules(trees[$0], in: pages.image, schema)
        })
    }
    // Rows of a table WITHOUT ROWID may lie in order among the entries of an index.
    if doubtful.contains(where: { trees[$0].entry.kind == .table && !trees[$0].isRowIDTable }) {
      doubtful.formUnion(
        trees.indices.filter {
          trees[$0].entry.kind == .index && !doubtful.contains($0)
            && hasPageOfAnother(trees[$0], pages, schema)
        })
    }
    if !doubtful.isEmpty { doubtful.formUnion(treesOfOthersPages(doubtful, pages.image)) }
    return doubtful.sorted()
  }

  /// Among how many trees it is found out whose rows may be whose.
  private static var comparedMax: Int { 1 << 11 }

  /// Whether a table on one page has rows that its columns refuse, and they are its own: others of
  /// them fit, and no other table could hold them all.
  private func breaksItsRules(
    _ tree: TreeSurvey, in image: Image, _ schema: SchemaSurvey
  ) -> Bool {
    guard tree.pages == 1, trees.count <= Self.comparedMax,
      let root = tree.root.flatMap({ try? image.btreePage($0) }),
      let records = image.sampledRecords(below: root), let form = form(of: tree, schema),
      records.contains(where: form.admits)
    else { return false }
    return !trees.contains { other in
      other.entry.kind == .table && other.root != tree.root
        && self.form(of: other, schema).map { records.allSatisfy($0.admits) } ?? true
    }
  }

  /// The trees to which the pointer map gives pages that no sound tree leads to.
  ///
  /// A root of an earlier time does not lead to the pages that its tree has got since.
  private func treesOfOthersPages(_ doubtful: Set<Int>, _ image: Image) -> Set<Int> {
    guard hasPointerMaps else { return [] }
    let map = PointerMapTrail(image, roots: self)
    let pages = image.dataPages.lazy.filter { page in
      claims.owner(of: page).map { $0.tree.map(doubtful.contains) ?? false } ?? true
    }
    return Set(map.trees(of: pages).keys)
  }

  /// Whether the first entry of some page of an index cannot be one of that index.
  private func hasPageOfAnother(
    _ index: TreeSurvey, _ pages: PageReader, _ schema: SchemaSurvey
  ) -> Bool {
    guard let root = index.root, let form = form(of: index, schema) else { return false }
    return pages.pagesOfSoundIndex(from: root).contains { number in
      guard let page = try? pages.image.btreePage(number), let cell = try? page.cell(0),
        let record = try? pages.image.record(of: cell, on: page).record
      else { return false }
      return !form.admits(record)
    }
  }

  private func isInDoubt(_ tree: TreeSurvey) -> Bool {
    if !tree.isSound || tree.pages == 0 { return true }
    guard tree.entry.kind == .table else { return false }
    return !tree.unfit.isEmpty
      || [tree.expectedKeys, tree.computed?.partialKeys ?? [:]].joined().contains { name, keys in
        !indexesOfOthers.contains(name)
          && self.tree(named: name).map { $0.isSound && $0.keys != keys } ?? false
      }
  }

  /// The free pages that the list no longer leads to, where it is broken.
  ///
  /// A trunk page can hardly be mistaken: its numbers are those of pages without an owner. One with
  /// few of them may be the end of a long value, such as the header of a database in a value.
  fileprivate func unlistedFreePages(
    _ pages: PageReader
  ) -> (pages: Set<PageNumber>, areWholeList: Bool) {
    guard !isFreelistWhole else { return ([], false) }
    let image = pages.image
    func isUnowned(_ page: PageNumber) -> Bool { claims.owner(of: page) == nil }
    let unowned = image.dataPages.filter(isUnowned)
    let trunks = image.possibleTrunks(among: unowned, naming: isUnowned)
    let isAnyShort = trunks.contains { $0.leaves.count <= 2 }
    let spilled = isAnyShort ? pages.spilled(of: PageSet(), among: unowned) : PageSet()
    let sure = trunks.filter { $0.leaves.count > 2 || !spilled.contains($0.trunk) }
    let following = Dictionary(uniqueKeysWithValues: sure.map { ($0.trunk, $0.next) })
    let first = Set(following.keys).subtracting(following.values.compactMap(\.self))
    var (trunk, rest) = (first.first, first.count == 1 ? following : [:])
    while let next = trunk.flatMap({ rest.removeValue(forKey: $0) }) { trunk = next }
    return (
      Set(sure.flatMap { [$0.trunk] + $0.leaves }), first.count == 1 && trunk == nil && rest.isEmpty
    )
  }
}
