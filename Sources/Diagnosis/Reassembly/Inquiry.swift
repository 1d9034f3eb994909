// SPDX-License-Identifier: Apache-2.0
// What the indexes of the tables in doubt have to say: about whole leaves in sum, and row by row
// where the sums do not agree.
//
// The entries of an index come in an order that is not that of the rows. But those of the rows of
// one leaf are known by their rowids: where their sum is that of the entries that the rows should
// have, the index knows each of the rows, and none is asked about.

import SQLiteFormat

/// The questions to the indexes over the tables in doubt.
struct Inquiry {
  /// An index over a table in doubt.
  struct Subject {
    /// How its entries follow from rows.
    let shape: IndexShape
    /// What its entries look like.
    let form: RecordForm
    /// Its own tree, where it is sound.
    let root: PageNumber?
    /// Whether it has entries for some of the rows only.
    let isPartial: Bool
    /// Whom the pages are claimed for that are proven to be its own.
    let owner: PageOwner?
    /// The order of its entries; nil where nothing is known of it.
    let order: KeyOrder?
    /// What was read of its entries.
    var account = Witness.Account()
    /// The rows of leaves in stretches for which it has no entry.
    var missing: [Int64] = []

    /// Whether pages may be its own that its tree does not lead to.
    var isOpen = true

    /// Whether nothing is wrong with it.
    var isWhole: Bool { root != nil }

    /// Whether a page with an owner, or none, may be its own.
    func mayHave(pageOf owner: PageOwner?) -> Bool {
      !isWhole && (isOpen || owner == self.owner)
    }
  }

  private let survey: Survey
  private let pages: PageReader
  /// The indexes over each of the trees in doubt.
  private var subjects: [[Subject]] = []
  /// The trees in doubt that are tables with rowids.
  private let isTable: [Bool]
  /// The rowids that were asked about; nil when every row was.
  private var asked: RowIDSet?

  /// An inquiry in which nobody was asked.
  init(_ survey: Survey, _ pages: PageReader, _ schema: SchemaSurvey, _ claimants: [Claimant]) {
    self.survey = survey
    self.pages = pages
    isTable = claimants.map(\.isTable)
    let doubtful = Set(claimants.map(\.position))
    subjects = claimants.map { claimant in
      guard claimant.holdsRows, let table = schema.table(named: claimant.name),
        let rowShape = schema.shape(ofTable: table.name)
      else { return [] }
      let shapes = schema.computableIndexes(of: table, rowShape)
      return (shapes + schema.partialIndexes(of: table, rowShape)).compactMap { shape in
        guard let description = schema.parsed.index(named: shape.name, of: table.name) else {
          return nil
        }
        let position = survey.treePlaces.index(named: shape.name)
        let isDamaged = position.map(doubtful.contains) ?? true
        return Subject(
          shape: shape, form: RecordForm(description, over: table),
          root: isDamaged ? nil : position.flatMap { survey.trees[$0].root },
          isPartial: description.predicate != nil,
          owner: position.map { PageOwner.tree($0) },
          order: position.flatMap { survey.keyOrder(of: survey.trees[$0]) })
      }
    }
  }

  /// The indexes over a tree in doubt.
  func indexes(of claimant: Int) -> [IndexShape] { subjects[claimant].map(\.shape) }

  /// What the indexes over a tree in doubt know.
  func witnesses(of claimant: Int) -> [Witness] {
    subjects[claimant].compactMap { subject in
      Witness(
        subject.shape, isWhole: subject.isWhole && !subject.isPartial,
        isPartial: subject.isPartial, subject.account,
        asked: isTable[claimant] ? asked?.union(subject.missing) : nil)
    }
  }

  /// Asks the indexes.
  ///
  /// Leaves of which a row is unknown to one of them are taken out of their stretch.
  /// `orphans` are the readable pages that no sound tree has, and that are part of no stretch; `complete`
  /// are the trees that have none of these, as positions among all.
  mutating func run(
    _ outlines: inout [Int: Outline], besides orphans: [PageNumber], complete: Set<Int>
  ) {
    guard subjects.contains(where: { !$0.isEmpty }) else { return }
    for index in subjects.indices {
      for place in subjects[index].indices {
        let position = subjects[index][place].owner?.tree
        subjects[index][place].isOpen = !(position.map(complete.contains) ?? false)
      }
    }
    let indexPages = indexPages(outlines, orphans)
    // Some leaves can be read only because a tree says what they are: they are in no stretch, either.
    let loose = outlines.filter { isTable[$0.key] }.values.flatMap(\.leavesBesideStretches)
    let first = RowIDSet(rowIDs(on: Set(orphans).union(loose)))
    var others: [Int64] = []
    var isBearable = first.count <= Witness.entriesMax
    if isBearable {
      for index in subjects.indices {
        let stretches = isTable[index] ? outlines[index]?.stretches ?? [] : []
        let sums = ask(index, indexPages, isTable[index] ? first : nil, LeafSums(stretches))
        if let outline = outlines[index] {
          outlines[index] = withoutUnknown(outline, of: index, sums, &others)
        }
      }
      isBearable = first.count + others.count <= Witness.entriesMax
    }
    guard isBearable else {
      askAboutAll(&outlines, indexPages)
      return
    }
    asked = first.union(others)
    guard !others.isEmpty else { return }
    let second = RowIDSet(others.filter { !first.contains($0) })
    for index in subjects.indices where isTable[index] {
      ask(index, indexPages, second, nil)
    }
  }

  /// Asks about each row, where too many are in doubt.
  private mutating func askAboutAll(_ outlines: inout [Int: Outline], _ indexPages: [PageNumber]) {
    asked = nil
    for index in subjects.indices where !subjects[index].isEmpty {
      for place in subjects[index].indices {
        subjects[index][place].account = .init()
        subjects[index][place].missing = []
      }
      ask(index, indexPages, nil, LeafSums([]))
      if let outline = outlines[index] { outlines[index]?.takeApart([outline].stretchPages) }
    }
  }

  /// The pages that may be a part of any damaged index.
  private func indexPages(_ outlines: [Int: Outline], _ orphans: [PageNumber]) -> [PageNumber] {
    guard subjects.joined().contains(where: { !$0.isWhole }) else { return [] }
    let stretches = outlines.filter { !isTable[$0.key] }.values.lazy.flatMap(\.stretches).flatMap(
      \.pages)
    return stretches + orphans.filter { pages.reading(of: $0)?.page.kind.isTable == false }
  }

  /// The rowids of all rows on pages.
  private func rowIDs(on pages: some Sequence<PageNumber>) -> [Int64] {
    pages.flatMap { page -> [Int64] in
      guard let reading = self.pages.reading(of: page, isTable: true), reading.page.kind.isLeaf
      else {
        return []
      }
      let content = reading.content
      return (content.cells + content.doubtful).compactMap(\.rowID)
    }
  }

  /// An outline of which the leaves are no longer parts of stretches that have rows unknown to an index;
  /// adds the rowids on those.
  ///
  /// Where a damaged index has lost the entries of some rows, and it is clear which, nobody is
  /// asked: the index is silent about them.
  private mutating func withoutUnknown(
    _ outline: Outline, of claimant: Int, _ sums: LeafSums, _ others: inout [Int64]
  ) -> Outline {
    var outline = outline
    var missing: [[Int64]] = subjects[claimant].map { _ in [] }
    let subjects = subjects[claimant]
    let asking = subjects.indices.filter {
      !subjects[$0].isPartial && (subjects[$0].isWhole || subjects[$0].account.entries > 0)
    }
    guard !asking.isEmpty else { return outline }
    var place = 0
    let image = pages.image
    outline.replaceStretches { stretch in
      guard !stretch.leaves.isEmpty else { return nil }
      defer { place += 1 }
      var unknown: [Int] = []
      for leaf in stretch.leaves.indices {
        let open = asking.filter { sums.sum(place, leaf, $0) != 0 }
        guard !open.isEmpty else { continue }
        var found: [(subject: Int, rowIDs: [Int64])] = []
        for index in open where !subjects[index].isWhole {
          let keys = image.keys(of: subjects[index].shape, on: stretch.pages[leaf])
          if let lost = keys.rows(withSum: sums.sum(place, leaf, index)) {
            found.append((index, lost))
          }
        }
        if found.count == open.count {
          for (index, lost) in found { missing[index] += lost }
        } else {
          unknown.append(leaf)
        }
      }
      guard !unknown.isEmpty else { return nil }
      others += rowIDs(on: unknown.map { stretch.pages[$0] })
      return stretch.without(unknown)
    }
    for index in missing.indices { self.subjects[claimant][index].missing = missing[index] }
    return outline
  }
}

extension Inquiry {
  /// Some pages to be read, as those of one sound index, or of any that is damaged.
  private struct Part {
    let subject: Int?
    let pages: ArraySlice<PageNumber>
  }

  /// Reads the entries of all indexes over a tree in doubt.
  ///
  /// Keeps those that end with a rowid that is asked about, or all. Where sums are given, takes the
  /// entries off, and counts them.
  @discardableResult
  private mutating func ask(
    _ claimant: Int, _ indexPages: [PageNumber], _ asked: RowIDSet?, _ sums: LeafSums?
  ) -> LeafSums {
    let subjects = subjects[claimant]
    guard !subjects.isEmpty else { return LeafSums([]) }
    let parts = parts(subjects, indexPages)
    let (image, claims) = (pages.image, survey.claims)
    let blank = sums?.blank
    var heard = Cores.sums(
      of: parts.count,
      start: {
        Hearing(accounts: subjects.map { _ in .init() }, sums: blank)
      }
    ) { hearing, index in
      let part = parts[index]
      for page in part.pages {
        hearing.read(page, in: image, as: part.subject, subjects, claims, asked)
      }
    }
    var rest = Hearing(accounts: subjects.map { _ in .init() }, sums: blank)
    for page in heard.lazy.flatMap(\.later) {
      let entries = pages.rows(on: page, isTable: false).map(\.record)
      for entry in Hearing.ordered(entries, on: page, subjects, claims, record: { $0 }) {
        rest.take(entry, on: page, subjects, claims, asked)
      }
    }
    heard.append(rest)
    var total = sums ?? LeafSums([])
    for hearing in heard {
      if let sums = hearing.sums { total.add(sums) }
      for place in subjects.indices {
        self.subjects[claimant][place].account.add(
          hearing.accounts[place], isCounted: sums != nil)
      }
    }
    return total
  }

  private func parts(_ subjects: [Subject], _ indexPages: [PageNumber]) -> [Part] {
    let size = 128
    var parts: [Part] = []
    func add(_ pages: [PageNumber], _ subject: Int?) {
      for start in stride(from: 0, to: pages.count, by: size) {
        parts.append(
          Part(subject: subject, pages: pages[start..<min(pages.count, start + size)]))
      }
    }
    for (place, subject) in subjects.enumerated() {
      if let root = subject.root { add(pages.pagesOfSoundIndex(from: root), place) }
    }
    if subjects.contains(where: { !$0.isWhole }) { add(indexPages, nil) }
    return parts
  }
}

extension PageReader {
  /// The pages of the tree of an index of which nothing is wrong.
  func pagesOfSoundIndex(from root: PageNumber) -> [PageNumber] {
    var all: [PageNumber] = []
    var level = [root]
    for _ in 0..<TreeWalk.depthMax {
      all += level
      // All leaves lie at one depth.
      guard let first = level.first, let page = try? image.btreePage(first), !page.kind.isLeaf
      else { break }
      level = level.flatMap { reading(of: $0, isTable: false)?.children ?? [] }
    }
    return all
  }
}
