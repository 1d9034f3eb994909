// SPDX-License-Identifier: Apache-2.0
// A diagnosis as text: the verdict first, short and calm, the next command last.

import Diagnosis

extension DiagnosisReport {
  /// The most lines of a list; JSON and HTML have the rest.
  private static let shownMax = 40
  /// The most places of one kind of finding.
  private static let placesShownMax = 3

  /// The text for a terminal.
  public func lines(naming file: String? = nil) -> [ReportLine] {
    var lines = heading
    for section in [
      about, tableSection, differenceSection, findingSection, uncheckedSection,
      optionSection(naming: file),
    ] where !section.isEmpty {
      lines += [ReportLine()] + section
    }
    if let hint { lines += [ReportLine(), ReportLine(hint)] }
    guard let next else { return lines }
    return lines + [
      ReportLine(), ReportLine("next: ") + ReportLine(next.text(naming: file), .emphasised),
    ] + (undo.map { [ReportLine("undo: ") + ReportLine($0.text(naming: file))] } ?? [])
  }

  private var heading: [ReportLine] {
    [
      ReportLine("\(file): ") + ReportLine(verdict.word, verdict.style)
        + ReportLine(" — \(meaning)"),
      ReportLine("support code ") + ReportLine(code.description, .emphasised),
    ]
  }

  /// What the file is, in a few lines.
  private var about: [ReportLine] {
    var columns = ReportColumns()
    func add(_ label: String, _ words: String?, _ style: ReportLine.Style? = nil) {
      if let words { columns.add(ReportLine(label, .dim), ReportLine(words, style)) }
    }
    add("file", facts.summary)
    if facts.wal != "none" { add("wal", facts.wal) }
    if facts.journal != "none" { add("journal", facts.journal) }
    add("version", versions.words)
    if !facts.frameworks.isEmpty { add("made by", facts.frameworkWords) }
    if !tables.isEmpty {
      add(
        "unsynced rows", unsynced.words, unsynced.rows == 0 || verdict == .healthy ? nil : .warning)
    }
    return columns.lines
  }

  private var tableSection: [ReportLine] {
    guard !tables.isEmpty || rows.unplaced > 0 else { return [] }
    let hasDoubtful = rows.unplaced > 0 || tables.contains { $0.doubtful > 0 }
    var columns = ReportColumns(numeric: hasDoubtful ? [1, 2] : [1])
    func add(_ name: ReportLine, _ rows: ReportLine, _ doubtful: ReportLine, _ lost: ReportLine) {
      if hasDoubtful {
        columns.add(name, rows, doubtful, lost)
      } else {
        columns.add(name, rows, lost)
      }
    }
    add(
      ReportLine("tables", .heading), ReportLine("rows", .heading),
      ReportLine("doubtful", .heading), ReportLine("lost", .heading))
    for table in tables.count > Self.shownMax ? worstTables : tables {
      add(
        ReportLine(table.table.shownName), ReportLine(table.readable.grouped),
        ReportLine(table.doubtful.grouped, table.doubtful > 0 ? .bad : nil),
        ReportLine(table.lossWords, table.lost.style))
    }
    if rows.unplaced > 0 {
      add(
        ReportLine("(table unknown)", .dim), ReportLine(), ReportLine(rows.unplaced.grouped, .bad),
        ReportLine())
    }
    return columns.lines + more(tables.count + tablesOmitted - Self.shownMax, "table")
  }

  /// As many tables as are shown, those with a loss first.
  private var worstTables: [TableRows] {
    Array((tables.filter(\.isHurt) + tables.filter { !$0.isHurt }).prefix(Self.shownMax))
  }

  private var differenceSection: [ReportLine] {
    guard !differences.isEmpty else { return [] }
    var columns = ReportColumns()
    for difference in differences.prefix(Self.shownMax) { columns.add(ReportLine(difference)) }
    return [ReportLine("differences from the contract", .heading)] + columns.lines
      + more(differences.count + differencesOmitted - Self.shownMax, "difference")
  }

  /// What was not checked has a section of its own.
  var shownFindings: [FindingGroup] { findings.filter { $0.code != FindingCode.notChecked.name } }

  private var uncheckedSection: [ReportLine] {
    guard let words = Self.words(forUnchecked: unchecked.count + uncheckedOmitted) else {
      return []
    }
    var columns = ReportColumns()
    for thing in unchecked.prefix(Self.shownMax) { columns.add(ReportLine(thing.message)) }
    return [ReportLine(words, .heading)] + columns.lines
      + more(unchecked.count + uncheckedOmitted - Self.shownMax, "thing")
  }

  /// How many things were not checked, in words; nil for none.
  static func words(forUnchecked count: Int) -> String? {
    count == 0 ? nil : "\(count.of("thing", "was", "were")) not checked"
  }

  private var findingSection: [ReportLine] {
    let findings = shownFindings
    guard !findings.isEmpty else { return [] }
    var columns = ReportColumns()
    for group in findings {
      for place in group.places.prefix(Self.placesShownMax) {
        let words = place.words.map { ReportLine("   (\($0))", .dim) } ?? ReportLine()
        columns.add(
          ReportLine(place.severity.rawValue, place.severity.style),
          ReportLine(group.code, .dim), ReportLine(place.message) + words)
      }
      let rest = group.count - Self.placesShownMax
      if rest > 0 {
        columns.add(
          ReportLine(group.severity.rawValue, group.severity.style), ReportLine(group.code, .dim),
          ReportLine("… and \(rest.grouped) more", .dim))
      }
    }
    return [ReportLine("findings", .heading)] + columns.lines
  }

  private func optionSection(naming file: String?) -> [ReportLine] {
    guard let first = options.first else { return [] }
    if options.count == 1, first.kind == .nothing { return [ReportLine(first.summary)] }
    let title = options.count > 1 ? "options, least destructive first" : "option"
    var columns = ReportColumns(numeric: [0])
    for (index, option) in options.enumerated() {
      let balance = option.balance.map { "; " + $0 } ?? ""
      columns.add(
        ReportLine(String(index + 1), .dim), ReportLine(option.name, .emphasised),
        ReportLine(option.summary + balance))
      if let backup = option.backup {
        columns.add(ReportLine(), ReportLine(), ReportLine(backup, .dim))
      }
    }
    return [ReportLine(title, .heading)] + columns.lines
  }

  private func more(_ count: Int, _ noun: String) -> [ReportLine] {
    count > 0 ? [ReportLine("  … and \(count.of("more \(noun)"))", .dim)] : []
  }
}

extension Verdict {
  /// The style in which text shows the verdict.
  package var style: ReportLine.Style {
    switch self {
    case .healthy: .good
    case .outdated, .newer, .drifted, .damagedIntact: .warning
    case .damagedLossy, .unreadable: .bad
    }
  }
}

extension DiagnosisReport.Facts {
  /// The file in a few words, such as `SQLite database, 27 pages of 4,096 bytes`.
  var summary: String {
    guard let pageCount, let pageSize else { return kind }
    return "\(kind), \(pageCount.of("page")) of \(pageSize.of("byte"))"
  }

  /// Who made the file, such as `GRDB, likely Core Data`.
  var frameworkWords: String {
    frameworks.map { $0.confidence == "certain" ? $0.name : "\($0.confidence) \($0.name)" }
      .joined(separator: ", ")
  }
}

extension RunRecord.Versions {
  /// The versions in words, such as `3; the app expects 4`; nil when neither is known.
  var words: String? {
    switch (found, expected) {
    case (let found?, let expected?) where found == expected: "\(found), as the app expects"
    case (let found?, let expected?): "\(found); the app expects \(expected)"
    case (let found?, nil): "\(found)"
    case (nil, let expected?): "unknown; the app expects \(expected)"
    case (nil, nil): nil
    }
  }
}
