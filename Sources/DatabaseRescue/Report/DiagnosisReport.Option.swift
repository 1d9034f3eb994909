// SPDX-License-Identifier: Apache-2.0
// One thing that can be done about a database, and what it would keep and lose.

package import Diagnosis
import SQLiteFormat

extension DiagnosisReport {
  /// One thing that can be done, with its predicted outcome.
  package struct Option: Hashable, Sendable, Encodable {
    /// What is predicted for one table.
    package struct Outcome: Hashable, Sendable, Encodable {
      /// The table.
      package let table: String
      /// Rows of the current database that stay as they are.
      package let kept: Int
      /// Rows of the current database that stay with other values.
      package let changed: Int
      /// Rows of the current database that go to the quarantine file.
      package let quarantined: Int
      /// Rows of the current database that go.
      package let lost: RowLoss
      /// The most rows that can be lost, where that is known.
      package let lostAtMost: Int?
      /// Rows that come back and are not in the current database.
      package let regained: Int

      /// Makes the entry of a table.
      package init(_ outcome: RecoveryOption.Outcome) {
        table = outcome.table.text
        kept = outcome.kept
        changed = outcome.changed
        quarantined = outcome.quarantined
        lost = RowLoss(outcome.lost)
        lostAtMost = outcome.lostAtMost
        regained = outcome.regained
      }
    }

    /// Its name, as `--choose` takes it.
    package let name: String
    /// What it does.
    package let summary: String
    /// Whether rows of the current database may go.
    package let isDestructive: Bool
    /// The backup that it uses.
    package let backup: String?
    /// Why the figures are those of a first reading; nil where they were tried out.
    package let estimated: String?
    /// Rows of the current database that stay as they are, in all tables.
    package let kept: Int
    /// Rows of the current database that stay with other values, in all tables.
    package let changed: Int
    /// Rows of the current database that go to the quarantine file, in all tables.
    package let quarantined: Int
    /// Rows that go there and whose table nothing tells.
    package let unplaced: Int
    /// Rows of the current database that go, in all tables.
    package let lost: RowLoss
    /// Rows that come back, in all tables.
    package let regained: Int
    /// What is predicted for each table; empty where nothing changes.
    package let tables: [Outcome]
    /// How many tables are not listed, because there are too many.
    package let tablesOmitted: Int
    /// The command that carries it out; nil where there is none.
    let command: ReportedCommand?
    let kind: RecoveryOption.Kind

    private enum CodingKeys: String, CodingKey {
      case name, summary, backup, estimated, kept, changed, quarantined, unplaced, lost, regained
      case tables, tablesOmitted, command
      case isDestructive = "destructive"
    }

    /// Describes an option for a file, which may be an archive with the database.
    init(_ option: RecoveryOption, file: String, given: [String], isPacked: Bool) {
      kind = option.kind
      name = option.name
      summary = option.summary.shownMessage
      isDestructive = option.kind.isDestructive
      backup = option.backup?.shownFile
      estimated =
        switch option.basis {
        case .tried: nil
        case .estimated(let reason): reason.shownMessage
        }
      kept = option.outcomes.reduce(0) { $0 + $1.kept }
      changed = option.outcomes.reduce(0) { $0 + $1.changed }
      quarantined = option.outcomes.reduce(0) { $0 + $1.quarantined }
      unplaced = option.unplaced?.quarantined ?? 0
      lost = RowLoss(sum: option.outcomes.map(\.lost) + [option.unplaced?.lost ?? .none])
      regained = option.outcomes.reduce(0) { $0 + $1.regained }
      tables = option.outcomes.prefix(DiagnosisReport.listLimit).map { Outcome($0) }
      tablesOmitted = max(0, option.outcomes.count - DiagnosisReport.listLimit)
      command = Self.command(for: option, file: file, given: given, isPacked: isPacked)
    }

    private static func command(
      for option: RecoveryOption, file: String, given: [String], isPacked: Bool
    ) -> ReportedCommand? {
      switch option.kind {
      case .nothing, .migrate:
        option.sidecarMoved.map { ReportedCommand($0, of: file) }
      // An archive stays what it is.
      case .salvage where isPacked: .salvagingArchive(file)
      case .rebuildIndexes where isPacked: nil
      case .restore:
        ReportedCommand(
          "restore", file, given: given,
          options: option.backup.map { ["--from", key(of: $0)] } ?? [])
      case .rebuildIndexes, .salvageWithBackup, .salvage, .reset:
        ReportedCommand("recover", file, given: given, options: ["--choose", option.name])
      }
    }

    /// What names a backup in a command: its file, or its id where the shell or a report has its way with
    /// such a name.
    private static func key(of backup: String) -> String {
      let path = FilePath(backup)
      guard path.nameInCommands != backup || backup.hasPrefix("-") else { return backup }
      return BackupName(path.name).map { "\($0.id)" } ?? backup.shownFile
    }

    /// What is kept and lost, such as `keeps 9,800 of 9,840 rows`; nil where there is nothing
    /// to say of rows.
    var balance: String? {
      let aside = quarantined + unplaced
      let words =
        (keeping.map { [$0] } ?? [])
        + (changed > 0 ? ["changes \(changed.of("row"))"] : [])
        + (aside > 0 ? ["sets \(aside.of("row")) aside"] : [])
        + (regained > 0 ? ["brings back \(regained.of("row"))"] : [])
      guard !words.isEmpty else { return nil }
      return words.joined(separator: ", ")
        + (estimated.map { " (by a first reading: \($0))" } ?? "")
    }

    private var keeping: String? {
      switch lost.kind {
      case .none:
        kept == 0
          ? nil
          : changed + quarantined + unplaced > 0
            ? "keeps \(kept.of("row"))" : "keeps all \(kept.of("row"))"
      case .exactly:
        "keeps \(kept.grouped) of "
          + (kept + changed + quarantined + (lost.rows ?? 0)).of("row")
      case .atLeast: "keeps \(kept.of("row")), loses \(lost.words)"
      case .unknown: "keeps \(kept.of("row")), loses an unknown number"
      }
    }
  }
}
