// SPDX-License-Identifier: Apache-2.0
// What a merge answers, as text in 80 columns.

import Diagnosis
import SQLiteFormat

extension MergeAnswer {
  /// The most lines of a list; JSON has the rest.
  private static let shownMax = 40
  private static let width = 80

  package var lines: [AnswerLine] {
    shown(naming: report.output.shellQuoted).map { .result($0) }
  }

  /// The answer as text; `file` stands for the merged database in the next command, where given.
  func shown(naming file: String? = nil) -> [StyledText] {
    let head =
      StyledText(verbatim: "\(sources) → \(output): ")
      + StyledText(verbatim: word, style) + StyledText(verbatim: " — \(meaning)")
    var lines = head.wrapped(to: Self.width)
    for section in [tableSection] + sections.map(Self.titled) where !section.isEmpty {
      lines += [StyledText(verbatim: "")] + section
    }
    return lines + [
      StyledText(verbatim: ""),
      StyledText(verbatim: "next: ")
        + StyledText(verbatim: next.text(naming: file), .emphasised),
    ]
  }

  /// What a list of sentences is about, how they are shown, and the sentences.
  typealias Section = (title: String, style: StyledText.Style?, items: [String])

  /// What there is to say beside the tables.
  var sections: [Section] {
    [
      ("how it was decided", nil, decisions),
      ("set aside", nil, asideWords),
      ("not restored", .bad, report.unrestored.map { "\($0.name.shownName): \($0.reason)" }),
      ("SQLite’s check of \(output)", .bad, problems),
      ("what there may be besides", .bad, report.reservations),
      (
        DiagnosisReport.words(forUnchecked: report.unchecked.count) ?? "", nil,
        report.unchecked.map(\.message)
      ),
      ("notes", nil, report.notes),
    ].filter { !$0.2.isEmpty }
  }

  /// The inputs, the oldest first.
  var sources: String { report.inputs.map(\.shownFile).joined(separator: " + ") }

  /// How it went, in one word.
  var word: String {
    if report.isComplete { return "complete" }
    return report.integrityProblems.isEmpty && report.imbalance == nil ? "partial" : "unsound"
  }

  var style: StyledText.Style {
    if report.isComplete { return .good }
    return word == "partial" && report.outcome == .damagedIntact ? .warning : .bad
  }

  var meaning: String {
    switch word {
    case "complete": "every row of all of them is in it, each once"
    case "unsound": "do not use the merged database yet"
    default:
      partialMeaning
    }
  }

  private var partialMeaning: String {
    let cells = report.tables.flatMap(\.cells)
    if report.outcome == .damagedIntact { return "every row is in it, but not all of the schema" }
    if cells.contains(where: { $0.lost != .none }) {
      return "inputs have lost rows; all that could be read is in it, or set aside"
    }
    return report.reservations.isEmpty
      ? "every row is in it, or set aside" : "what was read is in it, and there may be more"
  }

  // MARK: Tables

  /// The balance: what was read of each input is in the result, the same as a row there, or set
  /// aside.
  private var tableSection: [StyledText] {
    var columns = TextTable(
      [
        .text("tables"), .number("read"), .number("= in it"), .number("+ same"),
        .number("+ set aside"), .prose("lost"),
      ], isIndented: true)
    let shown =
      report.tables.count > Self.shownMax
      ? report.tables.filter { !$0.isComplete } + report.tables.filter(\.isComplete)
      : report.tables
    for table in shown.prefix(Self.shownMax) {
      let loss = RowLoss(sum: table.cells.map(\.lost))
      columns.add(
        row(
          table.name?.shownName ?? "of no known table", table.cells.reduce(0) { $0 + $1.seen },
          table.cells.reduce(0) { $0 + $1.taken }, table.cells.reduce(0) { $0 + $1.identical },
          table.cells.reduce(0) { $0 + $1.quarantined }, loss, isSound: table.holds))
      for (input, cell) in zip(report.inputs, table.cells)
      where cell.seen > 0 || cell.lost != .none {
        columns.add(
          row(
            "  " + input.harmless(limit: 24), cell.seen, cell.taken, cell.identical,
            cell.quarantined, RowLoss(cell.lost)))
      }
    }
    let rest = report.tables.count - Self.shownMax
    if rest > 0 { columns.add([StyledText(verbatim: "… and \(rest.grouped) more", .dim)]) }
    return columns.lines()
  }

  private func row(
    _ name: String, _ seen: Int, _ taken: Int, _ identical: Int, _ aside: Int, _ lost: RowLoss,
    isSound: Bool = true
  ) -> [StyledText] {
    [
      StyledText(verbatim: name, isSound ? nil : .bad), StyledText(verbatim: seen.grouped),
      StyledText(verbatim: taken.grouped), StyledText(verbatim: identical.grouped),
      StyledText(verbatim: aside.grouped, aside > 0 ? .bad : nil),
      StyledText(verbatim: lost.words, lost.style),
    ]
  }

  // MARK: Words

  /// How conflicts were decided, and which rows have new keys, a line for each table and kind.
  private var decisions: [String] {
    let byOrder =
      report.policy.preference == .new ? "the newer input's stays" : "the older input's stays"
    return report.tables.flatMap { table -> [String] in
      let name = table.name?.shownName ?? ""
      let byColumn = table.cells.reduce(0) { $0 + $1.byColumn }
      let conflicts = table.cells.reduce(0) { $0 + $1.conflicts }
      let renumbered = table.cells.reduce(0) { $0 + $1.renumbered }
      let followed = table.cells.reduce(0) { $0 + $1.followed }
      var lines: [String] = []
      if conflicts > 0 {
        let ways =
          (byColumn > 0
            ? ["\(byColumn.grouped) by '\(table.newerBy?.shownName ?? "")' (the newer stays)"] : [])
          + (conflicts > byColumn
            ? ["\((conflicts - byColumn).grouped) by order (\(byOrder))"] : [])
        lines.append(
          "\(name): \(conflicts.of("row")) with one key and other values: "
            + ways.joined(separator: ", "))
      }
      if renumbered > 0 { lines.append("\(name): \(renumbered.of("row")) with a new key") }
      if followed > 0 {
        lines.append("\(name): \(followed.of("reference")) to new keys followed")
      }
      return lines
    }
  }

  private var asideWords: [String] {
    guard let quarantine else { return [] }
    func sum(_ count: (MergeLedger.Cell) -> Int) -> Int {
      report.tables.reduce(0) { $0 + $1.cells.reduce(0) { $0 + count($1) } }
    }
    let reasons = [
      (sum(\.conflicts), "as another row with their key stays"),
      (sum(\.refused), "as the schema of the result refuses them"),
      (sum(\.parted), "as what they refer to is set aside"),
      (sum(\.stuck), "as they cannot refer to a new key"),
      (sum(\.displaced), "as the name of their table is another object’s in a newer input"),
      (sum(\.doubtful), "as they were doubtful in their input"),
      (sum(\.leftOut), "only in part: the values that have no column"),
      (sum(\.changed), "only in part: the values that the type of their column changes"),
    ].filter { $0.0 > 0 }
    let lines = reasons.map { "\($0.of("row")) \($1)" }
    let hasNewKeys = sum(\.renumbered) > 0
    return lines.isEmpty
      ? [
        hasNewKeys
          ? "no row; the keys that rows had before are in \(quarantine)"
          : "no row; what could not be read whole is in \(quarantine)"
      ]
      : lines + [
        "all of it, with its reasons\(hasNewKeys ? " and the old keys" : ""), is in \(quarantine)"
      ]
  }

  private var problems: [String] {
    report.integrityProblems
      + report.danglingReferences.map { reference in
        "\(reference.count.of("row")) of '\(reference.table.shownName)'"
          + " \(reference.count == 1 ? "refers" : "refer") to rows that are not there"
      }
  }

  private static func titled(_ section: Section) -> [StyledText] {
    let rest = section.items.count - shownMax
    let more = rest > 0 ? [StyledText(verbatim: "… and \(rest.grouped) more", .dim)] : []
    return [StyledText(verbatim: section.title, .heading)]
      + TextTable.list(
        section.items.prefix(shownMax).map { StyledText(verbatim: $0.shownMessage, section.style) }
          + more)
  }
}
