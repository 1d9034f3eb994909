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
  package func lines(naming file: String? = nil) -> [StyledText] {
    var lines = [
      StyledText(verbatim: "\(self.file) → \(output): ") + StyledText(verbatim: word, style)
        + StyledText(verbatim: " — \(meaning)"),
      StyledText(verbatim: "support code ") + StyledText(verbatim: code.description, .emphasised),
    ]
    let sections = [
      tableSection, missingSection, originSection, asideSection, unrestoredSection, problemSection,
      uncheckedSection, noteSection,
    ]
    for section in sections where !section.isEmpty { lines += [StyledText(verbatim: "")] + section }
    return lines + [
      StyledText(verbatim: ""),
      StyledText(verbatim: "next: ")
        + (next.map { StyledText(verbatim: $0.text(naming: file), .emphasised) }
          ?? StyledText(verbatim: Self.withoutRows)),
    ]
  }

  /// The balance: what was seen is what was written, was there already, or was set aside.
  private var tableSection: [StyledText] {
    var columns = TextTable(
      [
        .text("tables"), .number("seen"), .number("= written"), .number("+ duplicates"),
        .number("+ set aside"), .prose("lost"),
      ], isIndented: true)
    let worst = tables.filter { !$0.isComplete } + tables.filter(\.isComplete)
    let shown = tables.count > Self.shownMax ? worst : tables
    for table in shown.prefix(Self.shownMax) { columns.add(cells(table, name: table.name)) }
    let rest = tables.count + tablesOmitted - Self.shownMax
    if rest > 0 { columns.add([StyledText(verbatim: "… and \(rest.grouped) more", .dim)]) }
    if tables.count > 1 { columns.add(cells(rows, name: "together")) }
    return columns.lines()
  }

  private func cells(_ rows: Rows, name: String) -> [StyledText] {
    [
      StyledText(verbatim: name, rows.isBalanced ? nil : .bad),
      StyledText(verbatim: rows.seen.grouped),
      StyledText(verbatim: rows.written.grouped), StyledText(verbatim: rows.duplicates.grouped),
      StyledText(verbatim: rows.quarantined.grouped, rows.quarantined > 0 ? .bad : nil),
      StyledText(verbatim: rows.lost.words, rows.lost.style),
    ]
  }

  private var missingSection: [StyledText] {
    titled("rowids at which rows are missing", missingWords(Self.stretchesMax), nil)
  }

  private var originSection: [StyledText] {
    titled("rows from backups", originWords, nil)
  }

  private var asideSection: [StyledText] {
    titled("doubtful rows", quarantineWords, nil)
  }

  private var unrestoredSection: [StyledText] {
    titled(
      "not restored",
      unrestored.map { "\($0.name.shownName): \($0.reason)" }
        + Self.omission(of: unrestoredOmitted), .bad)
  }

  private var problemSection: [StyledText] {
    let title = "SQLite’s check of \(output)"
    guard !problems.isEmpty else {
      return [
        StyledText(verbatim: title, .heading) + StyledText(verbatim: ": ")
          + StyledText(verbatim: "ok", .good)
      ]
    }
    return titled(title, problems, .bad)
  }

  private var uncheckedSection: [StyledText] {
    let count = unchecked.count + uncheckedOmitted
    return titled(
      DiagnosisReport.words(forUnchecked: count) ?? "",
      unchecked.map(\.message) + Self.omission(of: uncheckedOmitted), nil)
  }

  private var noteSection: [StyledText] {
    titled("what there may be besides", reservations, .bad) + titled("notes", notes, nil)
  }

  private func titled(
    _ title: String, _ items: [String], _ style: StyledText.Style?
  ) -> [StyledText] {
    items.isEmpty ? [] : [StyledText(verbatim: title, .heading)] + list(items, style)
  }

  private func list(_ items: [String], _ style: StyledText.Style? = nil) -> [StyledText] {
    let rest = items.count - Self.shownMax
    let more = rest > 0 ? [StyledText(verbatim: "… and \(rest.grouped) more", .dim)] : []
    return TextTable.list(
      items.prefix(Self.shownMax).map { StyledText(verbatim: $0, style) } + more)
  }
}
