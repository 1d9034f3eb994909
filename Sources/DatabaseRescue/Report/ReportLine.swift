// SPDX-License-Identifier: Apache-2.0
// One line of a report for people, whose words know what they are but not how that looks.

/// One line of a report for people.
///
/// Every text in it is harmless to a terminal.
public struct ReportLine: Hashable, Sendable {
  /// What some words of a line are; how that looks is for the reader's side to decide.
  public enum Style: Hashable, Sendable, CaseIterable {
    /// The title of what follows.
    case heading
    /// All is as it should be.
    case good
    /// Something is not as it should be, and no row depends on it.
    case warning
    /// Something is broken or lost.
    case bad
    /// What only some want to know.
    case dim
    /// What to look at, such as a command to paste.
    case emphasised
  }

  /// Some words of one style.
  public struct Span: Hashable, Sendable {
    /// The words.
    public let text: String
    /// What they are; nil for plain text.
    public let style: Style?
  }

  /// The words of the line, in order.
  public private(set) var spans: [Span]

  /// The line without styles.
  public var plain: String { spans.map(\.text).joined() }

  init(_ text: String = "", _ style: Style? = nil) {
    spans = text.isEmpty ? [] : [Span(text: text, style: style)]
  }

  static func + (left: ReportLine, right: ReportLine) -> ReportLine {
    var sum = left
    sum.spans += right.spans
    return sum
  }

  /// The number of columns that the line takes, roughly: one for each character.
  var width: Int { spans.reduce(0) { $0 + $1.text.count } }
}

/// Cells in aligned columns; the last column is wrapped where it is too long.
struct ReportColumns {
  /// The columns whose cells are aligned at their ends, such as numbers.
  var numeric: Set<Int> = []
  private(set) var rows: [[ReportLine]] = []

  private static let indent = "  "
  private static let gap = "  "
  private static let width = 100

  init(numeric: Set<Int> = []) {
    self.numeric = numeric
  }

  mutating func add(_ cells: ReportLine...) { rows.append(cells) }
  mutating func add(_ cells: [ReportLine]) { rows.append(cells) }

  /// The lines of the table, indented; in every row but the last cell is padded.
  var lines: [ReportLine] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.compactMap { $0.indices.contains(column) ? $0[column].width : nil }.max() ?? 0
    }
    return rows.flatMap { line($0, widths) }
  }

  private func line(_ cells: [ReportLine], _ widths: [Int]) -> [ReportLine] {
    var line = ReportLine(Self.indent)
    for (column, cell) in cells.dropLast().enumerated() {
      let space = ReportLine(String(repeating: " ", count: widths[column] - cell.width))
      line = line + (numeric.contains(column) ? space + cell : cell + space) + ReportLine(Self.gap)
    }
    guard let last = cells.last else { return [line] }
    if numeric.contains(cells.count - 1) {
      let space = String(repeating: " ", count: widths[cells.count - 1] - last.width)
      return [line + ReportLine(space) + last]
    }
    let room = max(40, Self.width - line.width)
    let parts = last.wrapped(to: room)
    let hanging = ReportLine(String(repeating: " ", count: line.width))
    return parts.enumerated().map { ($0 == 0 ? line : hanging) + $1 }
  }
}

extension ReportLine {
  /// The line cut between words into lines of at most so many columns.
  ///
  /// A word that is longer stands alone and is never cut: it may be a command to paste.
  fileprivate func wrapped(to columns: Int) -> [ReportLine] {
    guard width > columns else { return [self] }
    var lines: [ReportLine] = []
    var line = ReportLine()
    for span in spans {
      for (index, word) in span.text.split(separator: " ", omittingEmptySubsequences: false)
        .enumerated()
      {
        let space = index > 0 && !line.spans.isEmpty ? " " : ""
        if index > 0, !line.spans.isEmpty, line.width + 1 + word.count > columns {
          lines.append(line)
          line = ReportLine(String(word), span.style)
        } else {
          line = line + ReportLine(space + word, span.style)
        }
      }
    }
    return lines + [line]
  }
}
