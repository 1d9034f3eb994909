// SPDX-License-Identifier: Apache-2.0
// One message for the user of a database after a recovery, in plain words: support passes it on.

package import Diagnosis

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// One message for the user of a database after a recovery; it holds no value of a row.
package struct HandOver {
  /// What was done; nil where nothing could be.
  private let report: RecoveryReport?
  private let causes: CauseAnswer?
  private let code: SupportCode?
  private let created: Date
  private let file: String

  /// Makes the message of a run; the causes are those of the database as it was before.
  package init(
    _ result: RunResult<RecoveryReport>, of file: FilePath, causes: CauseAnswer?
  ) {
    report = result.value
    self.causes = causes
    code = result.code
    created = result.started
    self.file = PlainName(file).description.shownFile
  }

  /// Makes the message of a run that found nothing that could be done with a file.
  package init(
    unable error: RescueError, with file: FilePath, causes: CauseAnswer?, at moment: Date
  ) {
    report = nil
    self.causes = causes
    code = error.code
    created = moment
    self.file = PlainName(file).description.shownFile
  }

  /// The message, in lines of at most so many columns.
  package var text: String {
    let parts: [(String, [String])] = [
      ("What happened", happened), ("What is back", back), ("What is not", missing),
      ("What to do", steps), ("Support code", [code?.description].compactMap(\.self)),
    ]
    let head = "About the data in \(file), \(created.ISO8601Format().prefix(10))\n"
    return parts.filter { !$0.1.isEmpty }.reduce(head) { text, part in
      text + "\n\(part.0)\n" + part.1.map(Self.paragraph).joined()
    }
  }

  private static func paragraph(_ words: String) -> String {
    StyledText(verbatim: words.harmless(limit: String.lineLimit)).wrapped(to: 70)
      .map { "  \($0.plain)\n" }.joined()
  }

  private var kind: RecoveryOption.Kind? { report?.plan?.option.kind }

  // MARK: Parts

  private var happened: [String] {
    if let cause = causes?.leading {
      return [(cause.confidence == .certain ? "" : "Most likely: ") + cause.happened.sentence]
    }
    if causes?.isUnknown == true {
      return ["The file of the database was damaged. What did that cannot be told from it."]
    }
    guard let report else { return ["The file that was sent cannot be used as it is."] }
    return report.plan == nil ? ["Nothing is wrong with the database."] : []
  }

  private var back: [String] {
    switch kind {
    case nil where report == nil: ["Nothing yet: nothing was changed, and nothing is given up."]
    case nil: ["Nothing had to be changed: everything is where it was."]
    case .restore:
      ["Everything as it was when the backup \(report?.plan?.option.backup ?? "") was made."]
    case .rebuildIndexes: ["Everything: only the lists by which it is searched were made anew."]
    case .reset: ["The database works again. It is empty."]
    default: salvaged
    }
  }

  private var salvaged: [String] {
    guard let salvage = report?.salvage else { return [] }
    if salvage.isComplete, fromBackup == nil { return ["Everything: every entry could be read."] }
    return [
      entries("Entries that could be read", salvage.balances, \.written), fromBackup,
    ].compactMap(\.self)
  }

  /// What came from a backup, in a sentence; nil where nothing did.
  private var fromBackup: String? {
    let date = report?.salvage?.origins.first?.created.map {
      " of \($0.ISO8601Format().prefix(10))"
    }
    return entries(
      "Entries as they were in the backup\(date ?? "")", report?.salvage?.balances ?? [], \.restored
    )
  }

  /// How many entries there are of each table, in a sentence; nil where there is none.
  private func entries(
    _ title: String, _ balances: [Balance], _ count: KeyPath<Balance, Int>
  ) -> String? {
    let tables = balances.shown.filter { $0.table != nil && $0[keyPath: count] > 0 }
    let words = tables.prefix(Self.tablesMax).map {
      "\($0[keyPath: count].grouped) in \($0.shownTable?.shownName ?? "")"
    }
    let rest = tables.count - words.count
    return words.isEmpty
      ? nil
      : "\(title): " + words.joined(separator: ", ")
        + (rest > 0 ? ", and those of \(rest.of("more table"))" : "") + "."
  }

  /// The most tables that are named.
  private static let tablesMax = 20

  private var missing: [String] {
    if kind == .reset {
      let kept = (report?.exported ?? []).reduce(0) { $0 + $1.rows }
      return [
        "All entries of this device that are nowhere else."
          + (kept > 0
            ? " \(kept.of("entry", plural: "entries")) not sent yet were written to files." : "")
      ]
    }
    let changed = changedSince
    let aside = report?.salvage?.balances.reduce(0) { $0 + $1.quarantined - $1.uncommitted } ?? 0
    let contradicted = report?.plan?.option.contradicted ?? 0
    let losses =
      lossLines + (report?.salvage?.reservations ?? []).map { "There may have been more: \($0)." }
      + (contradicted > 0
        ? [
          "\(contradicted.of("entry", plural: "entries")) may not be as before: a list by which it is "
            + "searched had something else."
        ] : [])
    if losses.isEmpty, changed.isEmpty, aside == 0, fromBackup == nil {
      return report?.plan == nil ? [] : ["Nothing that is known of."]
    }
    return losses + changed
      + (fromBackup != nil ? ["What was changed since in the entries from the backup."] : [])
      + (aside > 0
        ? [
          "\(aside.of("entry", plural: "entries")) could be read, and where they belong is not sure: "
            + "they are kept beside the database."
        ] : [])
  }

  /// The entries that a backup has as they were before they were changed.
  private var changedSince: [String] {
    let count = report?.plan?.option.outcomes.reduce(0) { $0 + $1.changed } ?? 0
    return count == 0
      ? []
      : ["What was changed since the backup in \(count.of("entry", plural: "entries"))."]
  }

  /// What is lost of each table, a sentence each.
  private var lossLines: [String] {
    let losses: [(table: String, loss: Loss)] =
      if let salvage = report?.salvage {
        salvage.balances.map { ($0.shownTable?.shownName ?? "no known table", $0.lost) }
      } else {
        (report?.plan?.option.outcomes ?? []).map { ($0.table.shownName, $0.lost) }
      }
    let lost = losses.filter { $0.loss != .none }
    let words = lost.prefix(Self.tablesMax).map { "\(Self.entries($0.loss)) of \($0.table)." }
    return words
      + (lost.count > words.count ? ["And of \((lost.count - words.count).of("more table"))."] : [])
  }

  private static func entries(_ loss: Loss) -> String {
    switch loss {
    case .none: "No entries"
    case .exactly(let count): count.of("entry", plural: "entries")
    case .atLeast(let count): "At least " + count.of("entry", plural: "entries")
    case .unknown: "An unknown number of entries"
    }
  }

  private var steps: [String] {
    guard let report else {
      return [
        causes?.leading?.now
          ?? "Keep the device and the app as they are, and do not install the app anew: look for a backup, "
          + "or another device that has the data."
      ]
    }
    guard report.plan != nil else { return [] }
    var steps: [String] = ["Open the app, and look through what matters most to you."]
    let isWhole =
      lossLines.isEmpty && changedSince.isEmpty && kind != .reset
      && report.salvage?.isComplete ?? true
    if !isWhole {
      steps.append(
        "If something is missing, do not delete anything: what was there before is kept, and another "
          + "device, a computer or a cloud may still have what is not back.")
    }
    return steps + ["If anything is wrong, tell the support code below."]
  }
}

extension Int {
  fileprivate func of(_ noun: String, plural: String) -> String {
    Quantity.count(self, noun, plural: plural)
  }
}
