// SPDX-License-Identifier: Apache-2.0
// The result as a table in Markdown, aligned for those who read it as it is.

/// The result as a table.
struct ResultTable {
  private var cells = [
    [
      "work", "result", "memory", "peer", "result", "memory", "ratio", "core", "aim", "met",
    ]
  ]

  /// Works out the rows.
  init(_ rows: [Row], _ measured: [String: Measurement]) {
    for row in rows {
      guard let ours = measured[row.work], let theirs = measured[row.peer] else { continue }
      cells.append(Self.cells(row, ours, theirs))
    }
  }

  /// The lines of the table.
  var lines: [String] {
    let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    var lines = cells.map { line($0, widths) }
    lines.insert(line(widths.map { String(repeating: "-", count: $0) }, widths), at: 1)
    return lines
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = zip(cells, widths).map { cell, width in
      cell + String(repeating: " ", count: width - cell.count)
    }
    return "| " + padded.joined(separator: " | ") + " |"
  }

  private static func cells(
    _ row: Row, _ ours: Measurement, _ theirs: Measurement
  ) -> [String] {
    let ratio: Double
    var (core, work, peer) = ("", row.work, row.peer)
    switch row.quantity {
    case .seconds:
      ratio = ours.seconds.median / theirs.seconds.median
      core = rounded(ours.coreSeconds / theirs.coreSeconds)
    case .bytes:
      ratio = Double(ours.byteCount) / Double(theirs.byteCount)
      (work, peer) = (work + ", size", peer + ", size")
    }
    let aim = row.aim.map { "≤ " + rounded($0) } ?? ""
    let met = row.aim.map { ratio <= $0 ? "yes" : "no" } ?? ""
    return [work] + result(ours, row.quantity) + [peer] + result(theirs, row.quantity)
      + [rounded(ratio), core, aim, met]
  }

  /// What was measured, and the memory that it took.
  private static func result(
    _ measurement: Measurement, _ quantity: Row.Quantity
  ) -> [String] {
    guard quantity == .seconds else {
      return ["\(measurement.byteCount / 1_000_000) MB", ""]
    }
    let (median, min, max) = measurement.seconds
    return [
      "\(time(median)) (\(time(min))–\(time(max)))",
      "\(measurement.memoryByteCount / 1_000_000) MB",
    ]
  }

  /// A time in the unit that fits.
  private static func time(_ seconds: Double) -> String {
    seconds < 1 ? "\(Int((seconds * 1000).rounded())) ms" : "\(rounded(seconds)) s"
  }

  /// A number with two decimals.
  private static func rounded(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    let hundredths = String(Int((value * 100).rounded()))
    let digits = String(repeating: "0", count: max(0, 3 - hundredths.count)) + hundredths
    return digits.dropLast(2) + "." + digits.suffix(2)
  }
}
