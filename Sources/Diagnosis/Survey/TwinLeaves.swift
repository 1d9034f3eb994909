// SPDX-License-Identifier: Apache-2.0
// Leaves of two tables that are the same page, byte by byte: one of them was written to the wrong
// place, where another table of its form had rows.
//
//   one      1-30   31-61   62-90           other    1-28   31-61   58-85
//                     |                                       |
//                     +--------- the same bytes --------------+

import SQLiteFormat

/// What is kept of a leaf of a table to find another one with the same bytes.
struct LeafMark: Hashable, Sendable {
  /// A few of its bytes.
  let glance: UInt64
  /// Its page.
  let page: PageNumber
  /// At how many ends its rows begin and end where those of such a leaf most often do: behind the
  /// last key before them, and with the key that divides them from the next ones.
  let closeness: Int8
  /// Whether its last row has the key that divides it from the next leaf, where there is one.
  let endsAsDivided: Bool
  /// Whether it is the root.
  let isRoot: Bool

  /// The mark of a leaf of a table with rowids; nil for one that tells nothing.
  init?(_ visit: TreeWalk.Visit) {
    guard visit.page.kind == .tableLeaf, let first = visit.content.cells.first?.rowID,
      let last = visit.content.cells.last?.rowID
    else { return nil }
    glance = visit.page.bytes.glance
    page = visit.page.number
    let beginsClose = visit.lower.map { first.subtractingReportingOverflow(1) == ($0, false) }
    closeness = (beginsClose ?? false ? 1 : 0) + (visit.upper == last ? 1 : 0)
    endsAsDivided = visit.upper.map { $0 == last } ?? true
    isRoot = visit.depth == 0
  }
}

/// The search for leaves that were written to the wrong place.
struct TwinLeaves {
  /// A leaf, by its tree and its position among the tree's leaves.
  private struct Place {
    let tree: Int
    let leaf: Int
  }

  private let image: Image
  private let trees: [TreeSurvey]
  /// The largest rowid that a table ever gave out, where it counts them.
  private let counters: () -> [Name: Int64]
  /// Finds the pages that may be those of a table that has lost its root.
  private let orphans: () -> [PageNumber]

  init(
    _ image: Image, _ trees: [TreeSurvey], counters: @escaping () -> [Name: Int64],
    orphans: @escaping () -> [PageNumber]
  ) {
    (self.image, self.trees, self.counters, self.orphans) = (image, trees, counters, orphans)
  }

  /// The leaves that are not those of the tree that leads to them, and both where nothing tells which
  /// of two it is; by the positions of the trees.
  ///
  /// Tables that were copied as a whole have like leaves side by side: these tell nothing.
  var misdirected: [(tree: Int, page: PageNumber)] {
    var places: [UInt64: [Place]] = [:]
    for (tree, survey) in trees.enumerated() {
      for (leaf, mark) in survey.leafMarks.enumerated() {
        places[mark.glance, default: []].append(Place(tree: tree, leaf: leaf))
      }
    }
    let pairs = places.values.filter { $0.count == 2 && $0[0].tree != $0[1].tree }
    guard !pairs.isEmpty else { return [] }
    let counters = counters()
    return pairs.flatMap { wrong(of: $0[0], $0[1], counters) }
      .map { ($0.tree, mark(of: $0).page) }
      .sorted { $0.1 < $1.1 }
  }

  /// The roots that hold nothing but a copy of another table's leaf, whose rows have other types, or
  /// fewer values, than theirs, or of the root of an index; by the positions of the trees.
  ///
  /// No other table has as many columns, and so their leaves have no marks. A keyed table may have what an
  /// index of another one has, to the last byte, where a trigger fills it: then its rows have all columns.
  func copiedRoots(
    _ claims: PageClaims, _ schema: SchemaSurvey
  ) -> [(tree: Int, page: PageNumber)] {
    // Many tables can ask: each page is read once.
    lazy var indexRoots = Dictionary(
      grouping: trees.filter { $0.entry.kind == .index && $0.pages == 1 }
    ) { $0.root.flatMap(glance) }
    lazy var owned = Dictionary(
      grouping: image.dataPages.filter { page in
        claims.owner(of: page)?.tree.map(trees.indices.contains) == true
      }, by: glance)
    return trees.indices.compactMap { index in
      let tree = trees[index]
      guard tree.pages == 1, tree.leafMarks.isEmpty, tree.records > 0, tree.entry.kind == .table,
        let root = tree.root, root != .first, let bytes = try? image.bytes(of: root)
      else { return nil }
      guard tree.rowsOfOthers * 2 > tree.records else {
        let isCopy =
          !tree.isRowIDTable
          && indexRoots[bytes.glance, default: []].contains { isRoot(of: $0, tree.records, bytes) }
          && lacksColumns(root, of: schema.table(named: tree.entry.name))
        return isCopy ? (index, root) : nil
      }
      let isCopy = owned[bytes.glance, default: []].contains { page in
        page != root && claims.owner(of: page)?.tree != index
          && (try? image.bytes(of: page)) == bytes
      }
      return isCopy ? (index, root) : nil
    }
  }

  /// How many leaves of a table are looked at whose rows all lack columns: a table to which columns
  /// were added has more of them.
  static let shortMax = 16

  /// The leaves that are copies of another tree's, whose records have fewer values than the table has
  /// columns; by the positions of the trees.
  ///
  /// Of a table that was copied before columns were added to one of the two, like leaves end with the
  /// row that divides them from the next one. Of those of keys, a copy is that of an index.
  func copiedShortLeaves(_ claims: PageClaims) -> [(tree: Int, page: PageNumber)] {
    let suspects = trees.indices.filter {
      (1...Self.shortMax).contains(trees[$0].shortLeaves.count)
    }
    guard !suspects.isEmpty else { return [] }
    var places: [UInt64: [(tree: Int, page: PageNumber)]] = [:]
    for tree in suspects {
      for page in trees[tree].shortLeaves {
        if let glance = glance(of: page) { places[glance, default: []].append((tree, page)) }
      }
    }
    return image.dataPages.flatMap { page -> [(tree: Int, page: PageNumber)] in
      guard let owner = claims.owner(of: page)?.tree, trees.indices.contains(owner),
        let bytes = try? image.bytes(of: page), let alike = places[bytes.glance]
      else { return [] }
      return alike.filter { place in
        owner != place.tree
          && (trees[place.tree].isRowIDTable || trees[owner].entry.kind == .index)
          && (try? image.bytes(of: place.page)) == bytes
      }
    }
  }

  private func glance(of page: PageNumber) -> UInt64? { (try? image.bytes(of: page))?.glance }

  /// Whether these bytes are the root, and the only page, of an index that has what its table has.
  private func isRoot(of tree: TreeSurvey, _ records: Int, _ bytes: Bytes) -> Bool {
    guard tree.entry.kind == .index, tree.pages == 1, tree.records == records, tree.isSound,
      let root = tree.root, (try? image.bytes(of: root)) == bytes
    else { return false }
    let table = trees.first { $0.entry.kind == .table && $0.entry.name == tree.entry.table }
    return table?.expectedKeys[tree.entry.name] == tree.keys
  }

  /// Whether no row on a page has a value for each column that a table stores.
  private func lacksColumns(_ root: PageNumber, of table: TableDescription?) -> Bool {
    guard let page = try? image.btreePage(root), let cells = page.soundCells, let table else {
      return false
    }
    let count = table.columns.count { $0.generated != .virtual }
    return cells.allSatisfy { cell in
      (try? image.record(of: cell, on: page).record.fieldCount).map { $0 < count } ?? false
    }
  }

  private func mark(of place: Place) -> LeafMark { trees[place.tree].leafMarks[place.leaf] }

  /// Those of two leaves that are out of place; none where they are not the same, or may be rows that
  /// an app has copied.
  private func wrong(of one: Place, _ other: Place, _ counters: [Name: Int64]) -> [Place] {
    let marks = (mark(of: one), mark(of: other))
    guard let rows = rows(of: marks.0.page), rows == self.rows(of: marks.1.page),
      Set(rows.values).count * 2 > rows.count, rows.count > 1
    else { return [] }
    // Of a table that counts its rowids, none is above the counter.
    let beyond = [one, other].filter { place in
      counters[trees[place.tree].entry.name].map { counter in
        rows.keys.allSatisfy { $0 > counter }
      } ?? false
    }
    if beyond.count == 1 { return beyond }
    // A root has no neighbours; it is the table's, unless that has rows elsewhere, or cannot have these.
    if marks.0.isRoot || marks.1.isRoot {
      let strange = [one, other].filter {
        trees[$0.tree].rowsOfOthers * 2 > trees[$0.tree].records
      }
      if strange.count == 1 { return strange }
      guard marks.0.isRoot != marks.1.isRoot else { return [] }
      let inner = marks.0.isRoot ? other : one
      // A leaf that was the root of a table until the next row did not fit ends with the last row that did.
      if !mark(of: inner).endsAsDivided, areSamePage(marks.0, marks.1) { return [inner] }
      let (beside, orphans) = (rowsBeside(inner), orphans())
      let isAlone = orphans.allSatisfy { areApart(self.rows(of: $0) ?? [:], beside) }
      return !orphans.isEmpty && isAlone ? [marks.0.isRoot ? one : other] : []
    }
    guard areApart(rowsBeside(one), rowsBeside(other)) else { return [] }
    let trust = (self.trust(in: one), self.trust(in: other))
    return (trust.0 <= trust.1 ? [one] : []) + (trust.1 <= trust.0 ? [other] : [])
  }

  private func areSamePage(_ one: LeafMark, _ other: LeafMark) -> Bool {
    let bytes = try? image.bytes(of: one.page)
    return bytes != nil && bytes == (try? image.bytes(of: other.page))
  }

  /// How much speaks for a leaf where it stands: first what indexes say, then keys that meet.
  private func trust(in place: Place) -> Int {
    let tree = trees[place.tree]
    let says = trees.lazy.filter { $0.entry.kind == .index && $0.entry.table == tree.entry.name }
      .compactMap { index in
        index.isSound ? tree.expectedKeys[index.entry.name].map { $0 == index.keys } : nil
      }
    let indexes = says.contains(false) ? -1 : says.contains(true) ? 1 : 0
    return indexes * 4 + Int(mark(of: place).closeness) - (isMisplaced(place) ? 8 : 0)
  }

  /// Whether two lists of rows have none in common.
  private func areApart(_ rows: [Int64: Bytes], _ others: [Int64: Bytes]) -> Bool {
    rows.allSatisfy { others[$0.key] != $0.value }
  }

  private func isMisplaced(_ place: Place) -> Bool {
    let page = mark(of: place).page
    return trees[place.tree].misplaced.first.contains { $0.page == page }
  }

  /// The bytes of the rows of a leaf, by their rowids.
  private func rows(of page: PageNumber) -> [Int64: Bytes]? {
    guard let page = try? image.btreePage(page), let cells = page.soundCells else { return nil }
    return Dictionary(
      cells.compactMap { cell in cell.rowID.map { ($0, page.bytes.slice(cell.local)) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The rows of the leaves on either side of one.
  private func rowsBeside(_ place: Place) -> [Int64: Bytes] {
    let marks = trees[place.tree].leafMarks
    return [place.leaf - 1, place.leaf + 1].filter(marks.indices.contains)
      .compactMap { rows(of: marks[$0].page) }
      .reduce(into: [:]) { all, rows in all.merge(rows) { first, _ in first } }
  }
}
