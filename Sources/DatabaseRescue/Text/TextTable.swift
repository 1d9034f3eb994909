// SPDX-License-Identifier: Apache-2.0
// A table of aligned columns.

/// A table of aligned columns.
package struct TextTable: Sendable {
  /// One column.
  package struct Column: Sendable {
    /// The words above it.
    let title: String
    /// Whether it holds numbers, which are aligned at their end.
    var isNumeric = false
    /// Whether its cells may be cut to fit the terminal.
    ///
    /// Never said of codes and names
    /// that somebody has to type.
    var canShrink = false

    /// A column of words.
    package static func text(_ title: String) -> Column { Column(title: title) }
    /// A column of numbers.
    package static func number(_ title: String) -> Column { Column(title: title, isNumeric: true) }
    /// A column of words that may be cut.
    package static func prose(_ title: String) -> Column { Column(title: title, canShrink: true) }
  }

  private let columns: [Column]
  private let isIndented: Bool
  private let isWrapped: Bool
  private var rows: [[StyledText]] = []

  /// Makes an empty table.
  ///
  /// In one that is wrapped, long words at the end of a row go on below: in an indented one, too, which
  /// is part of a report.
  package init(_ columns: [Column], isIndented: Bool = false, isWrapped: Bool = false) {
    self.columns = columns
    self.isIndented = isIndented
    self.isWrapped = isWrapped || isIndented
  }

  /// Lines of a report, one below the other.
  package static func list(_ items: [StyledText]) -> [StyledText] {
    var table = TextTable([.prose("")], isIndented: true)
    for item in items { table.add([item]) }
    return table.lines()
  }

  /// Adds a row, one cell for each column; only a row that says what is left out may have fewer.
  package mutating func add(_ cells: [StyledText]) {
    precondition(cells.count <= columns.count, "a row has one cell for each column")
    rows.append(cells)
  }

  /// The lines of the table.
  ///
  /// - Parameter width: The columns of the terminal; nil where nothing is to be cut.
  /// - Returns: The titles, if there are any, and a line for each row.
  package func lines(width: Int? = nil) -> [StyledText] {
    let titles = columns.map { StyledText(verbatim: $0.title, .heading) }
    let hasTitles = columns.contains { !$0.title.isEmpty }
    let all = (hasTitles ? [titles] : []) + rows
    var widths = columns.indices.map { index in
      all.map { $0.indices.contains(index) ? $0[index].width : 0 }.max() ?? 0
    }
    if let width { shrink(&widths, to: width) }
    return all.flatMap { lines($0, widths) }
  }

  private static let gap = StyledText(verbatim: "  ")
  private static let narrowest = 8
  /// How wide a report is where nothing but its words say so.
  static let reportWidth = 80

  private func shrink(_ widths: inout [Int], to width: Int) {
    var excess = widths.reduce(0, +) + Self.gap.width * (widths.count - 1) - width
    while excess > 0 {
      let shrinkable = widths.indices.filter {
        columns[$0].canShrink && widths[$0] > Self.narrowest
      }
      guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { return }
      widths[widest] -= 1
      excess -= 1
    }
  }

  private func lines(_ cells: [StyledText], _ widths: [Int]) -> [StyledText] {
    var line = isIndented ? Self.gap : StyledText(verbatim: "")
    for (index, cell) in cells.enumerated() {
      let cell = cell.truncated(to: widths[index])
      let space = StyledText(
        verbatim: String(repeating: " ", count: max(0, widths[index] - cell.width)))
      if index > 0 { line = line + Self.gap }
      if columns[index].isNumeric {
        line = line + space + cell
      } else if index < cells.count - 1 {
        line = line + cell + space
      } else {
        return isWrapped ? hanging(cell, behind: line) : [line + cell]
      }
    }
    return [line]
  }

  /// The last words of a row: what is too long goes on below, under its beginning.
  private func hanging(_ words: StyledText, behind line: StyledText) -> [StyledText] {
    let below = StyledText(verbatim: String(repeating: " ", count: line.width))
    let parts = words.wrapped(to: max(40, Self.reportWidth - line.width))
    return parts.enumerated().map { ($0 == 0 ? line : below) + $1 }
  }
}
