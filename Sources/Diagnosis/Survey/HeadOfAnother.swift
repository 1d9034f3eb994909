// SPDX-License-Identifier: Apache-2.0
// Whether the first page is that of another database: its schema counts only as far as the pages
// bear it out.

import SQLiteFormat

extension Survey {
  /// Whether the header and schema speak of another database than the pages behind them do.
  ///
  /// Roots that lead to sound pages which cannot be those of their tables speak against them, and so do
  /// roots above pages of others, and texts in another encoding; a root that is damaged says nothing. A
  /// header that knows how long the file is belongs to it, unless it leads to none of its tables. Values
  /// of other types than their columns declare are an app's own affair, as long as no root leads to what
  /// cannot be there.
  ///
  /// In a file that has lost the byte with which the leaves of tables begin, what they begin with
  /// speaks against nothing.
  var speaksOfAnother: Bool {
    speaksOfAnother(believing: .kinds)
      && (image?.lacksTableLeaves != true || speaksOfAnother(believing: .rows))
  }

  /// What of the pages is held against a head.
  private enum Witness {
    /// Their kinds, and their rows.
    case kinds
    /// Their rows: the leaves of tables may be taken for those of indexes.
    case rows
  }

  private func speaksOfAnother(believing witness: Witness) -> Bool {
    guard let schema, (schema.sources[.schemaTable] ?? 0) > 1 else { return false }
    if knowsLength {
      let tables = judged(trees.filter { $0.entry.kind == .table }, believing: witness)
      return tables.borneOut == 0 && tables.contradicted >= Self.tablesMin
        && leadsToTheImpossible(believing: witness)
    }
    if let image, EncodingVote(image).contradicts(schema.encoding) { return true }
    let roots = judged(trees, believing: witness)
    return roots.contradicted > 1 && roots.contradicted * 2 > roots.borneOut * 3
      && leadsToTheImpossible(believing: witness)
  }

  /// Whether a root leads to what SQLite could not have stored there, whatever types the columns declare.
  private func leadsToTheImpossible(believing witness: Witness) -> Bool {
    guard let image, let schema else { return false }
    return trees.contains {
      isHeadBorneOut(by: $0, in: image, schema, believing: witness, expecting: false) == false
    }
  }

  /// Whether as many roots lead to pages that can be those of their trees as are contradicted in another
  /// reading of the files; or half as many, and each of the others to what is missing.
  func answers(_ other: Survey) -> Bool {
    let (own, contradicted) = (rootsJudged, other.rootsJudged.contradicted)
    let isClear = own.contradicted == 0 && own.borneOut >= Self.rootsMin
    return own.borneOut * (isClear ? 2 : 1) >= contradicted
  }

  /// So many roots do not fit by chance.
  private static let rootsMin = 3

  /// So many tables have not changed places by chance.
  private static let tablesMin = 4

  /// How many roots the pages bear out, and how many they contradict.
  private var rootsJudged: (borneOut: Int, contradicted: Int) { judged(trees) }

  private func judged(
    _ trees: [TreeSurvey], believing witness: Witness = .kinds
  ) -> (borneOut: Int, contradicted: Int) {
    guard let image, let schema else { return (0, 0) }
    let judged = trees.compactMap { isHeadBorneOut(by: $0, in: image, schema, believing: witness) }
    let borneOut = judged.count { $0 }
    return (borneOut, judged.count - borneOut)
  }

  /// Whether the root of a tree and the pages right below it can be those that the schema says; nil where
  /// nothing tells.
  private func isHeadBorneOut(
    by tree: TreeSurvey, in image: Image, _ schema: SchemaSurvey, believing witness: Witness,
    expecting: Bool = true
  ) -> Bool? {
    if witness == .rows, tree.isRowIDTable, image.leadsToLeavesOfIndexes(from: tree.root) {
      return nil
    }
    return isContradictedBelow(tree, in: image, schema, expecting: expecting)
      ? false : isBorneOut(tree, in: image, schema, expecting: expecting)
  }

  /// Whether the header counts fewer pages than the trees lead to, or more than there are, of which no
  /// tree misses one.
  var countsPagesOfAnother: Bool {
    guard let header, let image, header.isPageCountValid else { return false }
    let behind = header.pageCount..<max(header.pageCount, image.pageCount)
    guard behind.isEmpty else {
      return behind.contains { PageNumber($0 + 1).flatMap { claims.owner(of: $0) }?.tree != nil }
    }
    return header.pageCount > image.pageCount && !trees.isEmpty && trees.allSatisfy(\.isReadable)
  }

  /// Whether the header has the number of pages that there are.
  private var knowsLength: Bool {
    guard let header, let image, header.isPageCountValid else { return false }
    return header.pageCount == image.statedPageCount
  }

  /// Whether the page that a root leads to can be that of the tree that the schema says; nil where
  /// nothing tells.
  ///
  /// Of the pages below it only those are looked at that have not moved. Where `expecting`, values have
  /// to be of the types that their columns declare.
  func isBorneOut(
    _ tree: TreeSurvey, in image: Image, _ schema: SchemaSurvey, expecting: Bool = true
  ) -> Bool? {
    guard let root = tree.root, let page = try? image.btreePage(root), page.soundCells != nil
    else { return nil }
    guard page.kind.isTable == tree.isRowIDTable else { return false }
    return form(of: tree, schema)?.isBorneOut(
      by: page, in: image, isOfIndex: tree.entry.kind == .index, expecting: expecting)
  }

  /// Whether the pages right below a root, which came with the head, are those of other trees.
  private func isContradictedBelow(
    _ tree: TreeSurvey, in image: Image, _ schema: SchemaSurvey, expecting: Bool
  ) -> Bool {
    guard let root = tree.root, let page = try? image.btreePage(root) else { return false }
    return form(of: tree, schema)?.isContradicted(
      belowRoot: page, in: image, isOfIndex: tree.entry.kind == .index, expecting: expecting)
      ?? false
  }

  /// What the records of a tree look like; nil where its statement cannot be read.
  func form(of tree: TreeSurvey, _ schema: SchemaSurvey) -> RecordForm? {
    guard let table = schema.table(named: tree.entry.table) else {
      return tree.entry.name == "sqlite_sequence" ? .sequence : nil
    }
    if tree.entry.kind == .table { return RecordForm(table) }
    return schema.parsed.index(named: tree.entry.name, of: table.name)
      .map { RecordForm($0, over: table) }
  }
}
