// SPDX-License-Identifier: Apache-2.0
// Lines of text that stand on a page where its rows should begin: no row begins with text, but with
// the lengths and types of its values.

import SQLiteFormat

/// Lines of text over the beginnings of rows of a page.
struct LinesOverRows {
  /// Where the lines stand on the page.
  let range: Range<Int>
  /// How many rows should begin among them.
  let rowCount: Int

  /// The fewest bytes and line ends that tell.
  private static let (bytesMin, linesMin) = (64, 2)

  /// Looks for the lines on a page; nil where there are none, or they fill the sectors in which rows
  /// should begin, as a piece of another file does.
  init?(_ page: BTreePage) {
    let starts = (0..<page.cellCount).compactMap {
      page.bytes.big16(at: page.pointerArrayOffset + 2 * $0)
    }
    for range in Self.texts(on: page.bytes) where range.count >= Self.bytesMin {
      // A row begins with its lengths: one of those may be a printable byte at the end of a text.
      let rows = Set(starts.filter { range.contains($0) && range.contains($0 + 3) }).sorted()
      guard let first = rows.first, let last = rows.last,
        rows.count > 1 || Self.begins(first, behindAnotherOn: page, starts),
        page.bytes[range].count(where: { $0 == 0x0A }) >= Self.linesMin
      else { continue }
      let start = first / Scar.sector * Scar.sector
      let end = (last / Scar.sector + 1) * Scar.sector
      guard range.lowerBound > start || range.upperBound < end,
        !Self.isValue(range, on: page, starts)
      else { continue }
      self.range = range
      rowCount = rows.count
      return
    }
    return nil
  }

  /// Whether a row that cannot be read begins where another one ends: its pointer is right then, and
  /// what stands there is no row.
  private static func begins(
    _ start: Int, behindAnotherOn page: BTreePage, _ starts: [Int]
  ) -> Bool {
    if let cell = try? page.cell(at: start), (try? Record(page.bytes, in: cell.local)) != nil {
      return false
    }
    return starts.contains { $0 < start && (try? page.cell(at: $0))?.end == start }
  }

  /// Whether lines of text stand on a page, wherever they belong.
  static func areThere(on bytes: Bytes) -> Bool {
    texts(on: bytes).contains { range in
      range.count >= bytesMin && bytes[range].count { $0 == 0x0A } >= linesMin
    }
  }

  /// Whether the lines are the value of a whole row: then pointers are wrong that lead into it.
  private static func isValue(_ range: Range<Int>, on page: BTreePage, _ starts: [Int]) -> Bool {
    starts.contains { start in
      guard start < range.lowerBound, let cell = try? page.cell(at: start),
        cell.local.contains(range.upperBound - 1) || cell.end >= range.upperBound
      else { return false }
      return cell.overflow != nil || (try? Record(page.bytes, in: cell.local)) != nil
    }
  }

  /// The runs of printable ASCII and line ends.
  private static func texts(on bytes: Bytes) -> [Range<Int>] {
    var (runs, start) = ([Range<Int>](), 0)
    for index in 0...bytes.count {
      let isText =
        index < bytes.count
        && ((0x20...0x7E).contains(bytes[index]) || [0x09, 0x0A, 0x0D].contains(bytes[index]))
      guard !isText else { continue }
      if index > start { runs.append(start..<index) }
      start = index + 1
    }
    return runs
  }
}
