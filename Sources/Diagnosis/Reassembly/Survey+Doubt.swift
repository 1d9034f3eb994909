// SPDX-License-Identifier: Apache-2.0
// What of a survey is in doubt: trees that are not all there, and pages that nobody has proven.

import SQLiteFormat

extension Survey {
  /// The trees that miss pages or disagree with their indexes, as positions among the trees.
  var treesInDoubt: [Int] {
    var doubtful = Set(trees.indices.filter { isInDoubt(trees[$0]) })
    // Who leads to a page that another one claims may be the one that is wrong.
    for index in doubtful {
      let faults = trees[index].pageFaults.first + trees[index].cellFaults.first
      for fault in faults where fault.problem == .claimedTwice {
        if let position = fault.page.flatMap(treeThatLeads) { doubtful.insert(position) }
      }
    }
    // A root that is a leaf has nothing that leads to it but a number: pages that changed places
    // give a small table the rows of another one.
    if !doubtful.isEmpty, let image, let schema {
      doubtful.formUnion(
        trees.indices.filter {
          trees[$0].pages == 1 && !doubtful.contains($0)
            && isBorneOut(trees[$0], in: image, schema) == false
        })
    }
    return doubtful.sorted()
  }

  /// The tree whose root leads to a page, as a position among the trees.
  func treeThatLeads(to page: PageNumber) -> Int? {
    claims.owner(of: page).flatMap { owner in
      let position = Int(owner) - Int(Self.firstTreeOwner)
      return trees.indices.contains(position) ? position : nil
    }
  }

  private func isInDoubt(_ tree: TreeSurvey) -> Bool {
    if !tree.isSound || tree.pages == 0 { return true }
    guard tree.entry.kind == .table else { return false }
    return !tree.unfit.isEmpty
      || tree.expectedKeys.contains { name, keys in
        self.tree(named: name).map { $0.isSound && $0.keys != keys } ?? false
      }
  }

  /// The pages that no sound tree has: those of the trees in doubt, and those of none.
  ///
  /// `unlisted` are free pages that the free list no longer leads to.
  func pagesWithoutProof(_ doubtful: [Int], unlisted: Set<PageNumber>) -> PageSet {
    guard let image else { return PageSet() }
    let owners = Set(doubtful.map { Self.firstTreeOwner + PageClaims.Owner(clamping: $0) })
    return PageSet(
      image.dataPages.lazy.filter {
        claims.owner(of: $0).map(owners.contains) ?? !unlisted.contains($0)
      })
  }

  /// The pages of the free list that its head no longer leads to.
  ///
  /// A trunk page can hardly be mistaken: every number in it is that of a page without an owner.
  var unlistedFreePages: Set<PageNumber> {
    guard let image, !isFreelistWhole else { return [] }
    let capacity = image.geometry.usable / 4 - 2
    func isUnclaimed(_ number: UInt32) -> Bool {
      PageNumber(number).map { $0.number <= image.pageCount && claims.owner(of: $0) == nil }
        ?? false
    }
    let unclaimed = image.dataPages.filter { claims.owner(of: $0) == nil }
    let pages = unclaimed.flatMap { page -> [PageNumber] in
      guard let bytes = try? image.bytes(of: page), let next = bytes.big32(at: 0),
        let count = bytes.big32(at: 4), count > 0, count <= capacity, next == 0 || isUnclaimed(next)
      else { return [] }
      let named = (0..<Int(count)).map { bytes.big32(at: 8 + 4 * $0) ?? 0 }
      guard named.allSatisfy(isUnclaimed), Set(named).count == named.count else { return [] }
      return [page] + named.compactMap { PageNumber($0) }
    }
    return Set(pages)
  }

  /// Whether the free list was followed to its end, and has as many pages as the header says.
  private var isFreelistWhole: Bool {
    guard let freelist, let header else { return false }
    return freelist.faults.isEmpty && freelist.count == header.freelistCount
  }

  /// Whether every free page is known, so that what is left over is in use.
  func knowsFreePages(unlisted: Set<PageNumber>, _ pages: PageReader) -> Bool {
    guard let freelist, let header else {
      return unshownPages(unlisted: unlisted, pages) == 0
    }
    return isFreelistWhole || freelist.count + unlisted.count == header.freelistCount
  }

  /// How many pages but the first do not show what they are; nil where pages are missing.
  ///
  /// Any of them may be one of the free list.
  func unshownPages(unlisted: Set<PageNumber>, _ pages: PageReader) -> Int? {
    guard let image, image.hasPageNumbers, image.start <= 0,
      unclaimedInHoles == 0
    else { return nil }
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
    return unknown.count
  }

  /// The pages with rows whose table is not proven, and how many rows they have.
  var rowsWithoutTable: (pages: Int, rows: Int) {
    guard let image else { return (0, 0) }
    let pages = PageReader(image)
    let counts = reassembly.orphans.map { pages.rows(on: $0.page, isTable: $0.isTable).count }
    return (counts.count, counts.reduce(0, +))
  }

  /// What is known of a tree in doubt.
  func claimant(_ position: Int, _ schema: SchemaSurvey) -> Claimant {
    let tree = trees[position]
    let table = schema.table(named: tree.entry.table)
    let isTable = tree.isRowIDTable
    let form: RecordForm? = table.flatMap { table in
      if tree.entry.kind == .table { return RecordForm(table) }
      return schema.parsed.index(named: tree.entry.name, of: table.name)
        .map { RecordForm($0, over: table) }
    }
    return Claimant(
      position: position, name: tree.entry.name, isTable: isTable,
      holdsRows: tree.entry.kind == .table, form: form,
      order: isTable
        ? .rowID
        : .key(schema.keyOrder(of: tree.entry, schemaFormat: header?.schemaFormat ?? 4)),
      rowIDMax: table?.autoincrement == true ? sequences[tree.entry.name] : nil)
  }
}
