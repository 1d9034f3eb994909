// SPDX-License-Identifier: Apache-2.0
// Everything that is known of one database: what its bytes say, and what its app expects.

package import SQLiteFormat

/// Everything that is known of one database.
public struct Examination: Sendable {
  /// What the bytes say, and what was put together again of them.
  package let reconstruction: Reconstruction
  /// What the app expects and how the database compares; nil without a contract, or where
  /// damage stood in the way.
  package let verification: ContractVerification?
  /// How the database compares with the contract, of a damaged one by its bytes alone; nil without a
  /// contract, or where there is no schema.
  package let comparison: ContractVerification?
  /// All findings, heaviest first.
  public private(set) var findings: [Finding]
  /// The sum of the findings.
  public let verdict: Verdict
  /// Who made the file, the surest first.
  package let frameworks: [FrameworkMatch]
  /// The version that the app expects.
  public let expectedVersion: Int?
  /// What is known of rows that were not sent anywhere yet.
  public let unsynced: UnsyncedRows
  /// What the modules of virtual tables say, where they were asked.
  package let modules: [ModuleVerdict]
  /// What was not checked: nothing is known to be wrong with it, and nothing to be right.
  public private(set) var unchecked: [Unchecked]
  /// What processes have of the database open.
  package let use: LiveUse
  /// What is known from around the files.
  package private(set) var circumstances = Circumstances()
  /// What its verdict means by what is known better since; nil where that is the same.
  private var betterMeaning: String?

  /// What the bytes say.
  package var survey: Survey { reconstruction.survey }

  /// Judges a database and, where there are any, the comparison with a contract and what modules
  /// say.
  ///
  /// A `verification` that has asked no row is that of the bytes alone.
  ///
  /// - Throws: `CutShort` when the reading was stopped on the way. Options and plans are made of
  ///   examinations, and so never of a part of a database.
  package init(
    _ reconstruction: Reconstruction, verification: ContractVerification? = nil,
    expectedVersion: Int? = nil,
    modules: [ModuleVerdict] = [], use: LiveUse = LiveUse()
  ) throws(CutShort) {
    self.reconstruction = reconstruction
    let survey = reconstruction.survey
    self.use = use
    self.verification = verification.flatMap { $0.hasAskedRows ? $0 : nil }
    var comparison = verification
    if let unwatched = comparison?.unwatchedTables {
      comparison?.differences += survey.brokenRules(modules, besides: unwatched)
    }
    self.comparison = comparison
    self.expectedVersion = expectedVersion
    self.modules = modules
    let tables = survey.schema?.parsed.description.tables ?? []
    frameworks = Framework.detect(
      in: tables.map { ($0.name, $0.columns.map(\.name)) },
      applicationID: survey.header?.applicationID ?? 0,
      userVersion: survey.header?.userVersion ?? 0,
      where: { survey.hasRow(of: $0, $1) })
    let uncheckedBytes = survey.unchecked(modules)
    var findings =
      use.findings + reconstruction.findings(modules, uncheckedBytes)
      + (comparison.map { ContractVerification.findings(of: $0) } ?? [])
    if verification == nil, let expectedVersion,
      let found = survey.header.map({ Int($0.userVersion) })
    {
      findings += Self.findings(version: found, expected: expectedVersion)
    }
    let isDatabase = survey.kind.isDatabase
    if isDatabase, Verdict(isDatabase: isDatabase, findings).isStructureSound {
      findings += UnfinishedMigration.all(in: survey, of: frameworks).map(\.finding)
    }
    if let writer = use.writerInWords, let open = JournalCheck.open(in: survey, of: writer) {
      findings = findings.map { $0.code == .hotJournal ? open : $0 }
    }
    // What a process has open is where its log is.
    if !use.heldApart.isEmpty {
      findings.removeAll { $0.code == .walMissing && $0.severity == .loss }
    }
    // Without a contract, the frameworks' own marks tell.
    let waiting =
      self.verification == nil ? UnsyncedMark.rows(in: survey, of: frameworks) : []
    findings += waiting.compactMap(\.finding)
    self.findings = findings.sorted { $0.severity > $1.severity }
    verdict = Verdict(isDatabase: isDatabase, self.findings)
    unsynced = self.verification?.unsyncedRows ?? UnsyncedRows(waiting.map(\.rows))
    unchecked =
      uncheckedBytes + use.unchecked + (verification.map { Unchecked.all(in: $0) } ?? [])
      + (verdict.isStructureSound || expectedVersion == nil ? [] : [Unchecked.contract(of: survey)])
    try survey.failures.requireUncut()
  }

  /// The same, with some findings in other words, and the verdict, where there are any for that.
  func worded(_ meaning: String?, _ words: (Finding) -> Finding) -> Examination {
    var copy = self
    copy.betterMeaning = meaning
    copy.findings = findings.map(words)
    return copy
  }

  /// The same, with what others have to say who judge no structure: the verdict stays.
  package func adding(_ more: [Finding], unchecked: [Unchecked] = []) -> Examination {
    var copy = self
    copy.findings = (findings + more).sorted { $0.severity > $1.severity }
    copy.unchecked += unchecked
    return copy
  }

  /// The same, with what is known from around the files.
  package func amid(_ circumstances: Circumstances) -> Examination {
    var copy = self
    copy.circumstances = circumstances
    return copy
  }

  /// The same, with what could not be read since it was judged.
  ///
  /// - Throws: `CutShort` when the reading was stopped since.
  package func judgedAgain() throws(CutShort) -> Examination {
    try survey.failures.requireUncut()
    guard survey.failures.count > 0 else { return self }
    return try Examination(
      reconstruction, verification: verification ?? bareComparison,
      expectedVersion: expectedVersion,
      modules: modules, use: use
    ).amid(circumstances)
  }

  /// The comparison without what the survey itself adds to it.
  private var bareComparison: ContractVerification? {
    var bare = comparison
    bare?.differences.removeAll { $0.kind == .broken }
    return bare
  }

  private static func findings(version: Int, expected: Int) -> [Finding] {
    guard version != expected else { return [] }
    return [
      Finding(
        version < expected ? .versionOlder : .versionNewer,
        "the version is \(version), and \(expected) is expected")
    ]
  }

  /// Whether it is sure that a migration did not finish.
  private var hasUnfinishedMigration: Bool {
    findings.contains { $0.code == .migrationUnfinished && $0.severity > .notice }
  }

  /// Whether nothing else is wrong than that a migration did not finish.
  var isOnlyMigrationUnfinished: Bool {
    hasUnfinishedMigration
      && findings.allSatisfy { $0.code == .migrationUnfinished || $0.severity == .notice }
  }

  /// Whether nothing else is wrong than that an archive lies where an app looks for it.
  var isOnlyPacked: Bool {
    verdict == .drifted && findings.allSatisfy { $0.code == .packed || $0.severity < .damage }
  }

  /// Whether it is older than its newest backup.
  package var isOlderThanBackup: Bool { findings.contains { $0.code == .databaseOlder } }

  /// What the verdict means, as far as the database was checked.
  public var meaning: String {
    if verdict == .drifted, hasUnfinishedMigration {
      return "the structure is sound, but a migration did not finish"
    }
    if verdict == .drifted, let words = relation.meaningOfDrift { return words }
    if survey.kind == .backup {
      return circumstances.ownBackup?.meaning
        ?? "this is a backup that dbrescue made, and not the database itself"
    }
    if verdict == .healthy, isOlderThanBackup {
      return "the structure is sound, but the database is older than its backup"
    }
    if verdict == .healthy || isOnlyPacked, let packing = use.packing {
      return "the structure is sound, but it lies in a \(packing.kind.rawValue) archive"
    }
    if verdict == .damagedLossy,
      findings.allSatisfy({ $0.code == .fileHeldApart || $0.severity < .damage })
    {
      return "the structure is sound, but a process goes on with a file that is not here any more"
    }
    if isOnlyLogMissing { return "the structure is sound, but its log is missing" }
    if verdict == .damagedIntact, let obstruction = use.obstruction,
      findings.allSatisfy({ $0.code == .sidecarBlocked || $0.severity < .damage })
    {
      return "the structure is sound, but \(obstruction.message)"
    }
    if let betterMeaning { return betterMeaning }
    return unchecked.isEmpty || verdict != .healthy
      ? verdict.meaning : "as far as it was checked, \(verdict.meaning)"
  }

  /// Whether nothing else is wrong than that there was a log, which is missing.
  var isOnlyLogMissing: Bool {
    verdict == .damagedLossy
      && findings.allSatisfy { $0.code == .walMissing || $0.severity < .damage }
  }

  /// The version found in the file.
  public var foundVersion: Int? { survey.header.map { Int($0.userVersion) } }

  /// How the version found relates to the one expected.
  public var relation: VersionRelation {
    if let comparison { return comparison.relation }
    guard let foundVersion, let expectedVersion else { return .unknown }
    return foundVersion == expectedVersion
      ? .equal : foundVersion < expectedVersion ? .older : .newer
  }

  /// The finding that weighs most.
  package var leadingFinding: FindingCode? {
    findings.first { $0.severity > .notice }?.code ?? findings.first?.code
  }

  /// Whether rows are lost or doubtful.
  package var losesRows: Bool { verdict.losesRows }

  /// Whether only indexes, and nothing but indexes, are wrong.
  package var isOnlyIndexesWrong: Bool {
    let wrong = findings.filter { $0.severity >= .damage }
    let indexes: Set<FindingCode> = [.indexDamaged, .indexMismatch, .fullTextDamaged]
    return !wrong.isEmpty
      && wrong.allSatisfy { finding in
        let isComputed =
          indexes.contains(finding.code)
          || finding.code == .regionsDamaged && survey.hasWholeNodes(finding.place.object)
        return isComputed && finding.severity < .loss
      }
  }

  /// The suffix of a log or journal beside the file that SQLite must not see there, or of what lies
  /// in its place and is no file; nil where there is none.
  package var misleadingSidecar: String? { use.obstruction?.suffix ?? survey.misleadingSidecar }

  /// Whether SQLite fails to open the database, or may make another one of it, for what lies beside.
  package var isMisled: Bool { use.obstruction != nil || survey.isMisledByJournals }

  /// How that is moved away, so that SQLite does not see it; nil where there is none.
  package var sidecarMove: SidecarMove? {
    misleadingSidecar.map { SidecarMove(suffix: $0, newSuffix: $0 + use.asideEnding) }
  }

  /// Whether a write-ahead log with commits lies beside the file.
  package var hasWAL: Bool {
    if case .applied? = survey.image?.wal { true } else { false }
  }
}
