// SPDX-License-Identifier: Apache-2.0
// A diagnosis as a document for support: one value, from which text, JSON and HTML are rendered.

package import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A diagnosis as a document for support.
///
/// Its JSON is described by the schema of ``PublishedFormat/report``, which `dbrescue schema report`
/// prints. A member is absent where what it says is not known.
package struct DiagnosisReport: WrittenReport, Hashable {
  /// What the document is: `diagnosis`, or the name of the command that only looked.
  package let type: String
  /// The program that made the diagnosis, with its version.
  package let tool: String
  /// The libraries in use, with their versions.
  package let libraries: String
  /// When the diagnosis was made.
  package let created: Date
  /// The support code of the run.
  package let code: SupportCode
  /// The name of the database file, without its folder.
  package let file: String
  /// The files that were looked at, the database first.
  package let inputs: [ReportedFile]
  /// The sum of the findings.
  package let verdict: Verdict
  /// The verdict in one word.
  private let word: String
  /// Whether rows are lost or doubtful.
  package let losesRows: Bool
  /// What the verdict means for the data.
  package let meaning: String
  /// The exit status of a check that ends in this verdict.
  package let exitStatus: Int32
  /// All tables together.
  package let rows: RowSum
  /// The tables with their rows.
  package let tables: [TableRows]
  /// How many tables are not listed, because there are too many.
  package let tablesOmitted: Int
  /// The schema version found and the one expected.
  package let versions: RunRecord.Versions
  /// The two ways out of a guarded migration that was cut off; nil where there is none.
  private let cutOffMigration: CutOff?
  /// What is known of rows that were not sent anywhere yet.
  package let unsynced: ReportedUnsynced
  /// How the database differs from the contract, line by line.
  package let differences: [String]
  /// How the database differs from the contract.
  private let listedDifferences: [ReportedDifference]
  /// How many differences are not listed, because there are too many.
  package let differencesOmitted: Int
  /// The findings by kind, heaviest first.
  package let findings: [FindingGroup]
  /// What happened to the file, the surest first; nil where that was not asked.
  private let causeEntries: [Cause]?
  /// What happened to the file, the surest first.
  package var causes: [Cause] { causeEntries ?? [] }
  /// Whether something is wrong of which no cause is at least likely.
  package let isCauseUnknown: Bool?
  /// The causes that are ruled out, where none is sure; nil where that was not asked.
  let ruledOut: [RuledOutCause]?
  /// What was not checked.
  package let unchecked: [ReportedUnchecked]
  /// How many things are not listed, because there are too many.
  package let uncheckedOmitted: Int
  /// What can be done, least destructive first.
  package var options: [Option] { offer ?? [] }
  /// What can be done; nil where that was not asked.
  private let offer: [Option]?
  /// What would bring back more; nil where nothing is known that would.
  package let hint: String?
  /// The command to run next; nil when no command helps.
  let next: ReportedCommand?
  /// The command that takes that one back; nil where that is not so simple.
  let undo: ReportedCommand?
  /// When the files of the set changed and its backups were made, oldest first.
  let moments: [Circumstances.Moment]
  /// What is known from around the files, by its name.
  let environment: [Surrounding]
  /// What else is known of the file.
  package let facts: Facts
  /// Which page belongs to what; nil when there are no pages.
  package let pages: PageMap?
  /// What is slow or at risk although nothing is wrong; nil where that was not asked.
  package var advised: Advised?

  private enum CodingKeys: String, CodingKey {
    case tool, libraries, created, code, file, inputs, losesRows, meaning, rows
    case tables, tablesOmitted, versions, unsynced, differencesOmitted
    case ruledOut, cutOffMigration, findings, unchecked, uncheckedOmitted, hint, next, undo, facts,
      pages
    case word = "verdict"
    case offer = "options"
    case listedDifferences = "differences"
    case causeEntries = "causes"
    case isCauseUnknown = "causeUnknown"
    case advised = "advice"
  }

  /// The most members of a list; a hostile schema can name hundreds of thousands of tables.
  static let listLimit = 1000

  /// Makes the report of a diagnosis.
  ///
  /// `trial` is what copying the rows gave, where that was tried; `differences` are those of the
  /// examination unless they are given. `contract` and `vault` were named beside the file: a command
  /// that goes on from here needs them again.
  package init(
    of examination: Examination, trial: SalvageTrial? = nil, options: [RecoveryOption] = [],
    causes: CauseAnswer? = nil, differences: [ContractDifference]? = nil, file: FilePath,
    contract: FilePath? = nil, vault: FilePath? = nil,
    inputs: [RunRecord.InputDigest] = [], code: SupportCode, created: Date
  ) {
    let given = [("--contract", contract), ("--vault", vault)].flatMap { flag, path in
      path.map { [flag, $0.nameInCommands] } ?? []
    }
    self.init(
      "diagnosis", of: examination, trial: trial, options: options,
      causes: causes ?? examination.causes, differences, file: file, given: given,
      inputs: inputs, code: code, created: created)
  }

  /// Makes the report of a look at a database: what can be done was not asked.
  ///
  /// `type` is the name of the command.
  package init(
    ofLook type: String, _ examination: Examination, file: FilePath,
    code: SupportCode, created: Date
  ) {
    self.init(
      type, of: examination, trial: nil, options: nil, causes: nil, nil, file: file,
      inputs: [], code: code, created: created)
  }

  private init(
    _ type: String, of examination: Examination, trial: SalvageTrial?, options: [RecoveryOption]?,
    causes: CauseAnswer?, _ known: [ContractDifference]?, file: FilePath, given: [String] = [],
    inputs: [RunRecord.InputDigest],
    code: SupportCode,
    created: Date
  ) {
    let survey = examination.survey
    let (name, commandName) = (PlainName(file).description.shownFile, file.nameInCommands)
    let all = TableRows.all(of: examination.reconstruction, trial)
    self.type = type
    tool = Tool.name
    libraries = Tool.libraries
    self.created = created
    self.code = code
    self.file = name
    self.inputs = inputs.map { ReportedFile($0) }
    verdict = examination.verdict
    word = examination.verdict.word
    losesRows = examination.losesRows
    meaning = examination.meaning
    exitStatus = examination.verdict.exitStatus
    rows = RowSum(all, trial?.unplaced)
    // Where not all fit, those with a loss come first.
    let fitting =
      all.count > Self.listLimit ? all.filter(\.isHurt) + all.filter { !$0.isHurt } : all
    tables = Array(fitting.prefix(Self.listLimit))
    tablesOmitted = max(0, all.count - Self.listLimit)
    versions = RunRecord.Versions(
      found: examination.foundVersion, expected: examination.expectedVersion,
      relation: examination.relation)
    cutOffMigration = examination.use.cutOffMigration.map { CutOff($0) }
    unsynced = ReportedUnsynced(examination.unsynced)
    let differences = known ?? examination.comparison?.differences ?? []
    let listed = Array(differences.prefix(Self.listLimit))
    self.differences = ContractDifference.lines(for: listed).map(\.shownMessage)
    listedDifferences = listed.map { ReportedDifference($0) }
    differencesOmitted = max(0, differences.count - Self.listLimit)
    findings = FindingGroup.groups(of: examination.findings, in: survey.image)
    unchecked = ReportedUnchecked.list(examination.unchecked)
    uncheckedOmitted = max(0, examination.unchecked.count - Self.listLimit)
    facts = Facts(of: examination)
    offer = options?.map {
      Option($0, file: commandName, given: given, isPacked: examination.use.packing != nil)
    }
    causeEntries = causes?.causes.map { Cause($0) }
    isCauseUnknown = causes?.isUnknown
    ruledOut = causes?.ruledOut.map { RuledOutCause($0) }
    moments = options == nil ? [] : examination.circumstances.moments
    environment = options == nil ? [] : Self.environment(examination.circumstances)
    guard let options else {
      (hint, next, undo, pages) = (nil, nil, nil, nil)
      return
    }
    let isSchemaWanted =
      rows.unplaced > 0 && examination.verification == nil && survey.schema?.isWhole != true
    hint = isSchemaWanted ? Self.schemaHint(rows.unplaced) : nil
    next = Self.next(
      after: examination, options, isSchemaWanted: isSchemaWanted, file: commandName, given: given)
    undo = next?.undone
    pages = PageMap(of: survey, examination.findings)
  }

  private static func next(
    after examination: Examination, _ options: [RecoveryOption], isSchemaWanted: Bool, file: String,
    given: [String]
  ) -> ReportedCommand? {
    if let process = examination.use.process {
      return ReportedCommand(
        "backup", file, given: given, options: ["--from-process", "\(process)"])
    }
    if let move = examination.sidecarMove {
      return ReportedCommand(move, of: file)
    }
    if examination.circumstances.ownBackup != nil {
      return ReportedCommand("vault extract", file, options: ["--output", "NEW.db"])
    }
    let isPacked = examination.use.packing != nil
    if options.first?.kind == .nothing, isPacked || examination.verdict == .unreadable {
      return nil
    }
    if isSchemaWanted {
      return ReportedCommand("salvage", file, options: ["--schema", "SCHEMA", "--output", "NEW"])
    }
    if isPacked, options.contains(where: { $0.kind == .salvage }) {
      return .salvagingArchive(file)
    }
    return next(after: examination.verdict, options, file: file, given: given)
  }

  /// Whether the command to run next takes the contract and the vault that were named, if there is one.
  package var goesOnWithFlags: Bool { next.map { !$0.given.isEmpty } ?? true }

  private static func schemaHint(_ unplaced: Int) -> String {
    "\(unplaced.of("row")) can be read and "
      + (unplaced == 1 ? "has lost the name of its table" : "have lost the name of their table")
      + ": with the app's schema (a contract, an SQL script, or any healthy database of "
      + "the app) they can be put back"
  }

  private static func next(
    after verdict: Verdict, _ options: [RecoveryOption], file: String, given: [String]
  ) -> ReportedCommand? {
    switch verdict {
    case .healthy, .newer: nil
    case .outdated: ReportedCommand("backup", file, given: given)
    case .drifted, .damagedIntact, .damagedLossy, .unreadable:
      options.isEmpty ? nil : ReportedCommand("recover", file, given: given)
    }
  }
}

extension DiagnosisReport {
  /// The rows of all tables together.
  package struct RowSum: Hashable, Sendable, Encodable {
    /// Rows that can be read and are in their place.
    package let readable: Int
    /// Rows that can be read, and that something speaks against.
    package let doubtful: Int
    /// Rows that can be read, and whose table nothing tells.
    package let unplaced: Int
    /// Rows that cannot be read.
    package let lost: RowLoss

    /// Adds up tables, and what was found of unknown ones.
    init(_ tables: [TableRows], _ unknown: Balance?) {
      unplaced = unknown?.quarantined ?? 0
      readable = tables.reduce(0) { $0 + $1.readable }
      doubtful = tables.reduce(0) { $0 + $1.doubtful }
      lost = RowLoss(sum: tables.map(\.loss) + [unknown?.lost ?? .none])
    }
  }
}
