// SPDX-License-Identifier: Apache-2.0
// The account of a merge as a file to keep.

import Diagnosis

extension MergeAnswer {
  /// The account in the form that was asked for.
  ///
  /// - Throws: ``RescueError`` of kind `internal`, which is a defect.
  package func rendered(as format: ReportFormat) throws(RescueError) -> String {
    switch format {
    case .text: text
    case .json: try document.indented + "\n"
    case .html: html
    }
  }

  private var text: String {
    let foot = ["", "support code \(code)", "made by \(Tool.name)"]
    return (shown().map(\.plain) + foot).map { $0.harmless(limit: String.lineLimit) + "\n" }
      .joined()
  }

  private var html: String {
    let lists: [HTML] = sections.map { section in
      let shown = section.items.prefix(DiagnosisReport.listLimit)
      let items: [HTML] = shown.map { "<li>\($0.shownMessage)</li>\n" }
      return .section(
        section.title.capitalizedFirst,
        ["<ul>\n\(items)</ul>\n", .more(section.items.count - shown.count)])
    }
    return HTML.page(
      title: "\(output): merge \(word)", tool: "\(Tool.name) (\(Tool.libraries))",
      [
        .masthead(
          kind: "Merge", file: output, created: started, word: word, style: style,
          meaning: meaning, ["<p>Merged from \(sources), the oldest first.</p>\n"]),
        .supportCode(code),
        .section("What to do", ["<p>\(HTML.command(next.text()))</p>\n"]),
        .section("Tables", tableParts),
      ] + lists + [.section("The files that were read", HTML.inputs(inputs))])
  }

  /// The balance: of every table, what became of the rows of each input.
  private var tableParts: [HTML] {
    let titles = ["Table", "Input", "Read#", "= In it#", "+ Same#", "+ Set aside#", "Lost#"]
    let shown = worstFirst.prefix(DiagnosisReport.listLimit)
    let rows = shown.flatMap { table in
      zip(report.inputs, table.cells).map { input, cell in
        Self.row(table.name.map { .name($0.shownName) } ?? "of no known table", input, cell)
      }
    }
    return [
      "<p>Every row that was read is in it, is the same as one in it, or was set aside.</p>\n",
      .table(titles, rows, omitted: report.tables.count - shown.count),
    ]
  }

  private static func row(_ table: HTML, _ input: String, _ cell: MergeLedger.Cell) -> [HTML] {
    [
      table, .name(input.shownFile), "\(cell.seen.grouped)", "\(cell.taken.grouped)",
      "\(cell.identical.grouped)", "\(cell.quarantined.grouped)", .loss(RowLoss(cell.lost)),
    ]
  }
}
