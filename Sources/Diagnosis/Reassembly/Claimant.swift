// SPDX-License-Identifier: Apache-2.0
// A tree that misses pages, or whose pages are in doubt, and what can speak for its rows.

import SQLiteFormat

/// A tree that misses pages, or whose pages are in doubt.
struct Claimant {
  /// Its position among the survey's trees.
  let position: Int
  /// Its name in the schema.
  let name: Name
  /// Whether it is a table with rowids.
  let isTable: Bool
  /// Whether it is a table, and not an index, whose entries are made anew.
  let holdsRows: Bool
  /// What its records look like; nil where its statement cannot be read.
  let form: RecordForm?
  /// The order of its rows.
  let order: PlaceOrder
  /// Whether it is an index, and nothing tells what its entries look like.
  ///
  /// What fits it may as well be rows of a table that is not known.
  var isFormlessIndex: Bool { form == nil && !holdsRows }
  /// The largest rowid that it ever gave out, where it counts them.
  let rowIDMax: Int64?
  /// The indexes over it whose entries can be computed from its rows.
  var witnesses: [Witness] = []
  /// The pages of rows that are its own, in order.
  private(set) var chain: [LeafSpan] = []
  /// Between which rows something is missing.
  private(set) var openings: [Opening] = []
  /// How many of the leaves that its tree leads to are none of its own, or not there.
  private(set) var missing = 0

  /// A stretch of a tree of which something is missing.
  struct Opening {
    /// The last row before it; nil at the start of the tree.
    let after: KeyPlace?
    /// The first row behind it; nil at the end of the tree.
    let before: KeyPlace?
    /// Whether all that is missing there are leaves that were destroyed where they lay.
    var isOfLostLeaves = false

    /// Whether rows are known on both sides.
    var isBounded: Bool { after != nil && before != nil }

    /// Whether rows at some places all lie in it.
    func contains(_ span: PlaceSpan, in order: PlaceOrder) -> Bool {
      after.map { order.compare($0, span.first) < 0 } ?? true
        && before.map { order.compare(span.last, $0) < 0 } ?? true
    }
  }

  /// What the rows of some pages look like to the claimant.
  struct Tally {
    /// How many rows can be read.
    var rows = 0
    /// Rows that SQLite could have stored here.
    var admitted = 0
    /// Rows of which every value has its declared type.
    var expected = 0
    /// Rows of which every value has its declared type, and some value shows that.
    var promised = 0
    /// Rows with every column; the others were there before the last columns were added.
    var whole = 0
    /// Rows that an index knows whose entries tell rows apart.
    var known = 0
    /// Rows that some index knows.
    var echoed = 0
    /// Rows that an index knows by entries on pages of its own.
    var proven = 0
    /// Rows that an index denies.
    var denied = 0
    /// How many of them each index denies.
    var denials: [Int] = []

    /// Whether the rows can be the claimant's; a few may be damaged.
    var fits: Bool { rows > 0 && admitted * 10 >= rows * 9 }
    /// Whether indexes know the rows: most of them, or enough where an index is in pieces.
    var isWitnessed: Bool { known * 2 > rows || known >= 3 && denied == 0 }
    /// Whether most have an entry in some index, even one whose entries tell no rows apart.
    var isEchoed: Bool { echoed * 2 > rows }
    /// Whether indexes know hardly one of them.
    var isForgotten: Bool { echoed * 4 < rows }
    /// Whether indexes know them by entries on pages of their own.
    var isProven: Bool { isWitnessed && proven * 2 > rows }
    /// Whether hardly a row has values of the declared types.
    var isUnexpected: Bool { expected * 4 < rows }
    /// Whether every row has values of the declared types, and some of them show that.
    var isPromised: Bool { expected == rows && promised * 2 > rows && fits }
    /// From how many denied rows on it can no longer be that each is damaged by itself.
    static let deniedMin = 3
    /// Whether an index denies the rows: one that is of another time, or of another table.
    ///
    /// Several that were damaged deny as many together.
    var isDenied: Bool { denials.contains(where: areMost) }
    /// The indexes that do not.
    func believed(of witnesses: [Witness]) -> [Witness] {
      zip(witnesses, denials).filter { !areMost($1) }.map(\.0)
    }
    private func areMost(_ count: Int) -> Bool { count * 2 > rows }
  }
}

extension Claimant {
  /// Judges rows that lie together.
  func tally(_ rows: some Sequence<StoredRecord>) -> Tally {
    var tally = Tally()
    let witnesses = witnesses.asked(about: rows)
    tally.denials = witnesses.map { _ in 0 }
    for row in rows {
      tally.rows += 1
      if form?.admits(row.record) ?? true { tally.admitted += 1 }
      if form?.expects(row.record) ?? true {
        tally.expected += 1
        if form?.hasTypedValue(row.record) ?? false { tally.promised += 1 }
      }
      if form.map({ row.record.fieldCount == $0.fields.count }) ?? true { tally.whole += 1 }
      let testimony = witnesses.testimony(on: row)
      if testimony.isEchoed { tally.echoed += 1 }
      if testimony.isKnown { tally.known += 1 }
      if testimony.isProven { tally.proven += 1 }
      if testimony.isDenied { tally.denied += 1 }
      for denier in testimony.deniers { tally.denials[denier] += 1 }
    }
    return tally
  }

  /// Takes the outline's pages that follow one another; what is missing between them is open.
  ///
  /// `accepted` tells which of the outline's pages can be the claimant's at all; those of stretches are.
  /// `rows` tells where all rows of a page stand.
  mutating func take(
    _ outline: Outline, accepted: (PageNumber) -> LeafSpan?,
    rows: (PageNumber) -> (places: [KeyPlace], areProven: Bool)
  ) {
    let (spans, items) = places(in: outline, accepted)
    let chosen = order.chain(spans, rows)
    chain = chosen.map(\.span)
    missing = outline.items.count - chosen.count
    openings = []
    var previous: (item: Int, span: LeafSpan, isOpen: Bool)?
    func open(until next: Int, _ before: KeyPlace?) {
      let missing = outline.items[((previous?.item ?? -1) + 1)..<next]
      openings.append(
        Opening(
          after: previous?.span.last, before: before,
          isOfLostLeaves: !missing.isEmpty && missing.allSatisfy(\.isLost)))
    }
    for page in chosen {
      let (item, span) = (items[page.place], page.span)
      // A row that is out of order may belong anywhere. Where the tree leads to one page twice,
      // nothing tells in which of the two places another page is missing.
      let isOpen = page.isTrimmed || outline.repeated.contains(span.page)
      if item > (previous?.item ?? -1) + 1 || isOpen || previous?.isOpen == true {
        open(until: item, span.first)
      }
      previous = (item, span, isOpen)
    }
    if outline.items.count > (previous?.item ?? -1) + 1 || previous?.isOpen == true {
      open(until: outline.items.count, nil)
    }
    if !order.isKnown, !openings.isEmpty { openings = [Opening(after: nil, before: nil)] }
  }

  /// The spans of an outline's pages that can be the claimant's, and their positions in it.
  private func places(
    in outline: Outline, _ accepted: (PageNumber) -> LeafSpan?
  ) -> (spans: [LeafSpan], items: [Int]) {
    var spans: [LeafSpan] = []
    var items: [Int] = []
    for (position, item) in outline.items.enumerated() {
      switch item {
      case .stretch(let stretch): spans.append(stretch.span)
      case .leaf(let page):
        guard let span = accepted(page) else { continue }
        spans.append(order.oriented(span))
      case .lost, .gap: continue
      }
      items.append(position)
    }
    return (spans, items)
  }

  /// Opens the whole tree: nothing leads to it.
  mutating func openWholly() {
    chain = []
    openings = [Opening(after: nil, before: nil)]
  }

  /// The span of several pages; nil where most of them are in another order than the claimant's.
  func span(of spans: [LeafSpan]) -> PlaceSpan? {
    guard spans.count(where: { order.compare($0.first, $0.last) > 0 }) * 2 <= spans.count else {
      return nil
    }
    var result: PlaceSpan?
    for span in spans.map(order.oriented) {
      guard let known = result else {
        result = (span.first, span.last)
        continue
      }
      result = (
        order.compare(span.first, known.first) < 0 ? span.first : known.first,
        order.compare(span.last, known.last) > 0 ? span.last : known.last
      )
    }
    return result
  }

  /// The opening that rows from one place to another lie in; nil when they lie in none.
  func opening(for span: PlaceSpan) -> Opening? {
    if let rowIDMax, case .rowID(let last) = span.last, last > rowIDMax { return nil }
    guard order.isKnown else { return openings.first }
    // They follow one another.
    let index = openings.partitioningIndex { opening in
      opening.before.map { order.compare(span.last, $0) < 0 } ?? true
    }
    guard index < openings.count, openings[index].contains(span, in: order) else { return nil }
    return openings[index]
  }

  /// Whether no row of the claimant is known from one place to another; `leaf` tells where the rows
  /// of a page stand.
  func hasRoom(for span: PlaceSpan, _ leaf: (PageNumber) -> LeafSpan?) -> Bool {
    order.isKnown
      && !chain.contains { part in
        guard order.overlap(part.places, span) else { return false }
        guard let stretch = part.stretch else { return true }
        return stretch.contains { page in
          leaf(page).map { order.overlap(order.oriented($0).places, span) } ?? true
        }
      }
  }

  /// Takes groups of pages that were found to be the claimant's.
  mutating func adopt(_ groups: [[LeafSpan]]) {
    chain += groups.joined().map(order.oriented)
    guard order.isKnown else { return }
    chain.sort { order.compare($0.first, $1.first) < 0 }
    var found = groups.compactMap(span).sorted { order.compare($0.first, $1.first) < 0 }[...]
    openings = openings.flatMap { opening in
      var (before, rest) = ([Opening](), opening)
      while let span = found.first,
        rest.before.map({ order.compare(span.first, $0) < 0 }) ?? true
      {
        found.removeFirst()
        guard rest.contains(span, in: order) else { continue }
        let isOfLostLeaves = opening.isOfLostLeaves
        before.append(
          Opening(after: rest.after, before: span.first, isOfLostLeaves: isOfLostLeaves))
        rest = Opening(after: span.last, before: rest.before, isOfLostLeaves: isOfLostLeaves)
      }
      return before + [rest]
    }
  }
}
