// SPDX-License-Identifier: Apache-2.0
// One thing that can be done about a database, and what it would keep and lose.

import Diagnosis

extension DiagnosisReport {
  /// One thing that can be done, with its predicted outcome.
  public struct Option: Hashable, Sendable, Encodable {
    /// What is predicted for one table.
    public struct Outcome: Hashable, Sendable, Encodable {
      /// The table.
      public let table: String
      /// Rows of the current database that stay.
      public let kept: Int
      /// Rows of the current database that go.
      public let lost: RowLoss
      /// Rows that come back and are not in the current database.
      public let regained: Int

      init(_ outcome: RecoveryOption.Outcome) {
        table = outcome.table.shownName
        kept = outcome.kept
        lost = RowLoss(outcome.lost)
        regained = outcome.regained
      }
    }

    /// Its name, as `--choose` takes it.
    public let name: String
    /// What it does.
    public let summary: String
    /// Whether rows of the current database may go.
    public let isDestructive: Bool
    /// The backup that a restore uses.
    public let backup: String?
    /// Rows of the current database that stay, in all tables.
    public let kept: Int
    /// Rows of the current database that go, in all tables.
    public let lost: RowLoss
    /// Rows that come back, in all tables.
    public let regained: Int
    /// What is predicted for each table; empty where nothing changes.
    public let tables: [Outcome]
    /// How many tables are not listed, because there are too many.
    public let tablesOmitted: Int
    /// The command that carries it out; nil when that is not this program's to do.
    let command: ReportedCommand?
    let kind: RecoveryOption.Kind

    private enum CodingKeys: String, CodingKey {
      case name, summary, backup, kept, lost, regained, tables, tablesOmitted, command
      case isDestructive = "destructive"
    }

    init(_ option: RecoveryOption, file: String) {
      kind = option.kind
      name = option.name
      summary = option.summary.shownMessage
      isDestructive = option.kind.isDestructive
      backup = option.backup?.shownFile
      kept = option.outcomes.reduce(0) { $0 + $1.kept }
      lost = RowLoss(sum: option.outcomes.map(\.lost))
      regained = option.outcomes.reduce(0) { $0 + $1.regained }
      tables = option.outcomes.prefix(DiagnosisReport.listLimit).map { Outcome($0) }
      tablesOmitted = max(0, option.outcomes.count - DiagnosisReport.listLimit)
      command = Self.command(for: option, file: file)
    }

    private static func command(for option: RecoveryOption, file: String) -> ReportedCommand? {
      switch option.kind {
      case .nothing, .migrate: nil
      case .restore:
        ReportedCommand(
          "restore", file, options: option.backup.map { ["--from", $0.shownFile] } ?? [])
      case .rebuildIndexes, .salvage, .reset:
        ReportedCommand("recover", file, options: ["--choose", option.name])
      }
    }

    /// What is kept and lost, such as `keeps 9,800 of 9,840 rows`; nil where there is nothing
    /// to say of rows.
    var balance: String? {
      let back = regained > 0 ? ["brings back \(regained.of("row"))"] : []
      let words = (keeping.map { [$0] } ?? []) + back
      return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private var keeping: String? {
      switch lost.kind {
      case .none: kept == 0 ? nil : "keeps all \(kept.of("row"))"
      case .exactly: "keeps \(kept.grouped) of \((kept + (lost.rows ?? 0)).of("row"))"
      case .atLeast: "keeps \(kept.of("row")), loses \(lost.words)"
      case .unknown: "keeps \(kept.of("row")), loses an unknown number"
      }
    }
  }
}
