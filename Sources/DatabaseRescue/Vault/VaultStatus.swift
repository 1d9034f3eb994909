// SPDX-License-Identifier: Apache-2.0
// How a database stands with its backups, at one moment: what a monitor asks every hour.

package import Diagnosis

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// How a database stands with its backups, at one moment.
///
/// What could not be looked at is a problem like any other: no data is never fine.
package struct VaultStatus: Sendable {
  /// Something that is not as it should be.
  package struct Problem: Hashable, Sendable {
    /// The kinds of problem, the lightest first.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The newest good backup is older than it may be.
      case tooOld = "too-old"
      /// The newest good backup was never restored on trial, nor read in full since.
      case unproven
      /// There is no good backup, or nobody knows of when it is.
      case none
      /// The database or its backups could not be looked at.
      case unseen
      /// Something is wrong with the database itself.
      case unsound
    }

    /// The kind.
    package let kind: Kind
    /// What is wrong, in one sentence without a full stop.
    package let message: String
    /// What to do next: a command, where one helps.
    package let advice: String
    /// The exit status of a run that meets nothing worse.
    package let exitStatus: Int32

    private init(_ kind: Kind, _ message: String, advice: String, _ exitStatus: Int32) {
      (self.kind, self.message, self.advice) = (kind, message, advice)
      self.exitStatus = exitStatus
    }

    /// How grave it is, to be compared: by kind, and then by exit status.
    package var gravity: (Int, Int32) {
      (Kind.allCases.firstIndex(of: kind) ?? Kind.allCases.count, exitStatus)
    }
  }

  /// The database, as it was named.
  package let database: FilePath
  /// The folder of its backups.
  package internal(set) var vault: FilePath
  /// The verdict on the database; nil where it could not be looked at.
  package internal(set) var verdict: Verdict?
  /// The size of the database file; nil where it could not be looked at.
  package internal(set) var byteCount: Int?
  /// The backups of the database, newest first; nil where they could not be looked at.
  package internal(set) var backups: [Backup]?
  /// The newest good backup that is not dated in the future.
  package internal(set) var lastGood: Backup?
  /// The good backup before that one.
  package internal(set) var before: Backup?
  /// What is wrong, the gravest first.
  package private(set) var problems: [Problem] = []
  /// What is worth knowing and wrong with nothing, such as a newer backup that does not count.
  package internal(set) var remarks: [String] = []

  init(of database: FilePath, in vault: FilePath) {
    (self.database, self.vault) = (database, vault)
  }

  /// The exit status for this database; 0 only where everything was looked at, and all is well.
  package var exitStatus: Int32 { problems.first?.exitStatus ?? 0 }

  /// The exit status for several databases: that of the gravest problem.
  ///
  /// - Precondition: There is at least one.
  package static func exitStatus(of all: [VaultStatus]) -> Int32 {
    precondition(!all.isEmpty, "no data is never fine")
    return all.compactMap(\.problems.first).max { $0.gravity < $1.gravity }?.exitStatus ?? 0
  }

  /// When the last good backup was last proven; nil where it never was.
  package var lastProven: Date? {
    guard let lastGood else { return nil }
    if let proof = lastGood.proof, proof.passed { return proof.date }
    return lastGood.wasRestoredOnTrial ? lastGood.created : nil
  }

  /// How the last good backup was proven: the checks that passed when it was made, and whether it
  /// was read in full since; empty where there is none.
  package var proofs: [String] {
    guard let lastGood else { return [] }
    let checks = lastGood.manifest?.checks ?? []
    return checks.filter { $0.passed && $0.name != ImageChecks.notChecked }.map(\.name)
      + (lastGood.proof?.passed == true ? ["read in full"] : [])
  }

  /// By how many bytes the database has grown from the good backup before to the last one; nil
  /// where there are no two.
  package var growth: Int? {
    guard let now = lastGood?.manifest?.image.byteCount,
      let then = before?.manifest?.image.byteCount
    else { return nil }
    return now - then
  }

  /// The size of all its backups; nil where they could not be looked at.
  package var vaultByteCount: Int? { backups.map { $0.reduce(0) { $0 + $1.byteCount } } }

  mutating func note(_ problem: Problem) {
    problems.append(problem)
    problems.sort { $0.gravity > $1.gravity }
  }
}

extension Backup {
  /// Whether it was turned back into a database when it was made, and SQLite opened that.
  fileprivate var wasRestoredOnTrial: Bool {
    (manifest?.checks ?? []).contains { $0.name == TrialRestore.name && $0.passed }
  }
}

extension VaultStatus {
  /// Judges the backups of the database.
  ///
  /// One that is dated later than `now` was made by a clock that went wrong, and counts for
  /// nothing.
  ///
  /// - Parameters:
  ///   - backups: The backups, newest first.
  ///   - now: The time.
  ///   - ageMax: How old the last good backup may be, in seconds.
  mutating func judge(_ backups: [Backup], now: Date, ageMax: Double) {
    self.backups = backups
    let past = backups.filter { $0.created <= now }
    let good = past.filter(\.isGood)
    (lastGood, before) = (good.first, good.dropFirst().first)
    let future = backups.count - past.count
    if future > 0 {
      remarks.append("\(Quantity.count(future, "backup")) dated in the future, and not counted")
    }
    if let newest = past.first, !newest.isGood, lastGood != nil {
      remarks.append("the newest backup, \(newest.name.id), is not a good one")
    }
    guard let lastGood else { return note(.none(of: database, backups.count, future: future)) }
    if lastProven == nil { note(.unproven(lastGood, in: vault)) }
    let age = now.timeIntervalSince(lastGood.created)
    if age > ageMax { note(.tooOld(database, age: age, ageMax: ageMax)) }
  }
}

extension VaultStatus.Problem {
  /// The exit status of a run that finds no backup to rely on.
  static let noBackupStatus: Int32 = 24

  /// What could not be looked at.
  static func unseen(_ error: RescueError) -> Self {
    Self(.unseen, error.message, advice: error.advice, error.exitStatus)
  }

  /// Something about a database that decides whether it is fine, and that nobody could tell.
  static func untold(_ thing: Unchecked, _ database: FilePath) -> Self {
    Self(
      .unseen, thing.message, advice: "ask as the user to whom '\(database.name).rescue' belongs",
      RescueError.Kind.permission.rawValue)
  }

  /// A database with which something is wrong; nil for a sound one.
  static func unsound(_ verdict: Verdict, _ database: FilePath) -> Self? {
    guard verdict != .healthy else { return nil }
    return Self(
      .unsound, "the database is \(verdict.word): \(verdict.meaning)",
      advice: "dbrescue diagnose \(database.shellQuoted)", verdict.exitStatus)
  }

  fileprivate static func none(of database: FilePath, _ count: Int, future: Int) -> Self {
    let found =
      switch (count, future) {
      case (0, _): "there is no backup"
      case (_, count): "there is no good backup but such as are dated in the future"
      default: "there is no good backup among \(Quantity.grouped(count))"
      }
    return Self(
      .none, found, advice: "dbrescue backup \(database.shellQuoted)", noBackupStatus)
  }

  fileprivate static func unproven(_ backup: Backup, in vault: FilePath) -> Self {
    Self(
      .unproven, "the last good backup was never restored on trial, nor read in full since",
      advice: "dbrescue vault verify \(vault.shellQuoted) \(backup.path.name.shellQuoted)", 23)
  }

  fileprivate static func tooOld(_ database: FilePath, age: Double, ageMax: Double) -> Self {
    Self(
      .tooOld,
      "the last good backup is \(Quantity.duration(seconds: age)) old, and may be "
        + Quantity.duration(seconds: ageMax),
      advice: "dbrescue backup \(database.shellQuoted)", 22)
  }
}
