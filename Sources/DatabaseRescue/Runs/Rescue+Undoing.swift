// SPDX-License-Identifier: Apache-2.0
// Bringing back what an earlier run displaced.

package import Diagnosis
import SQLiteFormat

/// What an undo does to the rows that are there: people may have gone on with the database.
package struct UndoForecast: Sendable {
  /// Where the files were kept.
  package let place: FilePath
  /// What becomes of the rows of each table; empty where there is no database to compare with.
  package let outcomes: [RecoveryOption.Outcome]
  /// The verdict on what comes back, with the log or journal that was kept beside it.
  package let verdict: Verdict
  /// Whether that becomes a part of the file, which may be sound then.
  package let joinsJournal: Bool
  /// The log or journal of another database or moment that was kept beside it: it stays there.
  package let sidecarLeft: FilePath?
  /// The files that are not any more what was displaced, which is said and then brought back.
  package let altered: [FilePath]

  /// Whether rows that are there now go.
  package var losesRows: Bool { outcomes.contains { $0.lost != .none } }

  fileprivate init(_ kept: KeptFiles, _ comparison: [RowComparison]) {
    place = kept.place
    verdict = kept.examination.verdict
    joinsJournal = kept.examination.survey.image?.hasOverlay == true
    sidecarLeft = kept.examination.misleadingSidecar.map {
      kept.place.appending(kept.name).adding(suffix: $0)
    }
    altered = kept.altered
    outcomes = comparison.map {
      kept.gaveWayToEmpty ? $0.outcomeAfterAnEmptyBeginning : $0.outcome
    }
  }
}

/// The files that a run displaced, as they are now.
private struct KeptFiles {
  /// Where they are.
  let place: FilePath
  /// The name of the database among them.
  let name: FilePath
  /// What is known of the database that they are.
  let examination: Examination
  /// The files that are not any more what was displaced.
  let altered: [FilePath]
  /// Whether what took their place began empty.
  let gaveWayToEmpty: Bool
}

extension Rescue {
  /// Brings back the files that an earlier run displaced, once `approve` has seen what becomes of the
  /// rows that are there now.
  ///
  /// - Throws: ``RescueError`` when that run displaced nothing, the database is in use, or the files
  ///   were changed since and are not to come back `evenIfChanged`, and whatever `approve` throws:
  ///   nothing was changed then.
  package func undo(
    _ code: SupportCode, of database: FilePath, evenIfChanged: Bool = false,
    wait: Duration = .seconds(5),
    approve: (UndoForecast) throws(RescueError) -> Void
  ) throws(RescueError) -> RunResult<UndoForecast> {
    try run(.undo, on: database) { run throws(RescueError) in
      try run.undo(
        code, of: database, evenIfChanged: evenIfChanged, wait: wait, approve: approve)
    }
  }

  /// What an undo would do.
  ///
  /// - Throws: ``RescueError`` when that run displaced nothing, a file cannot be read, or the files
  ///   were changed since and are not to come back `evenIfChanged`.
  package func undoPlan(
    _ code: SupportCode, of database: FilePath, evenIfChanged: Bool = false,
    wait: Duration = .seconds(5)
  ) throws(RescueError) -> UndoForecast {
    let kept = try examineKept(by: code, of: database, evenIfChanged: evenIfChanged)
    guard try exists(database) else { return UndoForecast(kept, []) }
    let present = try world.examineInUse(database, nil, wait: wait).examination
    return UndoForecast(kept, try compare(present, with: kept.examination))
  }

  fileprivate func compare(
    _ present: Examination, with wanted: Examination
  ) throws(RescueError) -> [RowComparison] {
    world.progress(.began(.comparing, byteCount: nil))
    do {
      return try present.reconstruction.compare(with: wanted.reconstruction)
    } catch {
      throw .interrupted
    }
  }

  /// What is known of the files that a run displaced.
  fileprivate func examineKept(
    by code: SupportCode, of database: FilePath, evenIfChanged: Bool
  ) throws(RescueError) -> KeptFiles {
    let place = try displaced(by: code, of: database)
    let name = try RescueFolder(of: database, storage: world.storage).database.name
    var altered: [FilePath] = []
    let noted = try DisplacedFiles(notedIn: place, world.storage)
    if let noted {
      let now = try DisplacedFiles(
        of: name, in: place, beganEmpty: noted.beganEmpty, world)
      altered = noted.changed(until: now, of: name)
      if !altered.isEmpty, !evenIfChanged {
        throw .altered(altered, in: place, code, of: database)
      }
    }
    let examination = try world.examine(
      InputFiles(place.appending(name), storage: world.storage), nil
    ).examination
    return KeptFiles(
      place: place, name: name, examination: examination, altered: altered,
      gaveWayToEmpty: noted?.beganEmpty ?? (code.content?.operation.value == .reset))
  }

  /// How a database is replaced by another file: from within, so that those who have it open see
  /// the new content, where SQLite can open both; else by moving files.
  fileprivate func method(
    ofReplacing present: Examination?, in database: FilePath, by wanted: Examination
  ) throws(RescueError) -> Replacement.Method {
    guard let present, wanted.verdict == .healthy else { return .move }
    return Replacement.Method(
      replacing: present, in: try InputFiles(database, storage: world.storage),
      byPagesOf: wanted.survey.geometry?.geometry.pageSize ?? 0, storage: world.storage)
  }

  /// The folder of the files that a run displaced.
  ///
  /// - Throws: ``RescueError`` of the kind `.missing` when there are none.
  package func displaced(
    by code: SupportCode, of database: FilePath
  ) throws(RescueError) -> FilePath {
    let folder = try RescueFolder(of: database, storage: world.storage)
    let displaced = folder.quarantine(code)
    let kept = displaced.appending(folder.database.name)
    do {
      guard try world.storage.status(of: kept) != nil else {
        throw RescueError(
          .missing, "the run \(code) displaced no files of '\(database)'",
          advice: "look into '\(folder.path.appending("quarantine"))'")
      }
    } catch {
      throw RescueError(error, doing: "look at '\(kept)'")
    }
    return displaced
  }
}

extension Run {
  /// Brings back the files that an earlier run displaced, once `approve` has seen what becomes of the
  /// rows that are there now.
  mutating func undo(
    _ code: SupportCode, of database: FilePath, evenIfChanged: Bool = false, wait: Duration,
    approve: (UndoForecast) throws(RescueError) -> Void
  ) throws(RescueError) -> UndoForecast {
    try finishPending(database)
    try world.requireNotHeldApart(database)
    for number in 1...Self.plansMax {
      if let plan = try undoAsItIs(
        code, of: database, evenIfChanged: evenIfChanged, wait: wait,
        mayHold: number == Self.plansMax, approve: approve)
      {
        return plan
      }
    }
    throw RescueError.neverAtRest(database)
  }

  /// Brings files back over the database as it is now; nil when somebody has written to it before it
  /// could be replaced.
  ///
  /// Where it `mayHold` the others up, as nobody is asked, the rows are compared under the lock.
  private mutating func undoAsItIs(
    _ code: SupportCode, of database: FilePath, evenIfChanged: Bool, wait: Duration,
    mayHold: Bool,
    approve: (UndoForecast) throws(RescueError) -> Void
  ) throws(RescueError) -> UndoForecast? {
    let rescue = rescue
    let kept = try rescue.examineKept(by: code, of: database, evenIfChanged: evenIfChanged)
    let folder = try RescueFolder(of: database, storage: world.storage)
    let wanted = kept.examination
    let present =
      try rescue.exists(database) ? try world.examineInUse(database, nil, wait: wait) : nil
    let method = try rescue.method(ofReplacing: present?.examination, in: database, by: wanted)
    var plan = UndoForecast(
      kept,
      try present.map { (present) throws(RescueError) in
        try rescue.compare(present.examination, with: wanted)
      } ?? [])
    try approve(plan)

    // The code says already what it will have cost.
    notes.rowsLost = plan.losesRows
    let own = notes.publishCode(plan.losesRows ? .succeededWithLoss : .succeeded)
    notes.rowsLost = false
    var work = PlannedWork(
      [.buildFromQuarantine("\(code)"), method.step], in: world, on: folder, code: own, wait: wait)
    work.displaced = kept.place
    let isRenewed = unattended && method == .transaction && (mayHold || present?.state == nil)
    work.state = isRenewed ? nil : present?.state
    do throws(RescueError) {
      _ = try carryOut(work) { run throws(RescueError) in
        guard isRenewed else { return }
        let held = folder.quarantine(own).appending(folder.database.name)
        let now = try run.world.examine(InputFiles(held, storage: run.world.storage), nil)
        plan = UndoForecast(kept, try rescue.compare(now.examination, with: wanted))
        try approve(plan)
      }
    } catch  where error.isOverdue {
      return nil
    }
    notes.rowsLost = plan.losesRows
    notes.outcome = plan.losesRows ? .succeededWithLoss : .succeeded
    return plan
  }
}

extension RescueError {
  /// What is said when the files that a run displaced are not any more what they were.
  fileprivate static func altered(
    _ names: [FilePath], in place: FilePath, _ code: SupportCode, of database: FilePath
  ) -> RescueError {
    let kept = place.appending(names.first ?? database.name)
    let others = names.count > 1 ? " and \(names.count - 1) more" : ""
    return RescueError(
      .invalidInput, "'\(kept)'\(others) was changed after the run \(code) had displaced it",
      meaning: "what would come back is not what was there before that run; nothing was changed",
      advice: "dbrescue diagnose \(place.appending(database.name).shellQuoted)\n"
        + "to bring it back as it is now: dbrescue undo \(code) \(database.shellQuoted) --force")
  }

  /// What is said when somebody writes to a database again and again while it is to be replaced.
  static func neverAtRest(_ database: FilePath) -> RescueError {
    RescueError(
      .busy, "another process goes on writing to '\(database)'",
      meaning: "every plan was for a state that is gone; nothing was changed",
      advice: "close what uses it, and give the command again")
  }
}
