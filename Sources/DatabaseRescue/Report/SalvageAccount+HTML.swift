// SPDX-License-Identifier: Apache-2.0
// The account of a salvage as an HTML page.

extension SalvageAccount {
  /// The most stretches of rowids that are shown of a table.
  private static let stretchesMax = 40

  /// The account as one HTML file.
  package var html: String {
    HTML.page(
      title: "\(file): salvage \(word)", tool: "\(tool) (\(libraries))",
      [
        .masthead(
          kind: "Salvage", file: file, created: created, word: word, style: style,
          meaning: meaning, summary),
        .supportCode(code),
        .section("What to do", stepParts),
        .section("What there may be besides", listed(reservations)),
        .section("Tables", tableParts),
        .section("Rowids at which rows are missing", listed(missingWords(Self.stretchesMax))),
        .section("Rows from backups", listed(originWords)),
        .section("Not restored", unrestoredParts),
        .section("SQLite’s check of the fresh database", checkParts),
        .unchecked(unchecked, omitted: uncheckedOmitted),
        .section("Notes", listed(notes)),
        .section("The files that were read", HTML.inputs(inputs)),
      ])
  }

  private var summary: [HTML] {
    var parts: [HTML] = [
      """
      <p>\(rows.written.of("row", "is", "are")) now in \(HTML.name(output))\(aside). \
      <strong>\(lost)</strong></p>

      """
    ]
    if !inputs.isEmpty, inputs.allSatisfy({ $0.isUnchanged == true }) {
      parts.append("<p>The salvage did not change the damaged file.</p>\n")
    }
    return parts
  }

  private var lost: String {
    rows.restored > 0 && !rows.lost.isLoss
      ? "\(rows.restored.of("row", "was", "were")) lost, and taken from a backup."
      : rows.lost.sentence
  }

  private var aside: String {
    rows.quarantined > 0 ? ", and \(rows.quarantined.of("row", "is", "are")) set aside" : ""
  }

  private var stepParts: [HTML] {
    var items: [HTML] = [
      next.map { "<li>Check the fresh database: \(HTML.command($0.text()))</li>\n" }
        ?? "<li>\(Self.withoutRows)</li>\n"
    ]
    if !quarantineWords.isEmpty {
      let words = quarantineWords.joined(separator: "; ")
      items.append("<li>Look at the doubtful rows: \(words).</li>\n")
    }
    items.append("<li>Keep the damaged file until somebody has looked at the result.</li>\n")
    return ["<ol class=\"steps\">\n\(items)</ol>\n"]
  }

  private var tableParts: [HTML] {
    let sum: [[HTML]] = tables.count > 1 ? [cells(rows, name: "<b>together</b>")] : []
    let titles = [
      "Table", "Seen#", "= Written#", "+ Duplicates#", "+ Set aside#", "Lost#", "Balance",
    ]
    return [
      "<p>Every row that was seen was written, was there already, or was set aside.</p>\n",
      .table(
        titles,
        tables.map { cells($0, name: $0.table.map { .name($0.shownName) } ?? "\($0.name)") } + sum,
        omitted: tablesOmitted),
    ]
  }

  private func cells(_ rows: Rows, name: HTML) -> [HTML] {
    [
      name, "\(rows.seen.grouped)", "\(rows.written.grouped)", "\(rows.duplicates.grouped)",
      "\(rows.quarantined.grouped)", .loss(rows.lost),
      rows.isBalanced ? .mark("holds", .good) : .mark("does not hold", .bad),
    ]
  }

  private var unrestoredParts: [HTML] {
    guard !unrestored.isEmpty else { return [] }
    return [
      .table(
        ["Object", "Reason"], unrestored.map { [.name($0.name.shownName), "\($0.reason)"] },
        omitted: unrestoredOmitted)
    ]
  }

  private var checkParts: [HTML] {
    problems.isEmpty
      ? [
        "<p>\(HTML.mark("ok", .good)): the file is sound, and every reference leads somewhere.</p>\n"
      ]
      : [list(problems)]
  }

  private func listed(_ items: [String]) -> [HTML] { items.isEmpty ? [] : [list(items)] }

  private func list(_ items: [String]) -> HTML {
    "<ul>\n\(items.map { "<li>\($0)</li>\n" } as [HTML])</ul>\n"
  }
}
