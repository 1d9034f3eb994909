// SPDX-License-Identifier: Apache-2.0
// The account of a salvage as a document: one value, from which text, JSON and HTML are rendered.

package import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The account of a salvage as a document.
///
/// Its JSON is described as that of ``DiagnosisReport``.
package struct SalvageAccount: WrittenReport, Hashable {
  /// What the document is.
  package var type: String { "salvage" }
  /// The program that did it, with its version.
  package let tool: String
  /// The libraries in use, with their versions.
  package let libraries: String
  /// When it was done.
  package let created: Date
  /// The support code of the run.
  package let code: SupportCode
  /// The status in which a salvage ends that gives this account.
  package let exitStatus: Int32
  /// The name of the damaged database, without its folder.
  package let file: String
  /// The files that were read, the database first.
  package let inputs: [ReportedFile]
  /// The name of the fresh database.
  package let output: String
  /// The name of the database of doubtful rows; nil when there were none.
  package let quarantine: String?
  /// Whether every row of every table is in the fresh database.
  package let isComplete: Bool
  /// Whether all of the input could be read, and was the same at the end.
  let isWhollyRead: Bool
  /// Why there may be more than the rows that were seen.
  let reservations: [String]
  /// All tables together.
  package let rows: Rows
  /// What became of every table's rows.
  package let tables: [Rows]
  /// How many tables are not listed, because there are too many.
  package let tablesOmitted: Int
  /// Objects of the schema that could not be made.
  package let unrestored: [Unrestored]
  /// How many objects are not listed, because there are too many.
  package let unrestoredOmitted: Int
  /// Rows that were lost and come from backups.
  package let origins: [Origin]
  /// How many tables with such rows are not listed, because there are too many.
  package let originsOmitted: Int
  /// What else should be known.
  package let notes: [String]
  /// What was not checked.
  package let unchecked: [ReportedUnchecked]
  /// How many things are not listed, because there are too many.
  package let uncheckedOmitted: Int
  /// What SQLite's own check says about the fresh database; empty when it is sound.
  package let integrityProblems: [String]
  /// Rows of the fresh database that refer to rows that are not there.
  package let danglingReferences: [Dangling]
  /// How many tables with such rows are not listed, because there are too many.
  package let danglingReferencesOmitted: Int
  /// The command to run next; nil when the fresh database holds no row that was to be saved.
  let next: ReportedCommand?

  private enum CodingKeys: String, CodingKey {
    case tool, libraries, created, code, file, inputs, output, quarantine, rows,
      tables
    case reservations, tablesOmitted, unrestored, unrestoredOmitted, origins, originsOmitted, notes
    case unchecked, uncheckedOmitted, integrityProblems
    case danglingReferences, danglingReferencesOmitted, next
    case isComplete = "complete"
  }

  /// Makes the account of a salvage.
  package init(
    of report: SalvageReport, file: PlainName, inputs: [RunRecord.InputDigest] = [],
    code: SupportCode, created: Date
  ) {
    let limit = DiagnosisReport.listLimit
    let balances = report.balances.shown
    // Where not all tables fit, those with something missing come first.
    let fitting =
      balances.count > limit
      ? balances.filter { !$0.isComplete } + balances.filter(\.isComplete) : balances
    tool = Tool.name
    libraries = Tool.libraries
    self.created = created
    self.code = code
    exitStatus = report.imbalance?.exitStatus ?? report.outcome.exitStatus
    self.file = file.description.shownFile
    self.inputs = inputs.map { ReportedFile($0) }
    output = PlainName(report.output).description.shownFile
    quarantine = report.quarantine.map { PlainName($0).description.shownFile }
    isComplete = report.isComplete
    isWhollyRead = report.isWhollyRead
    reservations = Self.bounded(report.reservations)
    rows = Rows(sum: balances)
    tables = fitting.prefix(limit).map { Rows($0) }
    tablesOmitted = max(0, balances.count - limit)
    unrestored = report.unrestored.prefix(limit).map {
      Unrestored(name: $0.name.text, reason: $0.reason.shownMessage)
    }
    unrestoredOmitted = max(0, report.unrestored.count - limit)
    origins = report.origins.prefix(limit).map { Origin($0) }
    originsOmitted = max(0, report.origins.count - limit)
    notes = Self.bounded(report.notes)
    unchecked = ReportedUnchecked.list(report.unchecked)
    uncheckedOmitted = max(0, report.unchecked.count - limit)
    integrityProblems = Self.bounded(report.integrityProblems)
    danglingReferences = report.danglingReferences.prefix(limit).map {
      Dangling(table: $0.table.text, rows: $0.count)
    }
    danglingReferencesOmitted = max(0, report.danglingReferences.count - limit)
    // What is sound because nothing is in it is not worth a check.
    let isEmpty = !report.isComplete && rows.written + rows.restored == 0
    next =
      isEmpty
      ? nil
      : ReportedCommand(
        integrityProblems.isEmpty ? "check" : "diagnose", report.output.nameInCommands)
  }

  /// As many messages as a report lists, the last of them saying how many more there are.
  private static func bounded(_ messages: [String]) -> [String] {
    let limit = DiagnosisReport.listLimit
    return messages.prefix(limit).map(\.shownMessage) + omission(of: messages.count - limit)
  }

  /// The line that stands for what is left out of a list.
  static func omission(of count: Int) -> [String] {
    count > 0 ? ["… and \(count.grouped) more"] : []
  }
}

extension SalvageAccount {
  /// An object of the schema that could not be made.
  package struct Unrestored: Hashable, Sendable, Encodable {
    /// Its name.
    package let name: String
    /// Why, in SQLite's words.
    package let reason: String
  }

  /// Rows of a table that refer to rows that are not there.
  package struct Dangling: Hashable, Sendable, Encodable {
    /// The table.
    package let table: String
    /// How many of its rows.
    package let rows: Int
  }

  /// Rows of a table that were lost and come from a backup.
  package struct Origin: Hashable, Sendable, Encodable {
    /// The table.
    package let table: String
    /// The file name of the backup.
    package let backup: String
    /// When the backup was made.
    package let created: Date?
    /// How many rows.
    package let rows: Int

    init(_ restored: RestoredRows) {
      table = restored.table.text
      backup = restored.backup.description.shownFile
      created = restored.created
      rows = restored.rows
    }

    /// The origin in words.
    var words: String {
      let date = created.map { " of \($0.ISO8601Format())" } ?? ""
      return "\(table.shownName): \(rows.of("row")) from \(backup)\(date)"
    }
  }

  /// What is complete, with rows as a backup has them.
  private static let fromBackup = "complete with rows from a backup"

  /// How it went, in a word or a few.
  var word: String {
    if isComplete { return rows.restored == 0 ? "complete" : Self.fromBackup }
    return integrityProblems.isEmpty && rows.isBalanced ? "partial" : "unsound"
  }

  /// What the word means for the data.
  var meaning: String {
    switch word {
    case "complete":
      "every row of every table is in the fresh database"
    case Self.fromBackup:
      "\(rows.restored.of("row", "is", "are")) of the time of \(backupWords), and may have been "
        + "changed or deleted since; every other row is as the file has it"
    case "unsound":
      rows.isBalanced
        ? "SQLite finds faults in the fresh database: do not use it yet"
        : "the rows seen and the rows accounted for differ: do not use the fresh database yet"
    default:
      !isWhollyRead
        ? "what could be read is in the fresh database; the file changed meanwhile, or not all of it "
          + "could be read: rows may be lost"
        : rows.isComplete && !reservations.isEmpty
          ? "every row that was seen is in the fresh database, and there may be more"
          : rows.isComplete
            ? "every row is in the fresh database, but not every object of the schema"
            : "what could be read is in the fresh database; rows are lost or set aside"
    }
  }

  /// The style in which the word is shown.
  var style: StyledText.Style {
    switch word {
    case "complete": .good
    case Self.fromBackup: .warning
    case "partial": rows.isComplete && isWhollyRead ? .warning : .bad
    default: .bad
    }
  }

  /// What SQLite's own check says, and which references lead nowhere.
  var problems: [String] {
    integrityProblems
      + danglingReferences.map { reference in
        "\(reference.rows.of("row")) of '\(reference.table.shownName)'"
          + " \(reference.rows == 1 ? "refers" : "refer") to rows that are not there"
      } + Self.omission(of: danglingReferencesOmitted)
  }

  /// Where the doubtful rows are, in sentences without a full stop; empty when there are none.
  var quarantineWords: [String] {
    guard let quarantine else { return [] }
    var words: [String] = []
    if rows.quarantined > 0 {
      words.append(
        "\(rows.quarantined.of("row")) set aside in \(quarantine), each with its table, page, "
          + "byte and reason")
      // A row that no tree leads to is missing in its table and set aside: both are true.
      if rows.lost.isLoss { words.append("rows that a table lost may be among them") }
    }
    if rows.partial > 0 {
      words.append("what is left of \(rows.partial.of("lost row")) is in \(quarantine) too")
    }
    if rows.leftOut > 0 {
      words.append("the values of \(rows.leftOut.of("row")) without a column are in \(quarantine)")
    }
    if rows.changed > 0 {
      words.append(
        "\(rows.changed.of("row", "has a value", "have values")) that the type of the new column "
          + "changes: what was in the file is in \(quarantine)")
    }
    if words.isEmpty { words.append("\(quarantine) lists the pages that no row was read from") }
    return words
  }

  /// The backups that rows come from: the one of its date, or several.
  private var backupWords: String {
    guard let first = origins.first, originsOmitted == 0,
      origins.allSatisfy({ $0.backup == first.backup })
    else { return "backups" }
    return "the backup" + (first.created.map { " of \($0.ISO8601Format())" } ?? "")
  }

  /// Which rows come from backups, a line for each table and backup.
  var originWords: [String] {
    guard !origins.isEmpty else { return [] }
    return origins.map(\.words) + Self.omission(of: originsOmitted)
      + ["as they were then: what was changed or deleted in them since is not known"]
  }

  /// Where rows of tables are missing, a line a table, with so many stretches at most.
  func missingWords(_ shownMax: Int) -> [String] {
    tables.compactMap { table in
      guard let missing = table.missing, !missing.isEmpty else { return nil }
      let rest = missing.count + (table.missingOmitted ?? 0) - shownMax
      let shown = missing.prefix(shownMax).map(\.words).joined(separator: ", ")
      return "\(table.name): \(shown)" + (rest > 0 ? " … and \(rest.grouped) more" : "")
    }
  }
}
