// SPDX-License-Identifier: Apache-2.0
// The page map as a drawing: squares where there are few pages, points of a picture where there are
// many.

extension PageMap {
  /// Up to so many pages are drawn as squares, each with its words.
  private static let squaresMax = 4096

  /// The drawing with its legend.
  var drawing: HTML {
    """
    <p>\(explanation)</p>
    \(cells.count <= Self.squaresMax ? squares : picture)<ul class="legend">
    \(legend)</ul>
    \(damagedList)
    """
  }

  private var explanation: String {
    let shape = cells.count <= Self.squaresMax ? "square" : "point"
    let pages = "\(pageCount.of("page")), from left to right and from top to bottom"
    let rows = "Each row has \(columns.grouped) of them."
    return pagesPerCell == 1
      ? "Each \(shape) is one page. There are \(pages). \(rows)"
      : "Each \(shape) is \(pagesPerCell.of("page")), and shows the worst of them. There are \(pages). \(rows)"
  }

  /// How many cells a row has.
  private var columns: Int {
    switch cells.count {
    case ...512: min(32, cells.count)
    case ...Self.squaresMax: 64
    case ...60_000: 240
    case ...300_000: 480
    default: 960
    }
  }

  private var label: String {
    let parts = Kind.allCases.compactMap { kind in
      counts[kind].map { "\($0.grouped) \(kind.rawValue)" }
    }
    return "Map of the pages: " + parts.joined(separator: ", ")
  }
}

extension PageMap {
  /// Up to 4,096 squares.
  private var squares: HTML {
    let step = columns <= 32 ? 24 : 12
    let rows = (cells.count + columns - 1) / columns
    return """
      <svg class="map" role="img" aria-label="\(label)" width="\(String(columns * step))" \
      height="\(String(rows * step))" viewBox="-1 -1 \(String(columns * step)) \(String(rows * step))">
      \(runs.map { path($0, step) })</svg>

      """
  }

  /// Neighbours that are alike: drawn at once, with one description.
  private var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    for index in cells.indices where index + 1 == cells.count || cells[index + 1] != cells[index] {
      runs.append(start..<(index + 1))
      start = index + 1
    }
    return runs
  }

  private func path(_ run: Range<Int>, _ step: Int) -> HTML {
    let style = Self.className(of: cells[run.lowerBound])
    let squares = run.map { index in
      Self.square(style, index % columns * step, index / columns * step, side: step - 2)
    }.joined()
    return """
      <path class="\(style)" d="\(squares)">\
      <title>\(title(run))</title></path>

      """
  }

  /// A square as a path; a damaged one is crossed out, so that it shows without its colour.
  private static func square(_ style: String, _ left: Int, _ top: Int, side: Int) -> String {
    let square = "M\(left) \(top)h\(side)v\(side)h-\(side)z"
    guard style == Kind.damaged.rawValue else { return square }
    return square + "l\(side) \(side)m0-\(side)l-\(side) \(side)"
  }

  private func title(_ run: Range<Int>) -> String {
    let first = run.lowerBound * pagesPerCell + 1
    let last = min(run.upperBound * pagesPerCell, pageCount)
    let pages =
      first == last ? "page \(first.grouped)" : "pages \(first.grouped) to \(last.grouped)"
    return "\(pages): \(words(for: cells[run.lowerBound]))"
  }

  private func words(for colour: UInt8) -> String {
    guard colour >= Self.firstOwnerColour else {
      return Kind.allCases.first { $0.colour == colour }?.words ?? ""
    }
    let owner = owners[Int(colour - Self.firstOwnerColour)]
    return (owner.isIndex ? "index " : "table ") + owner.name
  }
}

extension PageMap {
  /// A point for each page.
  private var picture: HTML {
    let rows = (cells.count + columns - 1) / columns
    let scale = max(1, 960 / columns)
    let image = IndexedPicture(
      width: columns, height: rows, palette: Self.palette, points: cells,
      beyond: Kind.missing.colour, clear: Kind.missing.colour)
    return """
      <img class="map points" alt="\(label)" width="\(String(columns * scale))" \
      height="\(String(rows * scale))" src="\(image.address)" />

      """
  }

  private var legend: [HTML] {
    let own = owners.enumerated().map { place, owner in
      entry(
        "owner\(place)", "\(owner.isIndex ? "index" : "table") \(HTML.name(owner.name))",
        owner.pages)
    }
    let rest = Kind.allCases.compactMap { kind -> HTML? in
      let named = owners.reduce(0) { $0 + ($1.isIndex == (kind == .index) ? $1.pages : 0) }
      let count = counts[kind, default: 0]
      switch kind {
      case .table, .index:
        return count > named && owners.count == Self.ownersMax
          ? entry(kind.rawValue, "other \(kind == .table ? "tables" : "indexes")", count - named)
          : nil
      default: return counts[kind] == nil ? nil : entry(kind.rawValue, "\(kind.words)", count)
      }
    }
    return own + rest
  }

  private func entry(_ style: String, _ words: HTML, _ count: Int) -> HTML {
    """
    <li><svg viewBox="-1 -1 12 12" aria-hidden="true"><path class="\(style)" \
    d="\(Self.square(style, 0, 0, side: 10))"></path></svg>\(words): \(count.grouped)</li>

    """
  }

  /// The pages with something wrong, by number: on a large map they are small.
  private var damagedList: HTML {
    guard !damaged.isEmpty else { return "" }
    var ranges: [ClosedRange<Int>] = []
    for page in damaged {
      if let last = ranges.last, last.upperBound + 1 == page {
        ranges[ranges.count - 1] = last.lowerBound...page
      } else {
        ranges.append(page...page)
      }
    }
    let words = ranges.prefix(60).map { range in
      range.count == 1
        ? range.lowerBound.grouped : "\(range.lowerBound.grouped)–\(range.upperBound.grouped)"
    }
    let rest = counts[.damaged, default: 0] - ranges.prefix(60).reduce(0) { $0 + $1.count }
    return """
      <p class="pages">Damaged: \(words.joined(separator: ", "))\
      \(rest > 0 ? " and \(rest.of("page")) more" : "")</p>

      """
  }
}

extension PageMap.Kind {
  /// The kind in words.
  fileprivate var words: String {
    switch self {
    case .table: "a table"
    case .index: "an index"
    case .system: "schema and SQLite’s own books"
    case .free: "unused"
    case .unowned: "belongs to nothing"
    case .missing: "missing from the file"
    case .damaged: "damaged"
    }
  }
}
