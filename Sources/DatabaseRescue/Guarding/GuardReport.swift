// SPDX-License-Identifier: Apache-2.0
// What a guarded migration did to the database, and what became of it.

public import Diagnosis

/// What a guarded migration did: all that is judged, the backup, and what became of the database.
@dynamicMemberLookup
public struct GuardReport: Sendable {
  /// What is done when the migration fails.
  public enum Remedy: Hashable, Sendable {
    /// Put the backup back.
    case restore
    /// Leave the database as the migration left it.
    case stop
  }

  /// What became of the database.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    /// The migration is kept.
    case kept
    /// The migration has changed nothing, whether it is refused or not.
    case unchanged
    /// The migration is refused, and what was before is back.
    case restored
    /// The migration is refused, and the database is as it left it.
    case left
  }

  /// The backup that was made first.
  public let backup: Backup
  /// What the migration did, and what is wrong with it.
  public let judgement: MigrationJudgement
  /// What was done about the problems; nil when there were none, or nothing was to be done.
  public internal(set) var remedy: Remedy?
  /// Whether the backup still holds after the migration, which can have removed it, or written to it:
  /// it is read again where the result is refused, and looked for where it is kept.
  public internal(set) var isBackupWhole: Bool = true
  /// Whether somebody was told of the problems, and has decided what is done about them.
  package internal(set) var isDecided = false
  /// Whether the backup was to be put back and was not: whoever comes next is told.
  var isUnsettled = false
  /// What is not as it was, although the backup was put back.
  public internal(set) var remainders: [String] = []

  /// The command that makes way before a backup can be put back, as where a link is in the place of
  /// the database; nil where nothing is in the way.
  let clearing: String?

  init(_ judgement: MigrationJudgement, after backup: Backup, clearedBy clearing: String? = nil) {
    self.judgement = judgement
    self.backup = backup
    self.clearing = clearing
  }

  /// What the judgement says.
  public subscript<Value>(dynamicMember path: KeyPath<MigrationJudgement, Value>) -> Value {
    judgement[keyPath: path]
  }

  /// Whether what the database was before is in part in a journal beside it.
  package var leavesJournal: Bool {
    judgement.examination.findings.contains { $0.code == .hotJournal }
  }

  /// Whether the migration is kept.
  public var isKept: Bool { judgement.isGood }

  /// What became of the database.
  public var result: Result {
    if judgement.isUnchanged { return .unchanged }
    if isKept { return .kept }
    return remedy == .restore ? .restored : .left
  }

  /// The exit status: whether the migration or its verification failed, and what became of it.
  ///
  /// Where the database is what it was before, and locks, space, the disk or permissions stood in
  /// the way of work of this process, it is theirs.
  public var exitStatus: Int32 {
    let end = judgement.end
    if isKept { return 0 }
    return switch result {
    case .kept: 0
    case .unchanged, .restored: end.succeeded ? 18 : end.cause?.rawValue ?? 16
    case .left: end.succeeded ? 19 : 17
    }
  }
}

extension GuardReport {
  /// How to go back to what was before: by the backup, or where that does not hold any more, by
  /// another one.
  package func wayBack(
    of database: FilePath, in vault: FilePath?
  ) -> (purpose: String, command: String) {
    isBackupWhole
      ? ("to restore", backup.restoreCommand(for: database, in: vault, clearedBy: clearing))
      : ("to look for another backup", "dbrescue vault list \(backup.path.folder.shellQuoted)")
  }

  /// The verdict that a refusal ends in: that of the database, or drift where the database
  /// is sound and only the migration or the rows are not as they should be.
  public var refusal: Verdict {
    let verdict = judgement.examination.verdict
    return verdict == .healthy ? .drifted : verdict
  }
}
