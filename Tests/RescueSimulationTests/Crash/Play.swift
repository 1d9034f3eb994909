// SPDX-License-Identifier: Apache-2.0
// An action played once to its end, and everything that must hold after it was cut short.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

/// An action that was played to its end on a real folder, with all it did to it.
struct Play {
  let action: Action
  let start: SimulatedDisk
  let operations: [DiskOperation]
  let calls: [(kind: DiskRecorder.Kind, isOurs: Bool)]
  /// The database before and after.
  let old: DatabaseInPlace
  let new: DatabaseInPlace
  /// What was made beside it.
  let made: DatabaseInPlace
  private let hadBackup: Bool

  /// Has the built program play an action, unseen.
  init?(byProgram action: Action) throws {
    guard let commandLine = action.commandLine else { return nil }
    self.action = action
    let scratch = try ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let stage = Stage(root: scratch.path)
    try action.prepare(stage)
    start = try SimulatedDisk(of: stage.root)
    operations = []
    calls = []
    old = stage.state(of: stage.database)
    hadBackup = try Self.hasGoodBackup(stage)
    _ = try Command(
      Products.dbrescue, commandLine(stage), environment: stage.environment
    ).run()
    new = stage.state(of: stage.database)
    made = stage.state(of: stage.output)
  }

  /// Plays an action.
  init(_ action: Action) throws {
    self.action = action
    let scratch = try ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let stage = Stage(root: scratch.path)
    try action.prepare(stage)
    old = stage.state(of: stage.database)
    hadBackup = try Self.hasGoodBackup(stage)
    let recorder = try DiskRecorder(stage.root)
    try recorder.watch {
      try action.act(stage.rescue(seed: 11, storage: SystemStorage(watchedBy: recorder)), stage)
    }
    start = recorder.start
    operations = recorder.operations
    calls = recorder.calls
    new = stage.state(of: stage.database)
    made = stage.state(of: stage.output)
  }

  private static func hasGoodBackup(_ stage: Stage) throws -> Bool {
    let vault = Vault(of: stage.database)
    return try vault.list().contains { backup in
      backup.isGood && vault.verify(backup).allSatisfy(\.passed)
    }
  }

  // MARK: Crashes

  /// What is wrong after a crash that followed so many operations; empty when all is well.
  func violations(afterCrash count: Int, _ arrival: Arrival) throws -> [String] {
    try Stage.with { stage in
      try start.crashed(after: operations.prefix(count), arrival).write(to: stage.root)
      return try violations(on: stage, mustBeNew: count == operations.count)
    }
  }

  /// Whether the simulated disk, with everything on it, is what the real one was.
  func endsAsItDid() throws -> Bool {
    try Stage.with { stage in
      try start.crashed(after: operations, .everything).write(to: stage.root)
      return stage.state(of: stage.database) == new && stage.state(of: stage.output) == made
    }
  }

  // MARK: Errors

  /// Plays the action anew with a call that fails, and tells what is wrong afterwards.
  ///
  /// - Returns: The violations, and whether the call was reached.
  func violations(with fault: Fault) throws -> (violations: [String], hasFailed: Bool) {
    try Stage.with { stage in
      try start.write(to: stage.root)
      let recorder = try DiskRecorder(stage.root, failing: fault)
      let before = try Belongings(on: stage)
      var found: [String] = []
      var ending: RescueError?
      var isKept = true
      do {
        try recorder.watch {
          try action.act(stage.rescue(seed: 11, storage: SystemStorage(watchedBy: recorder)), stage)
        }
      } catch let error as RescueError {
        ending = error
        found += Self.flaws(of: error)
        found += try before.contradictions(to: error, on: stage)
      } catch is Action.NotKept {
        isKept = false
        if stage.state(of: stage.database) != old { found.append("it failed, and is not undone") }
      } catch {
        found.append("threw \(type(of: error))")
      }
      let succeeded = ending == nil && isKept
      let isPlanned = try stage.rescueFolder.appending("plan.json").exists
      if !succeeded, fault.errno == Self.noSpace, !isPlanned {
        found += try stage.litter(expecting: action.makes).map { "litter on a full disk: \($0)" }
      }
      if !succeeded, !fault.lasts, isPlanned {
        found.append(
          "one call has failed, and what was begun is left to the next command: "
            + "\(ending.map(String.init(describing:)) ?? "not kept")")
      }
      if fault.errno == Self.interrupted, let ending, recorder.hasFailed {
        found.append("was not tried again after EINTR: \(ending.message)")
      }
      if action.savesWhatItCan, succeeded, calls[fault.call].kind == .reading {
        return (found + (try flawsOfLess(on: stage)), recorder.hasFailed)
      }
      return (
        found + (try violations(on: stage, mustBeNew: succeeded)), recorder.hasFailed
      )
    }
  }

  static let interrupted: Int32 = 4
  static let noSpace: Int32 = 28

  /// What is wrong when an action has saved less than there is: it is sound, and nothing is gone.
  private func flawsOfLess(on stage: Stage) throws -> [String] {
    var found: [String] = []
    let state = stage.state(of: stage.database)
    if state != old, state.content == nil { found.append("what was put in place is not sound") }
    if state != old, try !stage.quarantined().contains(old) {
      found.append("the old database is nowhere")
    }
    let output = stage.state(of: stage.output)
    if !made.isAbsent, output.content == nil { found.append("the new file is not sound") }
    return found
  }

  /// An error says what happened, what it means, and what to do next.
  private static func flaws(of error: RescueError) -> [String] {
    var flaws: [String] = []
    if error.message.isEmpty { flaws.append("an error without a message") }
    if error.meaning.isEmpty { flaws.append("an error that does not say what it means: \(error)") }
    if error.advice.isEmpty { flaws.append("an error without advice: \(error)") }
    if error.kind == .internal { flaws.append("an error that blames us: \(error)") }
    return flaws
  }

  // MARK: Wishes to stop

  /// Plays the action anew, wishes from a call on that it stops, and tells what is wrong then.
  func violations(whenStoppedAt call: Int) throws -> [String] {
    try Stage.with { stage in
      try start.write(to: stage.root)
      let recorder = try DiskRecorder(stage.root)
      let before = try Belongings(on: stage)
      var found: [String] = []
      var isDone = false
      do {
        try recorder.watch {
          try action.act(
            stage.rescue(
              seed: 11, storage: SystemStorage(watchedBy: recorder),
              isCancelled: { recorder.calls.count > call }), stage)
        }
        isDone = true
      } catch let error as RescueError {
        if error.kind != .interrupted { found.append("ends in \(error.kind): \(error)") }
        if error.change?.extent == .something { found.append("is stopped after its change") }
        found += try before.contradictions(to: error, on: stage)
      } catch is Action.NotKept {
        if stage.state(of: stage.database) != old { found.append("is stopped, and not undone") }
      }
      found += try stage.litter(expecting: action.makes).map { "litter: \($0)" }
      let record = try RunLog(at: stage.log, in: World()).records().records.last
      if record?.exitStatus == 0, recorder.calls.count > call + 1, !isDone {
        found.append("the log does not say so")
      }
      return try found + violations(on: stage, mustBeNew: isDone)
    }
  }

  // MARK: What must hold

  /// What is wrong on a stage where the action was cut short.
  func violations(on stage: Stage, mustBeNew: Bool) throws -> [String] {
    var found: [String] = []
    // The app may be the first that comes back. It must not find half of a database.
    let atOnce = stage.state(of: stage.database)
    let isPlanned = try stage.rescueFolder.appending("plan.json").exists
    if atOnce != old, atOnce != new, !(atOnce.bytes[""] == nil && isPlanned),
      try !stage.isGuarded
    {
      found.append("at once, the database is neither old nor new")
    }
    do {
      _ = try Replacement.finishPending(
        RescueFolder(of: stage.database, storage: SystemStorage()), world: World())
    } catch {
      return found + ["cannot be finished: \(error)"]
    }
    found += try lasting(stage, mustBeNew: mustBeNew)
    found += try again(stage)
    return found
  }

  /// What must hold from the moment on that the next command looks.
  private func lasting(_ stage: Stage, mustBeNew: Bool) throws -> [String] {
    var found: [String] = []
    let state = stage.state(of: stage.database)
    let isKnown = try stage.isGuarded
    if state != old, state != new, !isKnown { found.append("the database is neither old nor new") }
    if state != old, isKnown, try !isMigrationTold(on: stage) {
      found.append("a migration was cut off, and nobody says so")
    }
    if mustBeNew, state != new { found.append("the run succeeded, and the database is old") }
    if state != old, !isKnown, try !isKept(old, on: stage) {
      found.append("the old database is nowhere")
    }
    if hadBackup, try !Self.hasGoodBackup(stage) { found.append("no backup holds any more") }
    let output = stage.state(of: stage.output)
    if !output.isAbsent, output != made { found.append("the new file is incomplete") }
    if mustBeNew, output != made { found.append("the run succeeded, and the new file is missing") }
    for backup in try Vault(of: stage.database).list() where backup.state != .complete {
      found.append("a backup has its name and is not complete: \(backup.flaws)")
    }
    found += Self.flaws(ofLog: stage)
    let before = try FolderContents(of: stage.root)
    _ = try Replacement.finishPending(
      RescueFolder(of: stage.database, storage: SystemStorage()), world: World())
    found += try before.changes(until: FolderContents(of: stage.root)).map {
      "finishing twice: \($0)"
    }
    return found
  }

  /// Whether what was before is still there.
  private func isKept(_ old: DatabaseInPlace, on stage: Stage) throws -> Bool {
    guard action.isMigration else { return try stage.quarantined().contains(old) }
    return try Self.hasGoodBackup(stage)
  }

  /// Whether a check tells of a migration that was cut off, and there is a way back.
  private func isMigrationTold(on stage: Stage) throws -> Bool {
    let rescue = stage.rescue(seed: 31)
    let input = try InputFiles(stage.database, storage: SystemStorage())
    let found = try rescue.check(input).value.findings.map(\.code)
    return try found.contains(.migrationUnfinished)
      && rescue.cutOffMigration(of: stage.database) != nil
      && Self.hasGoodBackup(stage)
  }

  private static func flaws(ofLog stage: Stage) -> [String] {
    do {
      guard try stage.log.exists else { return [] }
      let contents = try RunLog(at: stage.log, in: World()).records()
      // The last line may be torn.
      return contents.unreadableCount > 1 ? ["the log has unreadable lines"] : []
    } catch {
      return ["the log cannot be read: \(error)"]
    }
  }

  /// The user gives the same command again.
  private func again(_ stage: Stage) throws -> [String] {
    do {
      try action.act(stage.rescue(seed: 23), stage)
    } catch {
      return ["done again, it fails: \(error)"]
    }
    var found = try lasting(stage, mustBeNew: true).map { "done again: \($0)" }
    found += try stage.litter(expecting: action.makes).map { "litter: \($0)" }
    if try stage.isGuarded { found.append("done again, the record of a migration is left") }
    return found
  }
}
