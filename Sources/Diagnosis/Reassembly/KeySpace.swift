// SPDX-License-Identifier: Apache-2.0
// Where rows and pages stand in the order of their tree, and which of them follow one another.

import SQLiteFormat

/// Where a row stands in its tree.
enum KeyPlace: Sendable {
  /// In a table: by its rowid.
  case rowID(Int64)
  /// In an index, or a table WITHOUT ROWID: by the first values of its key.
  case key([Value])

  /// How many values of a key are kept; longer keys are hardly told apart by the rest.
  private static let valuesMax = 8

  /// The place of a row.
  init(_ row: StoredRecord) {
    if let rowID = row.rowID {
      self = .rowID(rowID)
    } else {
      let count = min(row.record.fieldCount, Self.valuesMax)
      self = .key((0..<count).map { row.record.value($0) ?? .null })
    }
  }
}

/// The places of some rows, from the first to the last.
typealias PlaceSpan = (first: KeyPlace, last: KeyPlace)

/// The order of the rows of one tree.
enum PlaceOrder: Sendable {
  /// By rowid.
  case rowID
  /// By key; nil where nothing is known of it.
  case key(KeyOrder?)

  /// Negative, 0 or positive as one place comes before another, is alike, or comes after it.
  ///
  /// Places that cannot be compared are alike.
  func compare(_ left: KeyPlace, _ right: KeyPlace) -> Int {
    switch (self, left, right) {
    case (.rowID, .rowID(let left), .rowID(let right)): left < right ? -1 : left > right ? 1 : 0
    case (.key(let order?), .key(let left), .key(let right)): order.compare(left, right)
    default: 0
    }
  }

  /// Whether rows of one span can stand among those of another.
  func overlap(_ left: PlaceSpan, _ right: PlaceSpan) -> Bool {
    compare(left.first, right.last) <= 0 && compare(right.first, left.last) <= 0
  }

  /// The span of a page with its first and last row by this order, which may not be those by position.
  ///
  /// Where most rows follow one another, a few damaged keys must not widen the span.
  func oriented(_ span: LeafSpan) -> LeafSpan {
    guard isKnown, !span.unordered.isEmpty else { return span }
    let places = span.unordered
    // Rows that were inserted in the order of their keys lie in the page from its end to its start.
    let ascents = [places, places.reversed()].map { places in
      places.longestAscent(by: precedes).map { places[$0] }
    }
    let ascent = ascents.max { $0.count < $1.count } ?? []
    let isOrdered = ascent.count * 4 >= places.count * 3
    let low = isOrdered ? ascent.first : places.min(by: precedes)
    let high = isOrdered ? ascent.last : places.max(by: precedes)
    guard let low, let high else { return span }
    return LeafSpan(page: span.page, first: low, last: high, rows: span.rows)
  }

  private func precedes(_ left: KeyPlace, _ right: KeyPlace) -> Bool { compare(left, right) < 0 }

  /// Whether two different rows always stand at different places.
  var isKnown: Bool {
    switch self {
    case .rowID: true
    case .key(let order): order.map { !$0.columns.isEmpty } ?? false
    }
  }
}

/// A page of rows, or several that follow one another, and where they stand.
struct LeafSpan {
  /// The page.
  let page: PageNumber
  /// The place of its first row.
  let first: KeyPlace
  /// The place of its last row.
  let last: KeyPlace
  /// How many rows speak for it.
  var rows: Int
  /// The places of all its rows, where the page no longer tells their order.
  var unordered: [KeyPlace] = []
  /// The pages, where these are several with which nothing is wrong; `page` is the first.
  var stretch: [PageNumber]?
  /// The pages of which some row has overflow pages.
  var spilling: [PageNumber] = []

  /// All its pages.
  var pages: [PageNumber] { stretch ?? [page] }

  /// Where they stand.
  var places: PlaceSpan { (first, last) }
}

extension PlaceOrder {
  /// The heaviest choice of pages that follow one another without overlapping, as positions.
  ///
  /// What a few damaged or foreign pages say must not outweigh what the many agree on. Where the
  /// order is not known, every page is chosen.
  func chain(_ spans: [LeafSpan]) -> [Int] {
    guard isKnown, !follow(spans) else { return Array(spans.indices) }
    let ranks = ranks(of: spans)
    // Heaviest chain that ends at or before a rank, as a Fenwick tree of maxima.
    var heaviest = Array(repeating: (weight: 0, span: -1), count: 2 * spans.count + 2)
    func best(below rank: Int) -> (weight: Int, span: Int) {
      var result = (weight: 0, span: -1)
      var index = rank
      while index > 0 {
        if heaviest[index].weight > result.weight { result = heaviest[index] }
        index -= index & -index
      }
      return result
    }
    var previous = Array(repeating: -1, count: spans.count)
    var end = (weight: 0, span: -1)
    for index in spans.indices {
      let (low, high) = ranks[index]
      guard low <= high else { continue }
      let before = best(below: low - 1)
      previous[index] = before.span
      let weight = before.weight + max(1, spans[index].rows)
      if weight > end.weight { end = (weight, index) }
      var slot = high
      while slot < heaviest.count {
        if weight > heaviest[slot].weight { heaviest[slot] = (weight, index) }
        slot += slot & -slot
      }
    }
    var chain: [Int] = []
    var index = end.span
    while index >= 0 {
      chain.append(index)
      index = previous[index]
    }
    return chain.reversed()
  }

  /// Whether each page ends before the next one starts.
  private func follow(_ spans: [LeafSpan]) -> Bool {
    spans.allSatisfy { compare($0.first, $0.last) <= 0 }
      && zip(spans, spans.dropFirst()).allSatisfy { compare($0.last, $1.first) < 0 }
  }

  /// The stretches of which some pages may not be in the heaviest choice, of pages at ascending places
  /// of a tree's outline.
  func contestedStretches(among places: [(position: Int, span: LeafSpan)]) -> [LeafSpan] {
    guard isKnown, !follow(places.map(\.span)) else { return [] }
    let stretches = places.filter { $0.span.stretch != nil }
    let chosen = Set(chain(stretches.map(\.span)))
    let backbone = stretches.indices.filter(chosen.contains).map { stretches[$0] }
    var contested = stretches.indices.filter { !chosen.contains($0) }.map { stretches[$0].span }
    let rivals = contested.map(\.page)
    let others = places.filter { $0.span.stretch == nil || rivals.contains($0.span.page) }
    guard others.count <= Self.rivalsMax / max(1, backbone.count) else {
      return stretches.map(\.span)
    }
    let weight = others.reduce(0) { $0 + max(1, $1.span.rows) }
    var found: Set<Int> = []
    for other in others {
      let conflicts = backbone.indices.filter { !isApart(backbone[$0], other) }
      let outweighed = conflicts.filter { isWhollyContested(backbone[$0], by: other) }
        .reduce(0) { $0 + backbone[$1].span.rows }
      // What would cost more rows than all such pages have is not chosen.
      if outweighed <= weight { found.formUnion(conflicts) }
    }
    contested += found.sorted().map { backbone[$0].span }
    return contested
  }

  /// How many pairs of stretches and other pages are compared at most.
  private static let rivalsMax = 1 << 22

  /// Whether a stretch and another page can both be chosen.
  private func isApart(
    _ stretch: (position: Int, span: LeafSpan), _ other: (position: Int, span: LeafSpan)
  ) -> Bool {
    stretch.position < other.position
      ? compare(stretch.span.last, other.span.first) < 0
      : compare(other.span.last, stretch.span.first) < 0
  }

  /// Whether another page can be chosen with no page of a stretch.
  private func isWhollyContested(
    _ stretch: (position: Int, span: LeafSpan), by other: (position: Int, span: LeafSpan)
  ) -> Bool {
    stretch.position < other.position
      ? compare(stretch.span.first, other.span.first) >= 0
      : compare(other.span.last, stretch.span.last) >= 0
  }

  /// The ranks, from 1, of every page's first and last place among all of them.
  private func ranks(of spans: [LeafSpan]) -> [(low: Int, high: Int)] {
    let places = spans.flatMap { [$0.first, $0.last] }
    let sorted = places.indices.sorted { compare(places[$0], places[$1]) < 0 }
    var ranks = Array(repeating: 0, count: places.count)
    var rank = 0
    for (position, place) in sorted.enumerated() {
      if position == 0 || compare(places[sorted[position - 1]], places[place]) != 0 { rank += 1 }
      ranks[place] = rank
    }
    return spans.indices.map { (ranks[2 * $0], ranks[2 * $0 + 1]) }
  }
}
