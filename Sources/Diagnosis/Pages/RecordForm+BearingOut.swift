// SPDX-License-Identifier: Apache-2.0
// Whether the page that a root leads to bears out what a statement says of its rows.

import SQLiteFormat

extension RecordForm {
  /// Whether the rows on a root, or on a leaf below it, are of this form; nil where nothing
  /// tells.
  ///
  /// Where `expecting`, values have to be of the types that their columns declare.
  func isBorneOut(
    by root: BTreePage, in image: Image, isOfIndex: Bool, expecting: Bool = true
  ) -> Bool? {
    guard let records = image.sampledRecords(below: root), !records.isEmpty else { return nil }
    return isOf(records, isOfIndex: isOfIndex, expecting: expecting)
  }

  /// How many sound pages below a root tell something of it, at least.
  private static let tellingMin = 4

  /// Whether no more than half of the pages below a root are of its kind and hold rows of this
  /// form, where the root has them or had them.
  func isContradicted(
    belowRoot root: BTreePage, in image: Image, isOfIndex: Bool, expecting: Bool
  ) -> Bool {
    let pages = image.pages(below: root)
    guard pages.count >= Self.tellingMin else { return false }
    let fitting = pages.count { below in
      below.page.kind.isTable == root.kind.isTable && below.hasItsRows
        && isOf(
          image.sampledRecords(below: below.page) ?? [], isOfIndex: isOfIndex, expecting: expecting)
    }
    return fitting * 2 <= pages.count
  }

  private func isOf(_ records: [Record], isOfIndex: Bool, expecting: Bool) -> Bool {
    let fitting = records.count { record in
      admits(record) && (!expecting || expects(record))
        && (!isOfIndex || record.fieldCount == fields.count)
    }
    return fitting * 4 >= records.count * 3
  }
}

extension Image {
  /// How many records of a tree are looked at.
  private static var sampleMax: Int { 64 }
  /// How many overflow pages are followed for them.
  private static var overflowMax: Int { 1 << 12 }

  /// Some records of a tree; nil where it has none, or none is sure to be its.
  func sampledRecords(ofTree root: PageNumber?) -> [Record]? {
    guard let root, let page = try? btreePage(root),
      let records = sampledRecords(below: page), !records.isEmpty
    else { return nil }
    return records
  }

  /// Some records on a root, or on a leaf below it; nil where none is sure to be its.
  func sampledRecords(below root: BTreePage) -> [Record]? {
    guard let rows = root.kind == .tableInterior ? leaf(below: root) : root,
      let cells = rows.mostCells
    else { return nil }
    var patience = Self.overflowMax
    return cells.prefix(Self.sampleMax).compactMap { record(of: $0, on: rows, &patience) }
  }

  /// How many children of an interior page are looked at.
  private static var childrenMax: Int { 16 }

  /// How many children of a root are looked at.
  private static var childrenOfRootMax: Int { 128 }
  /// How many levels below a root are looked at: damaged pages can lead back to those above.
  private static var levelsBelowRoot: Int { 3 }

  /// Some of the pages below an interior page, as far as they can be read, and whether each has rowids
  /// that it may have there, or may have had before the pages moved: up to a key of the page above.
  fileprivate func pages(
    below page: BTreePage, most: Int = childrenOfRootMax, levels: Int = levelsBelowRoot
  ) -> [(page: BTreePage, hasItsRows: Bool)] {
    guard !page.kind.isLeaf, let cells = page.mostCells else { return [] }
    let keys = Set(cells.compactMap(\.rowID))
    return cells.indices.prefix(most).flatMap { index -> [(page: BTreePage, hasItsRows: Bool)] in
      guard let child = PageNumber(cells[index].leftChild), let content = try? btreePage(child),
        let rows = content.mostCells
      else { return [] }
      guard page.kind == .tableInterior, let most = cells[index].rowID,
        let first = rows.first?.rowID, let last = rows.last?.rowID
      else { return [(content, true)] }
      let isBetween =
        last <= most && (index == 0 || cells[index - 1].rowID.map { $0 < first } == true)
      let hasItsRows = isBetween || keys.contains(last)
      return content.kind == .tableInterior && hasItsRows && levels > 1
        ? pages(below: content, most: Self.childrenMax, levels: levels - 1)
        : [(content, hasItsRows)]
    }
  }

  /// Whether a root is a page as the leaves of indexes are, or one of the pages below it is.
  func leadsToLeavesOfIndexes(from root: PageNumber?) -> Bool {
    guard let page = root.flatMap({ try? btreePage($0) }) else { return false }
    return page.kind == .indexLeaf || pages(below: page).contains { $0.page.kind == .indexLeaf }
  }

  /// A leaf below an interior page of a table, whose rowids show that it has not moved.
  fileprivate func leaf(below page: BTreePage) -> BTreePage? {
    TreeWalk.descend(from: page) { page in
      if page.kind.isLeaf { return .arrived }
      let children = 0..<min(page.cellCount, Self.childrenMax)
      return children.firstResult { child($0, of: page) }.map { .below($0) } ?? .lost
    }
  }

  /// A child of an interior page; nil where its rowids do not show that it has not moved.
  private func child(_ position: Int, of page: BTreePage) -> BTreePage? {
    guard let cell = try? page.cell(position), let child = PageNumber(cell.leftChild),
      let next = try? btreePage(child), next.kind.isTable, let cells = next.mostCells,
      let first = cells.first?.rowID, let last = cells.last?.rowID, let most = cell.rowID,
      last < most || next.kind.isLeaf && last == most
    else { return nil }
    // The last row below a pointer may have been deleted since, and the first one behind the pointer
    // before; hardly both.
    let before = position > 0 ? (try? page.cell(position - 1))?.rowID : nil
    return !next.kind.isLeaf || last == most || before.map { $0 &+ 1 == first } == true ? next : nil
  }
}

extension BTreePage {
  /// The cells that can be read, where hardly one cannot; nil elsewhere.
  var mostCells: [Cell]? {
    if let cells = soundCells { return cells }
    let cells = (0..<cellCount).compactMap { try? cell($0) }
    return !cells.isEmpty && cells.count * 10 >= cellCount * 9 ? cells : nil
  }
}
