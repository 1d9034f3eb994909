// SPDX-License-Identifier: Apache-2.0
// Whether the page that a root leads to bears out what a statement says of its rows.

import SQLiteFormat

extension RecordForm {
  /// Whether the rows on a root, or on a leaf below it, are of this form; nil where nothing
  /// tells.
  func isBorneOut(by root: BTreePage, in image: Image, isOfIndex: Bool) -> Bool? {
    guard let records = image.sampledRecords(below: root), !records.isEmpty else { return nil }
    return isOf(records, isOfIndex: isOfIndex)
  }

  /// How many sound pages below a root tell something of it, at least.
  private static let tellingMin = 4

  /// Whether no more than half of the pages right below a root are of its kind and hold rows of this form.
  func isContradicted(belowRoot root: BTreePage, in image: Image, isOfIndex: Bool) -> Bool {
    let pages = image.sampledChildren(of: root)
    guard pages.count >= Self.tellingMin else { return false }
    let fitting = pages.count { page in
      guard page.kind.isTable == root.kind.isTable else { return false }
      return page.kind == .tableInterior
        || isOf(image.sampledRecords(below: page) ?? [], isOfIndex: isOfIndex)
    }
    return fitting * 2 <= pages.count
  }

  private func isOf(_ records: [Record], isOfIndex: Bool) -> Bool {
    let fitting = records.count { record in
      admits(record) && expects(record) && (!isOfIndex || record.fieldCount == fields.count)
    }
    return fitting * 4 >= records.count * 3
  }
}

extension Image {
  /// How many records of a tree are looked at.
  private static var sampleMax: Int { 64 }

  /// Some records on a root, or on a leaf below it; nil where none is sure to be its.
  func sampledRecords(below root: BTreePage) -> [Record]? {
    guard let rows = root.kind == .tableInterior ? leaf(below: root) : root,
      let cells = rows.mostCells
    else { return nil }
    return cells.prefix(Self.sampleMax).compactMap { try? record(of: $0, on: rows).record }
  }

  /// How many children of an interior page are looked at.
  private static var childrenMax: Int { 16 }

  /// Some of the pages right below an interior page, as far as they can be read.
  fileprivate func sampledChildren(of page: BTreePage) -> [BTreePage] {
    guard !page.kind.isLeaf, let cells = page.mostCells else { return [] }
    return page.children(of: cells).prefix(Self.childrenMax).compactMap { child in
      child.flatMap { try? btreePage($0) }.flatMap { $0.mostCells == nil ? nil : $0 }
    }
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
    // The last row below a pointer may have been deleted since; mostly it is there.
    guard let cell = try? page.cell(position), let child = PageNumber(cell.leftChild),
      let next = try? btreePage(child), next.kind.isTable, let cells = next.mostCells,
      let last = cells.last?.rowID, let most = cell.rowID,
      next.kind.isLeaf ? last == most : last < most
    else { return nil }
    return next
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
