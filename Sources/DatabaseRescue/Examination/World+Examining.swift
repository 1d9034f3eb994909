// SPDX-License-Identifier: Apache-2.0
// Looking at a database without touching it.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A database that was examined.
struct Examined: Sendable {
  /// What was found out about it.
  var examination: Examination
  /// How far the run has come by that.
  let stage: SupportCode.Stage
  /// Its files as they were before; nil where a copy of one moment was examined.
  let state: DatabaseState?

  init(_ examination: Examination, reached stage: SupportCode.Stage, asOf state: DatabaseState?) {
    self.examination = examination
    self.stage = stage
    self.state = state
  }
}

extension World {
  /// How often a database is read that changes under the reading.
  private static let readingsMax = 5

  /// Examines a database: its bytes by our own reader, its contract on a private copy.
  ///
  /// Nothing is locked, so another process may write meanwhile. What then looks damaged or
  /// drifted may be two states in one, and is read again.
  ///
  /// The contract's schema, or else what is `known` from a backup, stands in for one that the file
  /// has lost; unless `verifying`, that is all that the contract is for. Modules of virtual tables
  /// are asked on a private copy where that is wished: they may read all of their tables. What looks
  /// sound may be two states as well, unless it is asked for `asOneMoment`.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when it changed under every reading.
  func examine(
    _ input: InputFiles, _ contract: Contract?, known: OutsideKnowledge? = nil,
    verifying: Bool = true, askingModules: Bool = false, asOneMoment: Bool = false
  ) throws(RescueError) -> Examined {
    var input = input
    for reading in 1..<(asOneMoment ? 2 : Self.readingsMax) {
      // What looks sound at first need not be waited for.
      let start =
        try reading == 1 && !asOneMoment
        ? DatabaseState(of: input, storage: storage) : .settled(of: input, in: self)
      do throws(RescueError) {
        let examined = try examineOnce(
          input, contract, known: known, verifying: verifying, askingModules: askingModules,
          asOf: start)
        let looksSound = [.healthy, .outdated, .newer].contains(examined.examination.verdict)
        if looksSound, !asOneMoment { return examined }
        // A transaction whose journal is in memory lies half written in the file; of one whose
        // journal only its process holds, the examination tells.
        let isOneState =
          examined.examination.verdict.isStructureSound
          || !examined.examination.use.heldApart.isEmpty
          || start.isAtRest(in: input, storage: storage)
        if isOneState, try start.lasts(in: input, storage: storage) { return examined }
      } catch {
        if try start.lasts(in: input, storage: storage) { throw error }
      }
      input = try input.lookedForAgain(in: storage)
    }
    throw RescueError.changing(input.main).at(.diagnose)
  }

  /// Examines a database that others may be using, and that this run may change anyway, as it is at
  /// one moment: where it does not rest, a copy that SQLite makes is examined instead.
  func examineInUse(
    _ database: FilePath, _ contract: Contract?, wait: Duration
  ) throws(RescueError) -> Examined {
    do throws(RescueError) {
      return try examine(
        InputFiles(database, storage: storage), contract, asOneMoment: true)
    } catch  where error.kind == .busy {
      let folder = try PrivateFolder(world: self)
      let copy = folder.file("moment.db")
      try OnlineBackup.image(
        of: database, into: copy, wait: wait, isCancelled: isCancelled)
      return try examineOnce(InputFiles(copy, storage: storage), contract, asOf: nil)
    }
  }

  /// Notes what is to be said of a migration that was cut off and may have changed something, or
  /// that nobody can tell.
  private func noteMigration(of database: FilePath, _ survey: Survey, in use: inout LiveUse) {
    guard let folder = try? RescueFolder(of: database, storage: storage) else { return }
    do throws(StorageError) {
      guard let migration = try guardedMigration(of: folder).cutOff else { return }
      if use.obstruction == nil, migration.hasChangedNothing(of: survey) {
        use.undoneMigration = migration.undoneMessage
      } else {
        use.cutOffMigration = migration.reported(of: database)
      }
    } catch {
      use.unreadMigration = "'\(folder.path.name)' cannot be looked into"
    }
  }

  private func examineOnce(
    _ input: InputFiles, _ contract: Contract?, known: OutsideKnowledge? = nil,
    verifying: Bool = true, askingModules: Bool = false, asOf state: DatabaseState?
  ) throws(RescueError) -> Examined {
    let files = try during(.open) { () throws(RescueError) in try input.open(in: self) }
    let bytes = try during(.diagnose) { () throws(RescueError) in
      progress(.began(.examining, byteCount: files.byteCount))
      var known = known ?? OutsideKnowledge()
      if let contract, !contract.freshSchema.isEmpty {
        known.schema = { (try? FreshSchema(contract: contract))?.declared.entries ?? [] }
      }
      let reconstruction = try reconstruct(files, known: known)
      // What the disk does not hand out says nothing of the database.
      if let failure = reconstruction.survey.readFailure {
        try requireGoingOn()
        throw RescueError(
          failure, doing: "read '\(input.main)'", meaning: "nothing is known of the database")
      }
      var use = input.isPrivate ? LiveUse() : self.use(of: input.main)
      use.packing = input.packing
      use.asideEnding = storage.freeAsideEnding(beside: input.main)
      let isWAL = reconstruction.survey.header?.isWAL ?? false
      use.obstruction = input.obstruction(isWAL: isWAL, in: storage)
      if !input.isPrivate { noteMigration(of: input.main, reconstruction.survey, in: &use) }
      return try examination(
        reconstruction, expectedVersion: verifying ? contract.map { Int($0.userVersion) } : nil,
        use: use)
    }
    let review = SQLiteReview(of: bytes, verifying ? contract : nil, askingModules: askingModules)
    guard let review, let image = bytes.survey.image else {
      return Examined(bytes, reached: .diagnose, asOf: state)
    }
    // SQLite opens only what our own reader found to be sound, and only a copy of it.
    guard bytes.verdict.isStructureSound else {
      return Examined(
        try examination(
          bytes.reconstruction, review.contract.flatMap { $0.comparison(with: bytes.survey) },
          expectedVersion: bytes.expectedVersion, modules: review.unasked, use: bytes.use),
        reached: .diagnose, asOf: state)
    }
    return try during(.verify) { () throws(RescueError) in
      Examined(try carryOut(review, on: bytes, image), reached: .verify, asOf: state)
    }
  }

  /// Says of an error how far the run had come.
  private func during<Value>(
    _ stage: SupportCode.Stage, _ body: () throws(RescueError) -> Value
  ) throws(RescueError) -> Value {
    do throws(RescueError) { return try body() } catch { throw error.at(stage) }
  }

  /// Judges a database.
  func examination(
    _ reconstruction: Reconstruction, _ verification: ContractVerification? = nil,
    expectedVersion: Int?,
    modules: [ModuleVerdict] = [], use: LiveUse = LiveUse()
  ) throws(RescueError) -> Examination {
    do throws(CutShort) {
      return try Examination(
        reconstruction, verification: verification, expectedVersion: expectedVersion,
        modules: modules, use: use)
    } catch {
      throw .interrupted
    }
  }
}

extension Contract {
  /// How a database that SQLite must not open compares, by the schema that was found in its bytes;
  /// nil where there is none.
  fileprivate func comparison(with survey: Survey) -> ContractVerification? {
    guard let header = survey.header, let schema = survey.schema else { return nil }
    // Of what cannot be parsed nobody knows whether it is the right one.
    let unread = Set(schema.parsed.refused.map(\.name.text))
    let differences = differences(
      in: schema.parsed.description, applicationID: header.applicationID
    ).filter { $0.kind != .missing || !unread.contains($0.object) }.map(\.keepingRules)
    var comparison = ContractVerification(
      expectedVersion: userVersion, foundVersion: header.userVersion,
      expectedApplicationID: applicationID, foundApplicationID: header.applicationID,
      differences: differences)
    comparison.ignoredTables = ignoreTables
    comparison.hasAskedRows = false
    return comparison
  }
}
