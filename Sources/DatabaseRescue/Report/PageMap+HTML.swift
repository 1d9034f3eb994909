// SPDX-License-Identifier: Apache-2.0
// The page map as a drawing: one square for each page, or for some.

extension PageMap {
  private static let columns = 64
  private static let step = 12
  private static let side = 10

  /// The drawing with its legend.
  var drawing: HTML {
    let columns = min(Self.columns, cells.count)
    let rows = (cells.count + columns - 1) / columns
    let width = String(columns * Self.step)
    let height = String(rows * Self.step)
    return """
      <p>\(explanation)</p>
      <svg class="map" role="img" aria-label="\(label)" width="\(width)" height="\(height)" \
      viewBox="-1 -1 \(width) \(height)">
      \(runs.map(path))</svg>
      <ul class="legend">
      \(Kind.allCases.filter { counts[$0] != nil }.map(legend))</ul>

      """
  }

  private var explanation: String {
    let pages = "\(pageCount.of("page")), from left to right and from top to bottom"
    return pagesPerCell == 1
      ? "Each square is one page. There are \(pages)."
      : "Each square is \(pagesPerCell.of("page")), and shows the worst of them. There are \(pages)."
  }

  private var label: String {
    let parts = Kind.allCases.compactMap { kind in
      counts[kind].map { "\($0.grouped) \(kind.rawValue)" }
    }
    return "Map of the pages: " + parts.joined(separator: ", ")
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

  private func path(_ run: Range<Int>) -> HTML {
    let cell = cells[run.lowerBound]
    let squares = run.map { index in
      let left = index % Self.columns * Self.step
      let top = index / Self.columns * Self.step
      return "M\(left) \(top)h\(Self.side)v\(Self.side)h-\(Self.side)z"
    }.joined()
    return """
      <path class="\(cell.kind.rawValue)" d="\(squares)"><title>\(title(run, cell))</title></path>

      """
  }

  private func title(_ run: Range<Int>, _ cell: Cell) -> String {
    let first = run.lowerBound * pagesPerCell + 1
    let last = min(run.upperBound * pagesPerCell, pageCount)
    let pages =
      first == last ? "page \(first.grouped)" : "pages \(first.grouped) to \(last.grouped)"
    let owner = cell.owner.flatMap { owners.indices.contains($0) ? " of \(owners[$0])" : nil } ?? ""
    return "\(pages): \(cell.kind.words)\(owner)"
  }

  private func legend(_ kind: Kind) -> HTML {
    """
    <li><svg viewBox="-1 -1 12 12" aria-hidden="true"><path class="\(kind.rawValue)" \
    d="M0 0h10v10h-10z"></path></svg>\(kind.words): \(counts[kind, default: 0].grouped)</li>

    """
  }
}

extension PageMap.Kind {
  /// The kind in words.
  fileprivate var words: String {
    switch self {
    case .table: "table"
    case .index: "index"
    case .system: "schema and SQLite’s own books"
    case .free: "unused"
    case .unowned: "belongs to nothing"
    case .missing: "missing from the file"
    case .damaged: "damaged"
    }
  }
}
