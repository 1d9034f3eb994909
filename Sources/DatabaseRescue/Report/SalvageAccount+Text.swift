// SPDX-License-Identifier: Apache-2.0
// The account of a salvage as text.

import Diagnosis

extension SalvageAccount {
  /// What to do when no row could be given to its table.
  static let withoutRows =
    "no row was saved: salvage again with --schema or --backup, which know the tables"
  /// The most lines of a list; JSON and HTML have the rest.
  private static let shownMax = 40
  /// The most stretches of rowids that are shown of a table.
  private static let stretchesMax = 8

  /// The text for a terminal; `file` names the fresh database in the command to paste.
  public func lines(naming file: String? = nil) -> [ReportLine] {
    var lines = [
      ReportLine("\(self.file) → \(output): ") + ReportLine(word, style)
        + ReportLine(" — \(meaning)"),
      ReportLine("support code ") + ReportLine(code.description, .emphasised),
    ]
    let sections = [
      tableSection, missingSection, originSection, asideSection, unrestoredSection, problemSection,
      uncheckedSection, noteSection,
    ]
    for section in sections where !section.isEmpty { lines += [ReportLine()] + section }
    return lines + [
      ReportLine(),
      ReportLine("next: ")
        + (next.map { ReportLine($0.text(naming: file), .emphasised) }
          ?? ReportLine(Self.withoutRows)),
    ]
  }

  /// The balance: what was seen is what was written, was there already, or was set aside.
  private var tableSection: [ReportLine] {
    var columns = ReportColumns(numeric: [1, 2, 3, 4])
    let titles = ["tables", "seen", "= written", "+ duplicates", "+ set aside", "lost"]
    columns.add(titles.map { ReportLine($0, .heading) })
    let worst = tables.filter { !$0.isComplete } + tables.filter(\.isComplete)
    let shown = tables.count > Self.shownMax ? worst : tables
    for table in shown.prefix(Self.shownMax) { columns.add(cells(table, name: table.name)) }
    let rest = tables.count + tablesOmitted - Self.shownMax
    if rest > 0 { columns.add([ReportLine("… and \(rest.grouped) more", .dim)]) }
    if tables.count > 1 { columns.add(cells(rows, name: "together")) }
    return columns.lines
  }

  private func cells(_ rows: Rows, name: String) -> [ReportLine] {
    [
      ReportLine(name, rows.isBalanced ? nil : .bad), ReportLine(rows.seen.grouped),
      ReportLine(rows.written.grouped), ReportLine(rows.duplicates.grouped),
      ReportLine(rows.quarantined.grouped, rows.quarantined > 0 ? .bad : nil),
      ReportLine(rows.lost.words, rows.lost.style),
    ]
  }

  private var missingSection: [ReportLine] {
    titled("rowids at which rows are missing", missingWords(Self.stretchesMax), nil)
  }

  private var originSection: [ReportLine] {
    titled("rows from backups", originWords, nil)
  }

  private var asideSection: [ReportLine] {
    titled("doubtful rows", quarantineWords, nil)
  }

  private var unrestoredSection: [ReportLine] {
    titled(
      "not restored",
      unrestored.map { "\($0.name.shownName): \($0.reason)" }
        + Self.omission(of: unrestoredOmitted), .bad)
  }

  private var problemSection: [ReportLine] {
    let title = "SQLite’s check of \(output)"
    guard !problems.isEmpty else {
      return [ReportLine(title, .heading) + ReportLine(": ") + ReportLine("ok", .good)]
    }
    return titled(title, problems, .bad)
  }

  private var uncheckedSection: [ReportLine] {
    let count = unchecked.count + uncheckedOmitted
    return titled(
      DiagnosisReport.words(forUnchecked: count) ?? "",
      unchecked.map(\.message) + Self.omission(of: uncheckedOmitted), nil)
  }

  private var noteSection: [ReportLine] { titled("notes", notes, nil) }

  private func titled(
    _ title: String, _ items: [String], _ style: ReportLine.Style?
  ) -> [ReportLine] {
    items.isEmpty ? [] : [ReportLine(title, .heading)] + list(items, style)
  }

  private func list(_ items: [String], _ style: ReportLine.Style? = nil) -> [ReportLine] {
    var columns = ReportColumns()
    for item in items.prefix(Self.shownMax) { columns.add([ReportLine(item, style)]) }
    let rest = items.count - Self.shownMax
    if rest > 0 { columns.add([ReportLine("… and \(rest.grouped) more", .dim)]) }
    return columns.lines
  }
}
