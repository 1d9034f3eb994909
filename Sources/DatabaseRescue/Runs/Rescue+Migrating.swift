// SPDX-License-Identifier: Apache-2.0
// Numbered SQL files on a database under guard, or on a private copy of it.

public import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a migration with numbered SQL files did.
public struct MigrationReport: Sendable {
  /// The version of the database before.
  public let start: Int
  /// The version that it was to have.
  public let end: Int
  /// The database before.
  public let found: Examination
  /// What was done under guard; nil where nothing was to be done.
  public let guarded: GuardReport?
  /// Why it could not be noted which files were applied, when it could not.
  package internal(set) var ledgerFailure: RescueError?

  /// The exit status: that of the guard, or of the database where nothing was to be done.
  public var exitStatus: Int32 { guarded?.exitStatus ?? found.verdict.exitStatus }
}

/// What a migration would do, as it did it to a private copy.
public struct MigrationForecast: Sendable {
  /// The version of the database.
  public let start: Int
  /// The version that it would be given.
  public let end: Int
  /// The database.
  public let found: Examination
  /// What the migration did to the copy; nil where nothing is to be done.
  public let judgement: MigrationJudgement?

  /// The exit status that the migration would end in if the backup is put back where it fails.
  public var exitStatus: Int32 {
    guard let judgement else { return found.verdict.exitStatus }
    return judgement.isGood ? 0 : judgement.end.succeeded ? 18 : judgement.end.cause?.rawValue ?? 16
  }
}

extension Run {
  /// Carries out numbered SQL files on a database under guard.
  mutating func migrate(
    _ database: FilePath, with folder: MigrationFolder, _ options: MigrationOptions,
    tell: @escaping (MigrationStep) -> Void,
    onFailure: @escaping (GuardReport) throws(RescueError) -> GuardReport.Remedy
  ) throws(RescueError) -> MigrationReport {
    let end = try MigrationCourse.end(of: folder, options)
    let net = MigrationNet(
      contract: options.contract, vault: options.vault, wait: options.wait,
      options: options.backup, onFailure: onFailure)
    let found = try examineBeforeMigration(of: database, in: net)
    let (course, ledger) = try rescue.course(
      of: database, found, through: folder, to: end)
    guard !course.files.isEmpty else {
      // What a run has left that was killed at its end, nobody else would remove.
      _ = try? rescue.backups(of: database, vault: options.vault).sweep()
      return MigrationReport(start: course.start, end: end, found: found, guarded: nil)
    }
    let report = try carryOut(
      course.undertaking(options, tell: tell), on: database, found, in: net)
    var result = MigrationReport(start: course.start, end: end, found: found, guarded: report)
    if [.kept, .left].contains(report.result), let last = report.steps.last {
      do throws(RescueError) {
        try ledger.add(folder.files, from: course.start, upTo: last.version, at: world.now())
      } catch {
        result.ledgerFailure = error
      }
    }
    return result
  }

  /// Carries out numbered SQL files on a private copy of a database, and changes nothing else.
  mutating func foresee(
    _ database: FilePath, with folder: MigrationFolder, _ options: MigrationOptions,
    tell: @escaping (MigrationStep) -> Void
  ) throws(RescueError) -> MigrationForecast {
    let end = try MigrationCourse.end(of: folder, options)
    try rescue.requireNothingUnfinished(on: database)
    let copy = try PrivateCopy(of: InputFiles(database, storage: world.storage), world)
    let found = try examine(copy.files, options.contract).examination
    try rescue.requireMigratable(found, database)
    let (course, _) = try rescue.course(of: database, found, through: folder, to: end)
    guard !course.files.isEmpty else {
      return MigrationForecast(start: course.start, end: end, found: found, judgement: nil)
    }
    let judgement = try step("try", at: .migrate) { run throws(RescueError) in
      try run.rescue.try(
        course.undertaking(options, tell: tell), on: copy, found, options.contract,
        terms: options.contract
      ).judgement
    }
    return MigrationForecast(start: course.start, end: end, found: found, judgement: judgement)
  }
}

extension Rescue {
  fileprivate func course(
    of database: FilePath, _ found: Examination, through folder: MigrationFolder, to end: Int
  ) throws(RescueError) -> (MigrationCourse, MigrationLedger) {
    let course = try MigrationCourse(
      through: folder, from: found.foundVersion ?? 0, to: end, database)
    let ledger = MigrationLedger(
      of: try RescueFolder(of: database, storage: world.storage), world.storage)
    try ledger.requireUnedited(folder.files, appliedUpTo: course.start)
    return (course, ledger)
  }

  /// Refuses to foretell anything of a database with which another run is not done.
  fileprivate func requireNothingUnfinished(on database: FilePath) throws(RescueError) {
    let folder = try RescueFolder(of: database, storage: world.storage)
    try world.requireNobodyMigrates(folder)
    let isReplacing = try self.isReplacing(database)
    guard isReplacing || cutOffMigration(of: database) != nil else { return }
    throw RescueError(
      .decisionNeeded,
      isReplacing
        ? "an earlier replacement of '\(database)' was interrupted"
        : "an earlier migration of '\(database)' was cut off",
      meaning: "nothing can be said before it is finished; nothing was changed",
      advice: "dbrescue check \(database.shellQuoted)")
  }

  /// Carries out an undertaking on a private copy, and judges what it has left.
  ///
  /// The result is to fulfil the contract; `terms` are those of the contract by which rows may go.
  func `try`(
    _ undertaking: Undertaking, on copy: PrivateCopy, _ found: Examination, _ contract: Contract?,
    terms: Contract?
  ) throws(RescueError) -> (judgement: MigrationJudgement, seconds: Double) {
    let began = world.now()
    let before = GuardedState(terms == nil ? try world.askingModules(found) : found)
    let outcome = try undertaking.run(
      Undertaking.Place(
        database: copy.path, backup: nil, mark: "\(world.random())", world: world))
    let seconds = world.now().timeIntervalSince(began)
    try world.requireGoingOn()
    var left = try examineTrial(copy, contract)
    if terms == nil, contract == nil { left = try world.askingModules(left) }
    let after = GuardedState(left)
    return (
      MigrationJudgement(of: undertaking, outcome, on: after, before: before, terms), seconds
    )
  }

  /// Examines what was left of a private copy; no file at all is judged like one without a byte.
  private func examineTrial(
    _ copy: PrivateCopy, _ contract: Contract?
  ) throws(RescueError) -> Examination {
    do throws(RescueError) {
      return try world.examine(copy.files, contract).examination
    } catch  where error.kind == .missing {
      return try world.examinationOfNothing(contract)
    }
  }
}

extension World {
  /// What is said of a database of which there is no file.
  func examinationOfNothing(_ contract: Contract?) throws(RescueError) -> Examination {
    try examination(
      reconstruct(FileSet(main: MemorySource([]))),
      expectedVersion: contract.map { Int($0.userVersion) })
  }
}
