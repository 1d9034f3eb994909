// SPDX-License-Identifier: Apache-2.0
// A diagnosis as text: the verdict first, short and calm, the next command last.

import Diagnosis

extension DiagnosisReport {
  /// The most lines of a list; JSON and HTML have the rest.
  private static let shownMax = 40
  /// The most places of one kind of finding.
  private static let placesShownMax = 3

  /// The text for a terminal.
  package func lines(naming file: String? = nil) -> [StyledText] {
    var lines = heading
    for section in [
      causeSection, about, tableSection, differenceSection, findingSection, uncheckedSection,
      optionSection(naming: file), adviceSection,
    ] where !section.isEmpty {
      lines += [StyledText(verbatim: "")] + section
    }
    if let hint { lines += [StyledText(verbatim: ""), StyledText(verbatim: hint)] }
    guard let next else { return lines + adviceHint(naming: file) }
    return lines + [
      StyledText(verbatim: ""),
      StyledText(verbatim: "next: ") + StyledText(verbatim: next.text(naming: file), .emphasised),
    ]
      + (undo.map { [StyledText(verbatim: "undo: ") + StyledText(verbatim: $0.text(naming: file))] }
        ?? [])
  }

  /// Where to look on, for whoever reads it on a terminal: where nothing is wrong, and that is not what
  /// was asked.
  private func adviceHint(naming file: String?) -> [StyledText] {
    guard let file, verdict == .healthy, causes.isEmpty, type == "diagnosis", advised == nil else {
      return []
    }
    let command = ReportedCommand("diagnose", self.file, options: ["--advice"])
    return [
      StyledText(verbatim: ""),
      StyledText(verbatim: "slow? ") + StyledText(verbatim: command.text(naming: file), .dim),
    ]
  }

  private var heading: [StyledText] {
    (StyledText(verbatim: "\(file): ") + StyledText(verbatim: verdict.word, verdict.style)
      + StyledText(verbatim: " — \(meaning)")).wrapped(to: 80) + [
        StyledText(verbatim: "support code ") + StyledText(verbatim: code.description, .emphasised)
      ]
  }

  /// What happened, and what to say.
  private var causeSection: [StyledText] {
    guard let first = causes.first ?? nil, isCauseUnknown != true else {
      return isCauseUnknown == true ? unknownCause : []
    }
    return causes.flatMap { cause in
      let title =
        StyledText(verbatim: "what happened: ", .heading)
        + StyledText(verbatim: "\(cause.title) (\(cause.confidence.words))", .emphasised)
      var columns = TextTable([.text(""), .prose("")], isIndented: true)
      func add(_ label: String, _ words: String) {
        columns.add([StyledText(verbatim: label, .dim), StyledText(verbatim: words)])
      }
      add("", cause.happened)
      for words in cause.evidence { add("because", words) }
      for words in cause.against { add("but", words) }
      if cause == first { add("now", cause.now) }
      add("later", cause.differently)
      return title.wrapped(to: TextTable.reportWidth) + columns.lines()
    }
  }

  /// What may have happened where nothing is sure, and what has not.
  private var unknownCause: [StyledText] {
    var columns = TextTable([.text(""), .prose("")], isIndented: true)
    for cause in causes {
      columns.add([
        StyledText(verbatim: "perhaps", .dim),
        StyledText(verbatim: "\(cause.title): \(cause.happened)"),
      ])
    }
    // Why is in the other forms of the report.
    let names = (ruledOut ?? []).map { $0.kind.rawValue.replacing("-", with: " ") }
    if !names.isEmpty {
      columns.add([
        StyledText(verbatim: "ruled out", .dim),
        StyledText(verbatim: names.joined(separator: ", "), .dim),
      ])
    }
    return [StyledText(verbatim: "what happened: not known", .heading)] + columns.lines()
  }

  /// What the file is, in a few lines.
  private var about: [StyledText] {
    var columns = TextTable([.text(""), .prose("")], isIndented: true)
    func add(_ label: String, _ words: String?, _ style: StyledText.Style? = nil) {
      if let words {
        columns.add([StyledText(verbatim: label, .dim), StyledText(verbatim: words, style)])
      }
    }
    add("file", facts.summary)
    if facts.wal != "none" { add("wal", facts.wal) }
    if facts.journal != "none" { add("journal", facts.journal) }
    add("version", versions.words)
    add("last written by", facts.writtenBy.map { "SQLite \($0)" })
    add("tool", "\(tool) (\(libraries))")
    if !facts.frameworks.isEmpty { add("made by", facts.frameworkWords) }
    if !tables.isEmpty {
      add(
        "unsynced rows", unsynced.words, unsynced.rows == 0 || verdict == .healthy ? nil : .warning)
    }
    return columns.lines()
  }

  private var tableSection: [StyledText] {
    guard !tables.isEmpty || rows.unplaced > 0 else { return [] }
    let hasDoubtful = rows.unplaced > 0 || tables.contains { $0.doubtful > 0 }
    var columns = TextTable(
      [.text("tables"), .number("rows")] + (hasDoubtful ? [.number("doubtful")] : [])
        + [.prose("lost")], isIndented: true)
    func add(_ name: StyledText, _ rows: StyledText, _ doubtful: StyledText, _ lost: StyledText) {
      columns.add([name, rows] + (hasDoubtful ? [doubtful] : []) + [lost])
    }
    for table in tables.count > Self.shownMax ? worstTables : tables {
      add(
        StyledText(verbatim: table.table.shownName), StyledText(verbatim: table.readable.grouped),
        StyledText(verbatim: table.doubtful.grouped, table.doubtful > 0 ? .bad : nil),
        StyledText(verbatim: table.lossWords, table.lost.style))
    }
    if rows.unplaced > 0 {
      add(
        StyledText(verbatim: "(table unknown)", .dim), StyledText(verbatim: ""),
        StyledText(verbatim: rows.unplaced.grouped, .bad),
        StyledText(verbatim: ""))
    }
    return columns.lines() + more(tables.count + tablesOmitted - Self.shownMax, "table")
  }

  /// As many tables as are shown, those with a loss first.
  private var worstTables: [TableRows] {
    Array((tables.filter(\.isHurt) + tables.filter { !$0.isHurt }).prefix(Self.shownMax))
  }

  private var differenceSection: [StyledText] {
    guard !differences.isEmpty else { return [] }
    let lines = differences.prefix(Self.shownMax).map { StyledText(verbatim: $0) }
    return [StyledText(verbatim: "differences from the contract", .heading)] + TextTable.list(lines)
      + more(differences.count + differencesOmitted - Self.shownMax, "difference")
  }

  /// What was not checked has a section of its own.
  var shownFindings: [FindingGroup] { findings.filter { $0.code != FindingCode.notChecked.name } }

  private var uncheckedSection: [StyledText] {
    guard let words = Self.words(forUnchecked: unchecked.count + uncheckedOmitted) else {
      return []
    }
    let lines = unchecked.prefix(Self.shownMax).map { StyledText(verbatim: $0.message) }
    return [StyledText(verbatim: words, .heading)] + TextTable.list(lines)
      + more(unchecked.count + uncheckedOmitted - Self.shownMax, "thing")
  }

  /// How many things were not checked, in words; nil for none.
  static func words(forUnchecked count: Int) -> String? {
    count == 0 ? nil : "\(count.of("thing", "was", "were")) not checked"
  }

  private var findingSection: [StyledText] {
    let findings = shownFindings
    guard !findings.isEmpty else { return [] }
    var columns = TextTable([.text(""), .text(""), .prose("")], isIndented: true)
    for group in findings {
      for place in group.places.prefix(Self.placesShownMax) {
        let words =
          place.words.map { StyledText(verbatim: "   (\($0))", .dim) } ?? StyledText(verbatim: "")
        columns.add([
          StyledText(verbatim: place.severity.rawValue, place.severity.style),
          StyledText(verbatim: group.code, .dim), StyledText(verbatim: place.message) + words,
        ])
      }
      let rest = group.count - Self.placesShownMax
      if rest > 0 {
        columns.add([
          StyledText(verbatim: group.severity.rawValue, group.severity.style),
          StyledText(verbatim: group.code, .dim),
          StyledText(verbatim: "… and \(rest.grouped) more", .dim),
        ])
      }
    }
    return [StyledText(verbatim: "findings", .heading)] + columns.lines()
  }

  private func optionSection(naming file: String?) -> [StyledText] {
    guard let first = options.first else { return [] }
    if options.count == 1, first.kind == .nothing { return [StyledText(verbatim: first.summary)] }
    let title = options.count > 1 ? "options, least destructive first" : "option"
    var columns = TextTable([.number(""), .text(""), .prose("")], isIndented: true)
    for (index, option) in options.enumerated() {
      let balance = option.balance.map { "; " + $0 } ?? ""
      columns.add([
        StyledText(verbatim: String(index + 1), .dim),
        StyledText(verbatim: option.name, .emphasised),
        StyledText(verbatim: option.summary + balance),
      ])
      if let backup = option.backup {
        columns.add(["", "", StyledText(verbatim: backup, .dim)])
      }
    }
    return [StyledText(verbatim: title, .heading)] + columns.lines()
  }

  private func more(_ count: Int, _ noun: String) -> [StyledText] {
    count > 0 ? [StyledText(verbatim: "  … and \(count.of("more \(noun)"))", .dim)] : []
  }
}

extension Verdict {
  /// The style in which text shows the verdict.
  package var style: StyledText.Style {
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

  /// Who made the file, such as `Alembic at 3f2a9c, likely Core Data`.
  var frameworkWords: String { frameworks.map(\.words).joined(separator: ", ") }
}

extension DiagnosisReport.Facts.Framework {
  /// The framework, how sure it is, and at which version it is, such as
  /// `Rails at 20240102 (2 migrations)`.
  fileprivate var words: String {
    (confidence == "certain" ? name : "\(confidence) \(name)")
      + (version.map { " at \($0)" } ?? "")
      + (migrations.map { " (\($0.of("migration")))" } ?? "")
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
