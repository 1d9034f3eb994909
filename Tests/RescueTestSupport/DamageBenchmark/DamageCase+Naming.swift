// SPDX-License-Identifier: Apache-2.0
// Which pages a diagnosis names as damaged, held against those that were.

import DatabaseRescue
import SQLiteFormat

/// Pages that were damaged, and those that a diagnosis names.
package struct PageNaming: Sendable {
  /// How many databases.
  package var cases = 0
  /// How many pages were changed that a table, an index or the schema uses.
  package var damaged = 0
  /// How many of them are named.
  package var found = 0
  /// How many pages are named.
  package var named = 0
  /// How many of those were changed.
  package var right = 0
  /// The cases in which a sound page is named, or a damaged one is not, each in a line.
  package var faults: [String] = []

  /// Pages of nothing.
  package init() {}

  /// Adds up two.
  package static func + (left: PageNaming, right: PageNaming) -> PageNaming {
    var sum = left
    sum.cases += right.cases
    sum.damaged += right.damaged
    sum.found += right.found
    sum.named += right.named
    sum.right += right.right
    sum.faults += right.faults
    return sum
  }

  /// The pages by kinds of damage as a table in Markdown, with their sum.
  package static func table(_ all: [(kind: DamageKind, naming: PageNaming)]) -> String {
    let head = [
      "| damage | files | pages damaged | found | pages named | right |",
      "|---|" + String(repeating: "--:|", count: 5),
    ]
    let lines = DamageKind.allCases.compactMap { kind -> String? in
      let own = all.filter { $0.kind == kind }
      return own.isEmpty ? nil : own.map(\.naming).reduce(PageNaming(), +).line(kind.rawValue)
    }
    return (head + lines + [all.map(\.naming).reduce(PageNaming(), +).line("all")])
      .joined(separator: "\n")
  }

  private func line(_ name: String) -> String {
    func percent(_ count: Int, of all: Int) -> String {
      let permille = DamageScore.permille(count, of: all)
      return all == 0 ? "–" : "\(permille / 10).\(permille % 10) %"
    }
    let cells = [
      name, "\(cases)", "\(damaged)", percent(found, of: damaged), "\(named)",
      percent(right, of: named),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }
}

extension DamageCase {
  /// Diagnoses the damaged database, and counts the pages that it names.
  ///
  /// Nil where bytes have moved: then no page stands in its place. Pages that the log holds anew do
  /// not count, and of those that changed only the ones that something uses.
  package func naming() throws -> PageNaming? {
    guard !harm.hasMoved else { return nil }
    let (size, now, before) = (source.pageSize, files[""] ?? [], source.now.main)
    func isChanged(_ page: Int) -> Bool {
      let range = ((page - 1) * size)..<min(page * size, before.count)
      return range.upperBound > now.count || before[range] != now[range]
    }
    let present = (now.count + size - 1) / size
    let pages = source.pages
    let used = Set([1] + pages.roots + pages.interiors + pages.leaves + pages.overflow)
    let inLog = pagesInLog
    let changed = Set((1...max(1, present)).filter { isChanged($0) && !inLog.contains($0) })
    let named = try pagesNamed().filter { $0 <= present && !inLog.contains($0) }
    let damaged = changed.intersection(used)
    var naming = PageNaming()
    naming.cases = 1
    naming.damaged = damaged.count
    naming.found = damaged.intersection(named).count
    naming.named = named.count
    naming.right = named.intersection(changed).count
    if naming.found < naming.damaged || naming.right < naming.named {
      naming.faults = [
        "\(self): damaged \(damaged.sorted()), named \(named.sorted()): \(harm)"
      ]
    }
    return naming
  }

  /// The pages that the log has a frame of.
  ///
  /// File format, section 4.1: a header of 32 bytes, and before each page 24 that begin with its
  /// number.
  private var pagesInLog: Set<Int> {
    guard let log = files["-wal"] else { return [] }
    let starts = stride(from: 32, to: log.count - 24, by: 24 + source.pageSize)
    return Set(starts.map { start in log[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) } })
  }

  private func pagesNamed() throws -> Set<Int> {
    try ScratchFolder.with { scratch in
      try save(in: scratch["in"])
      let outcome = try Command(
        TestedProgram.path, ["diagnose", "--json", scratch["in/app.db"].description],
        environment: ["DBRESCUE_LOG": scratch["runs.jsonl"].description]
      ).run(limit: .seconds(20 * TestedProgram.patience))
      guard let json = JSON(reading: outcome.output) else {
        throw UnfitFixture("\(self): no report: \(outcome.errorText)")
      }
      func number(_ json: JSON?) -> Int? {
        if case .integer(let number)? = json { Int(number) } else { nil }
      }
      let places = (json["findings"]?.elements ?? []).flatMap { $0["places"]?.elements ?? [] }
        .filter { ["damage", "loss"].contains($0["severity"]?.text) }
      let listed = json["pages"]?["damagedPages"]?.elements ?? []
      return Set(places.compactMap { number($0["page"]) } + listed.compactMap { number($0) })
    }
  }
}

extension DamageHarm {
  /// Whether bytes lie elsewhere afterwards.
  fileprivate var hasMoved: Bool {
    damages.contains { damage in
      switch damage {
      case .insert, .leaveOut, .crlf: true
      default: false
      }
    }
  }
}
