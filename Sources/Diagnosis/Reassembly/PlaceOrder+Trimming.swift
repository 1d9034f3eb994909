// SPDX-License-Identifier: Apache-2.0
// Pages that stand where their tree leads, but for a row or two whose key was damaged.

import SQLiteFormat

extension PlaceOrder {
  /// The pages that follow one another, and those between them of which all rows but a few do:
  /// a damaged first or last key must not cost all rows of its page.
  ///
  /// On a page that proves none of its rows, some may be those that it had before.
  func chain(
    _ spans: [LeafSpan], _ rows: (PageNumber) -> (places: [KeyPlace], areProven: Bool)
  ) -> [(place: Int, span: LeafSpan, isTrimmed: Bool)] {
    var chosen = chain(spans)[...]
    var result: [(place: Int, span: LeafSpan, isTrimmed: Bool)] = []
    for place in spans.indices {
      if chosen.first == place {
        chosen.removeFirst()
        result.append((place, spans[place], false))
      } else if isKnown, spans[place].stretch == nil,
        let span = trimmed(
          spans[place], rows(spans[place].page), after: result.last?.span.last,
          before: chosen.first.map { spans[$0].first })
      {
        result.append((place, span, true))
      }
    }
    return result
  }

  /// A page without those of its rows that do not stand between two others; nil where these are more
  /// than one, and than one in ten: of rows that nothing proves, most may be of another time.
  private func trimmed(
    _ span: LeafSpan, _ rows: (places: [KeyPlace], areProven: Bool), after: KeyPlace?,
    before: KeyPlace?
  ) -> LeafSpan? {
    let places = rows.places
    let own = places.filter { place in
      after.map { compare($0, place) < 0 } ?? true && before.map { compare(place, $0) < 0 } ?? true
    }
    guard own.count > 1,
      !rows.areProven || places.count - own.count <= max(1, places.count / 10),
      let first = own.min(by: { compare($0, $1) < 0 }),
      let last = own.max(by: { compare($0, $1) < 0 })
    else { return nil }
    return LeafSpan(page: span.page, first: first, last: last, rows: span.rows)
  }
}
