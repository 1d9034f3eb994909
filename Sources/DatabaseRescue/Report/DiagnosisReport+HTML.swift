// SPDX-License-Identifier: Apache-2.0
// A diagnosis as an HTML page: for the user first, for the engineer further down.

import Diagnosis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiagnosisReport {
  /// The report as one HTML file.
  package var html: String {
    HTML.page(
      title: "\(file): \(verdict.word)", tool: "\(tool) (\(libraries))",
      [
        .masthead(
          kind: "Diagnosis", file: file, created: created, word: verdict.word,
          style: verdict.style, meaning: meaning,
          (advice.map { ["<p class=\"advice\">\($0)</p>\n"] } ?? []) + summary),
        .section("What happened", causeParts),
        .section("What was lost", tableParts),
        .section("Where in the file", pages.map { [$0.drawing] } ?? []),
        .section("What can be done", optionParts),
        .section("What is slow or at risk", adviceParts),
        .section("When", timelineParts),
        .section("Differences from the contract", differenceParts),
        .section("What was found", shownFindings.map(part)),
        .unchecked(unchecked, omitted: uncheckedOmitted),
        .section("The file", [.list(facts.pairs(versions))] + HTML.inputs(inputs)),
        .section("Where it was looked at", environmentParts),
        .supportCode(code),
      ])
  }

  /// What the verdict means in numbers, and what of it matters before anything is done.
  private var summary: [HTML] {
    var parts: [HTML] = []
    if !tables.isEmpty || tablesOmitted > 0 {
      let count = (tables.count + tablesOmitted).of("table")
      var words: HTML = "\(rows.readable.of("row")) in \(count) can be read"
      if rows.doubtful > 0 {
        words = "\(words), and \(rows.doubtful.of("row")) more can be read but are doubtful"
      }
      parts.append("<p>\(words). <strong>\(rows.lost.sentence)</strong></p>\n")
    }
    if unsynced.rows != 0, !tables.isEmpty {
      parts.append("<p>Rows that were not sent anywhere yet: \(unsynced.words).</p>\n")
    }
    if !inputs.isEmpty, inputs.allSatisfy({ $0.isUnchanged == true }) {
      parts.append("<p>The diagnosis did not change the file.</p>\n")
    }
    return parts
  }

  private var optionParts: [HTML] {
    guard !options.isEmpty else {
      guard let group = findings.first, verdict == .unreadable else { return [] }
      return ["<p>\(group.meaning.sentence)</p>\n"]
    }
    let intro: [HTML] =
      options.count > 1
      ? ["<p>There are \(String(options.count)) ways, the least destructive first.</p>\n"] : []
    let items: [HTML] = options.map { "<li class=\"card\">\n\(part($0))</li>\n" }
    let purpose =
      undo != nil
      ? "Before anything else, to move the log away"
      : next?.isBackup == true ? "To back up first" : "To look at them again and choose"
    let command: [HTML] =
      next.map { ["<p>\(purpose): \(HTML.command($0.text()))</p>\n"] } ?? []
    return intro + ["<ol class=\"options\">\n\(items)</ol>\n"] + command
  }

  private func part(_ option: Option) -> HTML {
    let tag: HTML = option.kind == .reset ? "<span class=\"tag bad\">loses rows</span>" : ""
    var parts: [HTML] = [
      "<h3>\(option.kind.title)\(tag)</h3>\n<p>\(option.summary.sentence)</p>\n"
    ]
    if let backup = option.backup { parts.append("<p class=\"dim\">\(backup)</p>\n") }
    if let balance = option.balance {
      let isGood = !option.lost.isLoss
      parts.append(
        "<p><strong>\(HTML.mark(balance.sentence, isGood ? .good : .bad))</strong></p>\n")
    }
    if !option.tables.isEmpty {
      let table = outcomes(of: option)
      // What is closed is not printed: only long lists are closed at first.
      parts.append(
        """
        <details\(option.tables.count > 12 ? "" : HTML(stringLiteral: " open=\"open\""))>
        <summary>Table by table</summary>
        \(table)</details>

        """)
    }
    if let command = option.command {
      parts.append("<p>\(HTML.command(command.text()))</p>\n")
    }
    return "\(parts)"
  }

  private func outcomes(of option: Option) -> HTML {
    let columns: [(title: String, sum: Int, count: (Option.Outcome) -> Int)] = [
      ("Changed#", option.changed, \.changed),
      ("Set aside#", option.quarantined + option.unplaced, \.quarantined),
      ("Brought back#", option.regained, \.regained),
    ].filter { $0.1 > 0 }
    let rows: [[HTML]] = option.tables.map { table in
      [.name(table.table.shownName), "\(table.kept.grouped)"]
        + columns.map { "\($0.count(table).grouped)" } + [.loss(table.lost)]
    }
    let unknown: [[HTML]] =
      option.unplaced > 0
      ? [
        ["(table unknown)", ""]
          + columns.map { $0.title == "Set aside#" ? "\(option.unplaced.grouped)" : "" } + [""]
      ] : []
    return .table(
      ["Table", "Kept#"] + columns.map(\.title) + ["Lost#"], rows + unknown,
      omitted: option.tablesOmitted)
  }

  private var tableParts: [HTML] {
    guard !tables.isEmpty else { return [] }
    let hasDoubtful = rows.doubtful > 0
    let rows: [[HTML]] = tables.map { table in
      [.name(table.table.shownName), "\(table.readable.grouped)"]
        + (hasDoubtful ? ["\(table.doubtful.grouped)"] : [])
        + [.loss(table.lost), "\(table.pages.grouped)"]
    }
    return [
      .table(
        ["Table", "Readable rows#"] + (hasDoubtful ? ["Doubtful#"] : []) + ["Lost#", "Pages#"],
        rows, omitted: tablesOmitted)
    ]
  }

  private var differenceParts: [HTML] {
    guard !differences.isEmpty else { return [] }
    let items: [HTML] = differences.map { "<li>\($0)</li>\n" }
    return ["<ul>\n\(items)</ul>\n\(HTML.more(differencesOmitted))"]
  }

  private func part(_ group: FindingGroup) -> HTML {
    let rows: [[HTML]] = group.places.map { place in
      [
        "\(place.message)", "\(place.page.map(\.grouped) ?? "–")", Self.offset(place.offset),
        Self.offset(place.fileOffset),
      ]
    }
    let hasPlace = group.places.contains { $0.words != nil }
    let places: HTML =
      hasPlace
      ? .table(
        ["Found", "Page#", "Byte in page#", "Byte in file#"], rows,
        omitted: group.placesOmitted, stacked: true)
      : "<ul>\n\(group.places.map { "<li>\($0.message)</li>\n" } as [HTML])</ul>\n"
    return """
      <div class="card">
      <h3>\(group.title.capitalizedFirst) \
      <span class="tag \(HTML.className(of: group.severity.style))">\(group.severity.rawValue)\
      </span></h3>
      <p>\(group.meaning.sentence) <span class="dim">\(group.code) · \(group.count.of("finding"))</span></p>
      \(places)</div>

      """
  }

  private static func offset(_ offset: Int?) -> HTML {
    offset.map { "\($0.grouped) <span class=\"dim\">\($0.hexadecimal)</span>" } ?? "–"
  }
}

extension RecoveryOption.Kind {
  /// The kind as the title of a paragraph.
  fileprivate var title: String {
    switch self {
    case .nothing: "Leave it as it is"
    case .rebuildIndexes: "Build the indexes anew"
    case .migrate: "Migrate"
    case .restore: "Put back a backup"
    case .salvageWithBackup: "Salvage what can be read, and take the rest from a backup"
    case .salvage: "Salvage what can be read"
    case .reset: "Start with an empty database"
    }
  }
}

extension DiagnosisReport.Facts {
  /// The facts with their names.
  fileprivate func pairs(_ versions: RunRecord.Versions) -> [(String, HTML)] {
    let identity = applicationID.map { "\(String($0)) (\(($0 & 0xFFFF_FFFF).hexadecimal))" }
    let writer = writtenBy.map { "SQLite \($0)" }
    let pairs: [(String, String?)] = [
      ("Kind", kind),
      ("Size", byteCount.map { $0.of("byte") }),
      ("Pages", pageCount?.grouped),
      ("Page size", pageSize.map { "\($0.of("byte")), \(pageSizeWords)" }),
      ("Reserved in each page", reservedBytes.map { $0.of("byte") }),
      ("Starts at byte", start.flatMap { $0 > 0 ? $0.grouped : nil }),
      ("Text encoding", encoding),
      ("Auto-vacuum", autoVacuum),
      ("Journal mode", journalMode),
      ("Write-ahead log", wal),
      ("Rollback journal", journal),
      ("Unused pages", freePages?.grouped),
      ("Version (user_version)", versions.words),
      ("Application (application_id)", identity),
      ("Schema cookie", schemaCookie?.grouped),
      ("Schema format", schemaFormat?.grouped),
      ("Last written by", writer),
      ("Framework", frameworks.isEmpty ? nil : frameworkWords),
    ]
    return pairs.compactMap { pair in pair.1.map { (pair.0, "\($0)") } }
  }

  private var pageSizeWords: String {
    switch pageSizeFrom {
    case "header": "as the header says"
    case "wal": "as the write-ahead log says"
    default: "as the pages agree"
    }
  }
}
