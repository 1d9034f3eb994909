// SPDX-License-Identifier: Apache-2.0
// The pages behind the end of a whole database: what is left there from before it shrank, or what was
// reserved by its length. Or they are in use, and the first page is of an earlier time.

import SQLiteFormat

/// What the records of a database can look like.
struct KnownForms {
  private let tables: [(form: RecordForm, root: PageNumber?, counter: Int64?)]
  private let indexes: [RecordForm]

  /// The forms of the tables and indexes that have a tree; `counters` are those of AUTOINCREMENT.
  init(_ trees: [TreeSurvey], _ schema: SchemaSurvey, counters: [Name: Int64]) {
    var tables: [(form: RecordForm, root: PageNumber?, counter: Int64?)] = []
    var indexes: [RecordForm] = []
    for tree in trees {
      guard let table = schema.table(named: tree.entry.table) else { continue }
      if tree.entry.kind == .table {
        tables.append(
          (
            RecordForm(table), tree.isRowIDTable ? tree.root : nil,
            table.autoincrement ? counters[table.name] : nil
          ))
      } else if let index = schema.parsed.index(named: tree.entry.name, of: table.name) {
        indexes.append(RecordForm(index, over: table))
      }
    }
    (self.tables, self.indexes) = (tables, indexes)
  }

  /// Whether the rows on a leaf are such as a table here has, and most of them not other ones than it
  /// has by the same rowids.
  fileprivate func haveTable(of leaf: BTreePage, _ cells: [Cell], in image: Image) -> Bool {
    tables.contains { table in
      guard let root = table.root,
        table.form.isBorneOut(by: leaf, in: image, isOfIndex: false) == true
      else { return false }
      let replaced = cells.count { cell in
        guard let rowID = cell.rowID,
          let (own, page) = try? image.cell(ofRow: rowID, inTableAt: root)
        else { return false }
        return page.bytes.slice(own.local) != leaf.bytes.slice(cell.local)
      }
      return replaced * 2 <= cells.count
    }
  }

  /// Whether the rows on a leaf are such as a table here has, and have numbers that no such table has
  /// given out yet.
  fileprivate func goOn(in leaf: BTreePage, _ cells: [Cell], in image: Image) -> Bool {
    let own = tables.filter { $0.form.isBorneOut(by: leaf, in: image, isOfIndex: false) == true }
    guard let first = cells.first?.rowID, !own.isEmpty else { return false }
    return own.allSatisfy { $0.counter.map { $0 < first } ?? false }
  }

  /// Whether the records on a page are such as an index here has.
  fileprivate func haveIndex(of page: BTreePage, in image: Image) -> Bool {
    indexes.contains { $0.isBorneOut(by: page, in: image, isOfIndex: true) == true }
  }
}

extension PageClaims {
  /// Claims the pages behind the end of a whole database, where its header tells the end, nothing
  /// beyond is in use, and neither a table lies there that its schema does not name, nor rows that
  /// their table has not numbered yet.
  mutating func claim(behind header: DatabaseHeader, of image: Image, _ known: KnownForms) {
    guard header.isPageCountValid, (1..<image.pageCount).contains(header.pageCount) else { return }
    var isUsed = false
    forEach(from: header.pageCount + 1) { _, owner in isUsed = isUsed || owner != .reserved }
    guard !isUsed else { return }
    // Of a hole in the file, nothing could be taken for lost.
    let pages = image.dataPages.filter { $0.number > header.pageCount }
    let behind = PagesBehindEnd(pages, in: image, known)
    guard !behind.holdUnknownTable, !behind.holdNewerRows else { return }
    for page in pages { _ = claim(page, for: .reserved) }
  }
}

/// Pages behind the end.
private struct PagesBehindEnd {
  private let pages: PageSet
  private let image: Image
  private let known: KnownForms
  /// The first and the last rowids of leaves.
  private var ends: (firsts: Set<Int64>, lasts: Set<Int64>) = ([], [])

  init(_ pages: [PageNumber], in image: Image, _ known: KnownForms) {
    (self.pages, self.image, self.known) = (PageSet(pages), image, known)
    for (page, cells) in sound where page.kind == .tableLeaf {
      if let first = cells.first?.rowID { ends.firsts.insert(first) }
      if let last = cells.last?.rowID { ends.lasts.insert(last) }
    }
  }

  /// Those that are sound pages of trees, with their cells.
  private var sound: some Sequence<(page: BTreePage, cells: [Cell])> {
    pages.pages.lazy.compactMap { [image] number in
      guard let page = try? image.btreePage(number), let cells = page.soundCells, !cells.isEmpty
      else { return nil }
      return (page, cells)
    }
  }

  /// Whether a table that the schema does not name lies behind the end that page 1 states, because
  /// page 1 is older than that table.
  ///
  /// Its root is an interior page that leads to nothing but sound pages there: one that was left
  /// behind hardly does. Or it is a single leaf, with rows that fit no table that is known.
  var holdUnknownTable: Bool {
    sound.contains { page, cells in
      guard !page.kind.isLeaf else {
        return page.kind == .tableLeaf && isAlone(cells)
          && !known.haveTable(of: page, cells, in: image)
      }
      return leadsOnlyThere(page, cells)
        && (page.kind.isTable || !known.haveIndex(of: page, in: image))
    }
  }

  /// Whether rows lie there with numbers above the counter of their table, because page 1 and the pages
  /// of that are older than they.
  ///
  /// Of a table without AUTOINCREMENT, what an app deleted last before the file shrank looks alike.
  var holdNewerRows: Bool {
    sound.contains { page, cells in
      page.kind == .tableLeaf && known.goOn(in: page, cells, in: image)
    }
  }

  /// Whether no leaf there goes on where the rows of another one begin or end: of a table with
  /// several leaves, a page would lead to them.
  private func isAlone(_ cells: [Cell]) -> Bool {
    guard let first = cells.first?.rowID, let last = cells.last?.rowID else { return false }
    return !ends.firsts.contains(last &+ 1) && !ends.lasts.contains(first &- 1)
  }

  private func leadsOnlyThere(_ page: BTreePage, _ cells: [Cell]) -> Bool {
    page.children(of: cells).allSatisfy { child in
      guard let child, pages.contains(child), let below = try? image.btreePage(child) else {
        return false
      }
      return below.kind.isTable == page.kind.isTable && below.soundCells != nil
    }
  }
}
