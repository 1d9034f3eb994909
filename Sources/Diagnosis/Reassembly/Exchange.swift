// SPDX-License-Identifier: Apache-2.0
// Pages that have changed places: the keys between which its parent puts a page tell, and of roots
// the indexes.

import SQLiteFormat

/// A place that an interior page gives to a page below it (section 1.6).
struct TreePlace {
  /// The page that stands there.
  let page: PageNumber
  /// The key behind which all rows there come; nil at the start of the tree.
  let after: KeyPlace?
  /// The key up to which they go; nil at the end of the tree.
  let upTo: KeyPlace?

  /// Whether rows from one key to another can stand there.
  func admits(_ span: PlaceSpan, in order: PlaceOrder) -> Bool {
    after.map { order.compare($0, span.first) < 0 } ?? true
      && upTo.map { order.compare(span.last, $0) <= 0 } ?? true
  }

  /// At how many ends the rows begin and end where those of such a place most often do: behind the
  /// last one before them, and with the key that divides them from the next ones.
  func closeness(of span: PlaceSpan) -> Int {
    var ends = 0
    if case .rowID(let after)? = after, case .rowID(let first) = span.first {
      ends += first.subtractingReportingOverflow(1) == (after, false) ? 1 : 0
    }
    if case .rowID(let upTo)? = upTo, case .rowID(let last) = span.last {
      ends += last == upTo ? 1 : 0
    }
    return ends
  }
}

/// The search for pages that have changed places.
final class ExchangeSearch {
  /// A table whose tree can be followed.
  struct Table {
    let root: PageNumber
    let survey: TreeSurvey
    let form: RecordForm
    let order: PlaceOrder
  }

  /// How many suspects are looked at, at most: more than a few pages have not changed places, and a
  /// file may be made to be slow.
  private static let suspectsMax = 16
  /// How many tables with rows of others are looked at, at most: one page that is put in a wrong place
  /// gives a tree some, and there are as many places as pages.
  private static let mixedMax = 256
  /// How much more rows tell that their table cannot have than keys that meet.
  private static let strangeness = 4

  let survey: Survey
  private let schema: SchemaSurvey
  let pages: PageReader
  /// The tables whose trees can be followed: a sound database is not asked for them.
  private(set) lazy var tables = survey.trees.compactMap { table(of: $0) }
  /// The pages of the free list that are leaves.
  private(set) lazy var freeLeaves = (survey.freelist.map { $0.trunks + $0.leaves } ?? [])
    .filter { (try? pages.image.btreePage($0))?.kind.isLeaf ?? false }
  /// The indexes that do not hold the keys that they should by the rows of their tables.
  private(set) lazy var indexesAmiss = survey.expectedOfIndexes.filter {
    $0.keys.count > 0 && $0.index.keys != $0.keys
  }
  /// The roots that lie above those that the schema names, by the positions of their trees.
  private(set) lazy var raisedRoots = rootsAboveStated()
  /// The tables whose roots have changed places, unless those of their indexes have.
  private(set) var undecided: [[Name]] = []

  init(_ survey: Survey, _ schema: SchemaSurvey, _ pages: PageReader) {
    (self.survey, self.schema, self.pages) = (survey, schema, pages)
  }

  private func table(of tree: TreeSurvey) -> Table? {
    guard tree.entry.kind == .table, let root = tree.root,
      let form = survey.form(of: tree, schema)
    else { return nil }
    let order = survey.order(of: tree)
    return order.isKnown ? Table(root: root, survey: tree, form: form, order: order) : nil
  }

  /// Of each page that has changed places, the page that stands in its own.
  func run() -> [PageNumber: PageNumber] {
    var exchanged = movedInteriors
    guard exchanged.isEmpty else { return exchanged }
    func exchange(_ page: PageNumber, for other: PageNumber?) {
      guard let other, exchanged[page] == nil, exchanged[other] == nil else { return }
      exchanged[page] = other
      exchanged[other] = page
    }
    for place in placesOfThemselves.prefix(Self.suspectsMax) {
      exchange(place.page, for: leaf(for: place))
    }
    let counts = Set(indexesAmiss.map(\.keys.count))
    let rivals = survey.trees.lazy.filter { !$0.isRowIDTable && counts.contains($0.records) }
    for table in rivals.compactMap(table(of:)).prefix(Self.suspectsMax) {
      exchange(table.root, for: rootOfIndexWithRows(of: table))
    }
    let strange = survey.trees.lazy.filter { $0.rowsOfOthers * 2 > $0.records || $0.isOutOfOrder }
    for table in strange.compactMap(table(of:)).prefix(Self.suspectsMax) {
      exchange(table.root, for: rootForRowsOfOthers(in: table))
    }
    let mixed = survey.trees.lazy.filter(\.hasRowsOfOthers).compactMap(table(of:))
    for table in mixed.prefix(Self.mixedMax) {
      let (leaves, interiors) = misfits(of: table)
      for place in interiors.prefix(Self.suspectsMax) {
        exchange(place.page, for: leaf(for: place))
      }
      for place in leaves.prefix(Self.suspectsMax) {
        exchange(place.page, for: partner(of: place, in: table))
      }
    }
    let unknown = survey.trees.lazy.filter { tree in
      self.disagreesWithIndexes(tree)
        && self.survey.position(of: tree).map { self.raisedRoots[$0] == nil } ?? true
    }.compactMap(table(of:))
    for table in unknown.prefix(Self.suspectsMax) {
      guard let other = tableOfWhatIndexesKnow(of: table), exchanged[table.root] == nil else {
        continue
      }
      exchange(table.root, for: other.root)
      // One index can be another table's as well; several are hardly so together.
      if [table, other].allSatisfy({ survey.soundIndexes(over: $0.survey).count < 2 }) {
        undecided.append([table.survey.entry.name, other.survey.entry.name].sorted())
      }
    }
    return exchanged
  }

  /// The places at which an interior page that no tree leads to leads to itself: it has changed places
  /// with the page that should stand there.
  private var placesOfThemselves: some Sequence<TreePlace> {
    survey.unclaimed.lazy.compactMap { unclaimed -> TreePlace? in
      guard case .btree(.tableInterior, _) = unclaimed.content else { return nil }
      let itself = TreePlace(page: unclaimed.page, after: nil, upTo: nil)
      return self.places(below: itself, isTable: true).first { $0.page == unclaimed.page }
    }
  }

  /// The leaf that is the root of a table, whose rows would stand in a place where an interior page
  /// is instead, if the rows below that page can be the table's, and there is one such table.
  private func leaf(for place: TreePlace) -> PageNumber? {
    let fitting = tables.filter { table in
      guard table.survey.pages == 1, let span = span(of: table.root, table),
        place.admits(span, in: table.order)
      else { return false }
      let below = pages.reading(of: place.page, isTable: table.survey.isRowIDTable)?.children ?? []
      let leaf = below.lazy.filter { $0 != place.page }.map { self.rows(on: $0, table) }
        .first { !$0.isEmpty }
      return leaf?.allSatisfy { table.form.admits($0.record) } ?? false
    }
    return fitting.count == 1 ? fitting[0].root : nil
  }

  /// The page of another table that stands where a misplaced leaf would, if its rows would stand in
  /// the place of that leaf and the two fit better so, and there is one such page that fits best.
  private func partner(of place: TreePlace, in table: Table) -> PageNumber? {
    guard let span = span(of: place.page, table) else { return nil }
    let rows = rows(on: place.page, table)
    var best: (page: PageNumber, closeness: Int)?
    var isBestAlone = true
    for other in tables where other.root != table.root {
      guard other.survey.isRowIDTable == table.survey.isRowIDTable,
        rows.allSatisfy({ other.form.admits($0.record) }),
        let there = self.place(of: span.first, in: other), there.admits(span, in: other.order),
        let found = self.span(of: there.page, other), place.admits(found, in: table.order),
        self.rows(on: there.page, other).allSatisfy({ table.form.admits($0.record) })
      else { continue }
      let isStrange = areStrange(self.rows(on: there.page, other), other.form)
      let closeness =
        there.closeness(of: span) + place.closeness(of: found) + (isStrange ? Self.strangeness : 0)
      guard !there.admits(found, in: other.order) || closeness > there.closeness(of: found) else {
        continue
      }
      if best.map({ $0.closeness < closeness }) ?? true {
        (best, isBestAlone) = ((there.page, closeness), true)
      } else if best?.closeness == closeness {
        isBestAlone = false
      }
    }
    return isBestAlone ? best?.page : nil
  }

  /// Whether a tree has not what it should have, or other rows.
  func isAmiss(_ tree: TreeSurvey) -> Bool {
    !tree.isReadable || tree.hasRowsOfOthers || disagreesWithIndexes(tree)
  }

  /// Whether a table has rows that no sound index over it holds, or has not what they hold.
  func disagreesWithIndexes(_ tree: TreeSurvey) -> Bool {
    let indexes = survey.soundIndexes(over: tree)
    return tree.isReadable && tree.records > 0 && !indexes.isEmpty
      && indexes.allSatisfy { $0.keys != tree.expectedKeys[$0.entry.name] }
  }

  /// The table whose rows are those that the sound indexes over another one hold.
  ///
  /// That one without entries goes with a table without rows says nothing: such a table must be one whose
  /// own indexes hold the rows of the other.
  private func tableOfWhatIndexesKnow(of table: Table) -> Table? {
    tables.first { other in
      other.root != table.root && other.survey.isReadable
        && other.survey.isRowIDTable == table.survey.isRowIDTable
        && indexes(over: table, holdRowsOf: other)
        && (other.survey.records > 0 || indexes(over: other, holdRowsOf: table))
    }
  }

  /// Whether the sound indexes over a table, of which there is one at least, hold the rows of another.
  private func indexes(over table: Table, holdRowsOf other: Table) -> Bool {
    let sound = survey.soundIndexes(over: table.survey)
    guard sound.allSatisfy({ $0.records == other.survey.records }),
      let description = schema.table(named: table.survey.entry.table),
      let shape = schema.shape(ofTable: description.name)
    else { return false }
    let keys = schema.computableIndexes(of: description, shape).compactMap { index in
      sound.first { $0.entry.name == index.name }.map { (index, $0.keys) }
    }
    guard !keys.isEmpty else { return false }
    var tally = RecordTally(indexes: keys.map(\.0), sumsKeys: false, shape: nil, order: nil)
    pages.image.forEachRecord(ofTree: other.root, isTable: other.survey.isRowIDTable) { row in
      tally.add(row)
      return true
    }
    return tally.expected == keys.map(\.1)
  }

  /// The places of a table's tree where a leaf stands whose rows do not, and those among leaves
  /// where an interior page does.
  func misfits(of table: Table) -> (leaves: [TreePlace], interiors: [TreePlace]) {
    let suspects = Set(table.survey.suspectPages)
    var (leaves, interiors): ([TreePlace], [TreePlace]) = ([], [])
    var pending = [TreePlace(page: table.root, after: nil, upTo: nil)]
    var seen = PageSet([table.root])
    while let place = pending.popLast() {
      let below = places(below: place, isTable: table.survey.isRowIDTable, table.order)
      let kinds = below.map { (try? pages.image.btreePage($0.page))?.kind }
      // All leaves of a tree lie at one depth.
      let isAboveLeaves = kinds.count { $0?.isLeaf ?? false } * 2 > kinds.count
      let isSuspect = isAboveLeaves && below.contains { suspects.contains($0.page) }
      for (child, kind) in zip(below, kinds) {
        guard let kind, kind.isTable == table.survey.isRowIDTable, seen.insert(child.page) else {
          continue
        }
        if !kind.isLeaf {
          if isAboveLeaves { interiors.append(child) } else { pending.append(child) }
        } else if isSuspect, let span = span(of: child.page, table),
          !child.admits(span, in: table.order)
            || areStrange(rows(on: child.page, table), table.form)
        {
          leaves.append(child)
        }
      }
    }
    return (leaves, interiors)
  }

  /// The place of a table's leaves where a key belongs.
  private func place(of key: KeyPlace, in table: Table) -> TreePlace? {
    let root = TreePlace(page: table.root, after: nil, upTo: nil)
    return TreeWalk.descend(from: root) { place in
      guard let page = try? pages.image.btreePage(place.page) else { return .lost }
      if page.kind.isLeaf { return .arrived }
      let next = places(below: place, isTable: table.survey.isRowIDTable, table.order).first {
        $0.upTo.map { table.order.compare(key, $0) <= 0 } ?? true
      }
      return next.map { .below($0) } ?? .lost
    }
  }

  /// The places that an interior page gives; none where not every one of its keys can be read.
  func places(
    below place: TreePlace, isTable: Bool, _ order: PlaceOrder = .rowID
  ) -> [TreePlace] {
    guard let reading = pages.reading(of: place.page, isTable: isTable),
      !reading.page.kind.isLeaf, reading.content.layoutFault == nil
    else { return [] }
    let keys =
      isTable
      ? reading.content.cells.compactMap(\.rowID).map { KeyPlace.rowID($0) }
      : pages.rows(on: place.page, isTable: false).map { KeyPlace($0) }
    let children = reading.children
    guard children.count == keys.count + 1,
      zip(keys, keys.dropFirst()).allSatisfy({ order.compare($0, $1) < 0 })
    else { return [] }
    return children.indices.map { index in
      TreePlace(
        page: children[index], after: index > 0 ? keys[index - 1] : place.after,
        upTo: index < keys.count ? keys[index] : place.upTo)
    }
  }

  func span(of page: PageNumber, _ table: Table) -> PlaceSpan? {
    pages.span(of: page, isTable: table.survey.isRowIDTable).map { table.order.oriented($0).places }
  }

  func rows(on page: PageNumber, _ table: Table) -> [StoredRecord] {
    pages.rows(on: page, isTable: table.survey.isRowIDTable)
  }

  private func areStrange(_ rows: [StoredRecord], _ form: RecordForm) -> Bool {
    rows.count { form.admits($0.record) } * 2 < rows.count
  }
}
