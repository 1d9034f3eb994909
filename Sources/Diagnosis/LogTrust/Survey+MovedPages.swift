// SPDX-License-Identifier: Apache-2.0
// Whether it looks as if pages had moved, and whether more is reached when they are put back.

import SQLiteFormat

extension Survey {
  /// Whether trees lead to sound pages that are not theirs, as they do where pages moved.
  var leadsAstray: Bool {
    guard let image else { return false }
    let misplaced = everyTree.lazy.flatMap { $0.pageFaults.first + $0.misplaced.first }
      .filter { fault in
        guard let page = fault.page.flatMap({ try? image.btreePage($0) }) else { return false }
        return page.layoutFaults.isEmpty
      }
    return misplaced.prefix(2).count == 2
  }

  /// Whether the file has another number of pages than its header counts, and a tree leads to a page
  /// of it that is none of a tree.
  func leadsAmiss(in image: Image) -> Bool {
    guard let header, header.isPageCountValid, header.pageCount != image.pageCount else {
      return false
    }
    return everyTree.contains { tree in
      tree.pageFaults.first.contains { fault in
        fault.page.map { $0.number <= image.pageCount } ?? false
      }
    }
  }

  /// Whether pages are missing, and before the first one there is room for some of them.
  func hasPagesInFront(of image: Image) -> Bool {
    guard let header, header.isPageCountValid else { return false }
    return image.start >= image.geometry.pageSize && image.pageCount < header.pageCount
  }

  /// Whether trees lead to pages that are none, in a file that ends inside a page: bytes may be
  /// missing or have been put in anywhere.
  func missesPartOfPage(in image: Image) -> Bool {
    (image.files.main.byteCount - image.start) % image.geometry.pageSize != 0
      && everyTree.contains { !$0.pageFaults.first.isEmpty || !$0.layoutFaults.first.isEmpty }
  }

  /// Whether a page of a tree lies askew, where one of its pages should lie.
  func meetsPagesAskew(in image: Image) throws(ReadFailure) -> Bool {
    let faults = everyTree.lazy.flatMap { tree in
      tree.pageFaults.first + tree.layoutFaults.first + tree.cellFaults.first
    }
    var seen: Set<PageNumber> = []
    for page in faults.compactMap(\.page) where image.origin(of: page) == .main {
      guard seen.count < 64 else { break }
      let offset = image.offset(of: page)
      guard offset >= 0, seen.insert(page).inserted else { continue }
      if try PageSlots.placeAskew(in: image.files.main, image.geometry, from: offset) != nil {
        return true
      }
    }
    return false
  }

  private var everyTree: [TreeSurvey] { (schema.map { [$0.tree] } ?? []) + trees }

  /// The roots that the schema names, and the first page.
  var roots: [MovedPages.Root] {
    guard let schema else { return [] }
    return trees.compactMap { tree in
      guard let root = tree.root else { return nil }
      return MovedPages.Root(
        number: root.number, isTable: tree.isRowIDTable, form: form(of: tree, schema))
    }
  }

  /// Whether trees lead to more rows than in another survey of the same files; or to more entries of
  /// indexes, and to all rows but for some that are in doubt.
  func reachesMore(than other: Survey, doubting rows: Int) -> Bool {
    let (own, others) = (reached(.table), other.reached(.table))
    return own > others || own + rows >= others && reached(.index) > other.reached(.index)
  }

  /// How many records trees lead to that can be theirs.
  private func reached(_ kind: SchemaEntry.Kind) -> Int {
    trees.reduce(0) { $1.entry.kind == kind ? $0 + max(0, $1.records - $1.rowsOfOthers) : $0 }
  }
}
