// SPDX-License-Identifier: Apache-2.0
// Whether the first page is that of another database: its schema counts only as far as the pages
// bear it out.

import SQLiteFormat

extension Survey {
  /// How many records of a tree are looked at.
  private static let sampleMax = 64

  /// Whether the header and schema speak of another database than the pages behind them do.
  ///
  /// Roots that lead to sound pages which cannot be those of their tables speak against them; a
  /// root that is damaged says nothing. A header that knows how long the file is belongs to it.
  var speaksOfAnother: Bool {
    guard let image, let schema, (schema.sources[.schemaTable] ?? 0) > 1, !knowsLength else {
      return false
    }
    var (borneOut, contradicted) = (0, 0)
    for tree in trees {
      switch isBorneOut(tree, in: image, schema) {
      case true?: borneOut += 1
      case false?: contradicted += 1
      case nil: break
      }
    }
    return contradicted > 1 && contradicted > 3 * borneOut
  }

  /// Whether the header has the number of pages that there are.
  private var knowsLength: Bool {
    guard let header, let image, header.isPageCountValid else { return false }
    return header.pageCount == image.statedPageCount
  }

  /// Whether what a root leads to is the tree that the schema says; nil where nothing tells.
  private func isBorneOut(
    _ tree: TreeSurvey, in image: Image, _ schema: SchemaSurvey
  ) -> Bool? {
    guard let root = tree.root, let page = try? image.btreePage(root),
      page.layoutFaults.isEmpty
    else { return nil }
    guard page.kind.isTable == tree.isRowIDTable else { return false }
    guard let position = position(of: tree), let form = claimant(position, schema).form else {
      return nil
    }
    let records = sample(of: tree, root, in: image)
    guard !records.isEmpty else { return nil }
    let isIndex = tree.entry.kind == .index
    let fitting = records.count { record in
      form.admits(record) && form.expects(record)
        && (!isIndex || record.fieldCount == form.fields.count)
    }
    return fitting * 4 >= records.count * 3
  }

  /// The first records of a tree.
  private func sample(of tree: TreeSurvey, _ root: PageNumber, in image: Image) -> [Record] {
    var records: [Record] = []
    var claims = PageClaims(pageCount: image.pageCount)
    var scan = TreeScan(
      image, root: root, isTable: tree.isRowIDTable, owner: Self.firstTreeOwner)
    scan.run(&claims) { event in
      if case .record(let stored) = event { records.append(stored.record) }
      return records.count < Self.sampleMax
    }
    return records
  }
}
