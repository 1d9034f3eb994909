// SPDX-License-Identifier: Apache-2.0
// What advice is made of: a sound database, and how its trees lie in it.

import SQLiteFormat

/// What advice is made of: a sound database, and how its trees lie in it.
struct AdviceBasis: Sendable {
  /// What the bytes say.
  let survey: Survey
  /// The logical database.
  let image: Image
  /// The trees that the schema names and that have a root.
  let measures: [TreeMeasure]
  private let schema: TreeMeasure?
  private let places: [Name: Int]

  /// Measures the trees of a database, several at once.
  init(_ survey: Survey, _ image: Image) {
    self.survey = survey
    self.image = image
    let trees = survey.trees.filter { $0.root != nil }
    measures = Cores.map(trees.count) { index in
      TreeMeasure(trees[index], in: image, counting: survey.numericColumns(of: trees[index]))
    }
    schema = survey.schema.map { TreeMeasure($0.tree, in: image) }
    places = Dictionary(
      trees.enumerated().map { ($0.element.entry.name, $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Whether every tree was read.
  var isWhole: Bool { measures.allSatisfy(\.isWhole) && schema?.isWhole != false }

  /// How many bytes a page has.
  var pageSize: Int { image.geometry.pageSize }
  /// How many pages the database has.
  var pageCount: Int { image.statedPageCount }
  /// How many of them are unused.
  var freePages: Int { survey.freelist?.count ?? 0 }

  /// The tables that users made, with their indexes and keys.
  var tables: [TableDescription] {
    (survey.schema?.parsed.description.tables ?? []).filter {
      $0.kind == .ordinary && !$0.name.isReserved
    }
  }

  /// How the tree of a table or index lies; nil where it has none.
  func measure(of name: Name) -> TreeMeasure? { places[name].map { measures[$0] } }

  /// How many pages the database is going to have after VACUUM.
  var pagesAfterVacuum: Int {
    var pages = measures.reduce(schema?.pagesAnew ?? 1) { $0 + $1.pagesAnew }
    if survey.header?.isAutoVacuum == true {
      // Each pointer map has the entries of the pages up to the next one.
      let mapped = image.geometry.pointerMapSpan - 1
      pages += (pages - 1 + mapped - 1) / mapped
    }
    if let lock = image.geometry.lockBytePage, pages >= lock.number { pages += 1 }
    return pages
  }
}

extension Survey {
  /// The columns of a table that prefer numbers: none where the table refuses everything else, and no
  /// dates and times, which have that preference by their names only.
  fileprivate func numericColumns(of tree: TreeSurvey) -> [TreeMeasure.Column] {
    guard tree.entry.kind == .table, let table = schema?.table(named: tree.entry.name),
      table.kind == .ordinary, !table.strict, !table.name.isReserved
    else { return [] }
    return table.storageOrder.enumerated().compactMap { place, position in
      guard table.columns.indices.contains(position), table.rowIDAlias != position else {
        return nil
      }
      let column = table.columns[position]
      let type = Name(column.type)
      guard [.integer, .real, .numeric].contains(Affinity(declaredType: column.type)),
        !type.holds("date"), !type.holds("time")
      else { return nil }
      return TreeMeasure.Column(name: column.name, type: column.type, place: place)
    }
  }
}

extension Int {
  /// The share of a whole, in percent.
  func percent(of whole: Int) -> Int { whole > 0 ? self * 100 / whole : 0 }
}
