// SPDX-License-Identifier: Apache-2.0
// A scene that was played: what was said of it, and whether that is true.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

/// A scene that was played, with what was said of it.
struct Performance {
  /// How right it was to name the cause.
  enum Judgement: String, CaseIterable {
    /// The cause was named, certain or likely, and no other.
    case right
    /// Another one was named, certain or likely.
    case wrong
    /// None was named, and the right one is among those that are possible.
    case possible
    /// None was named, nor the right one as possible.
    case unknown = "not known"
  }

  /// The scene.
  let scene: Scene
  /// How right it was to name the cause.
  let judgement: Judgement
  /// What was said to have happened.
  let said: String
  /// What is wrong with what was said or done.
  private(set) var faults: [String] = []

  /// Plays a scene.
  init(_ scene: Scene, in root: FilePath) throws {
    self.scene = scene
    let stage = try Stage(scene.program, in: root)
    try scene.play(stage)
    defer { if let peer = stage.peer { try? stage.kill(peer) } }
    let rescue = Rescue(
      world: World(
        storage: stage.storage,
        environment: ["DBRESCUE_LOG": root.appending("runs.jsonl").description]))
    let before = try FolderContents(of: stage.folder)
    let result = try rescue.diagnose(
      InputFiles(stage.subject, storage: stage.storage), contract: stage.contract
    ).value
    let sure = result.causes.causes.filter { $0.confidence > .possible }
    said =
      result.causes.causes.map { "\($0.kind.rawValue) (\($0.confidence))" }
      .joined(separator: ", ")
    let truths = scene.also.union(scene.cause.map { [$0] } ?? [])
    if sure.contains(where: { !truths.contains($0.kind) }) {
      judgement = .wrong
    } else if sure.contains(where: { $0.kind == scene.cause }) || scene.cause == nil {
      judgement = .right
    } else {
      judgement = result.causes.causes.contains { $0.kind == scene.cause } ? .possible : .unknown
    }
    if judgement == .wrong {
      faults.append("it was \(scene.cause?.rawValue ?? "nothing"), and it is said: \(said)")
    }
    if judgement == .right, let reason = scene.untold {
      faults.append("it is told, though the scene says that it cannot be: \(reason)")
    }
    if result.examination.verdict != scene.verdict {
      let findings = result.examination.findings.map { "\($0.code.name) \($0.message)" }
      faults.append(
        "the verdict is \(result.examination.verdict), and should be \(scene.verdict): \(findings)")
    }
    if stage.peer == nil {
      faults += before.changes(until: try FolderContents(of: stage.folder))
    }
    try faults += broken(result, stage, rescue)
  }

  /// What does not hold of what is promised, by carrying it out.
  private func broken(_ result: Diagnosed, _ stage: Stage, _ rescue: Rescue) throws -> [String] {
    let offered = result.options.map(\.name).joined(separator: ", ")
    guard let right = scene.right else {
      return result.options.contains { $0.kind == .salvage || $0.kind == .rebuildIndexes }
        && stage.peer == nil && scene.verdict == .unreadable
        ? ["nothing can be done with the file, and it is offered: \(offered)"] : []
    }
    guard let option = result.options.first(where: { $0.kind == right }) else {
      return ["\(right.rawValue) is right, and it is offered: \(offered)"]
    }
    guard right.isDestructive || right == .rebuildIndexes else {
      return try lost(after: stage.rows(of: stage.database), stage)
    }
    var promised: [String: Int] = [:]
    let report = try rescue.recover(
      .recover, stage.database, contract: stage.contract,
      choose: { _, options throws(RescueError) in
        let chosen = options.first { $0.kind == right && $0.backup == option.backup } ?? option
        for outcome in chosen.outcomes {
          promised[outcome.table.text] = outcome.kept + outcome.changed + outcome.regained
        }
        return chosen
      }, approve: { _ in })
    var faults: [String] = []
    let rows = try stage.rows(of: stage.database)
    if !report.value.verdict.isStructureSound { faults.append("it is not sound afterwards") }
    for (table, count) in promised.sorted(by: { $0.key < $1.key }) where !table.hasPrefix("sqlite")
    {
      let found = try stage.count(of: table)
      if found != count { faults.append("\(table): \(count) rows promised, and \(found) given") }
    }
    return try faults + lost(after: rows, stage)
  }

  /// Rows that are gone and should not be, that never were, or that should be gone.
  private func lost(after rows: [String: Set<String>], _ stage: Stage) throws -> [String] {
    var faults: [String] = []
    var missing = 0
    for (table, last) in stage.lastRows {
      missing += last.subtracting(rows[table] ?? []).count
    }
    for (table, found) in rows {
      let invented = found.subtracting(stage.everyRow[table] ?? found)
      if invented.count > stage.alteredMax {
        faults.append("\(table): \(invented.count) rows that never were")
      }
    }
    switch scene.lost {
    case .nothing where missing > 0: faults.append("\(missing) rows are gone")
    case .some where missing == 0: faults.append("no row is gone, and some should be")
    default: break
    }
    return faults
  }
}

/// What was played, with how it ended.
struct Playbill {
  private var performances: [Performance] = []

  /// Adds a performance.
  mutating func add(_ performance: Performance) { performances.append(performance) }

  /// How many of a thousand scenes of which the files tell what happened are told right.
  var permilleToldRight: Int {
    let told = performances.filter { $0.scene.untold == nil }
    return told.isEmpty ? 1000 : told.count { $0.judgement == .right } * 1000 / told.count
  }

  /// The table of all classes of causes, and what was not right.
  var table: String {
    var lines = ["theatre: \(performances.count) scenes"]
    lines.append(line("class", Performance.Judgement.allCases.map(\.rawValue)))
    for kind in CauseKind.allCases.map(Optional.some) + [nil] {
      let group = performances.filter { $0.scene.cause == kind }
      if !group.isEmpty {
        lines.append(line(kind?.rawValue ?? "nothing, or not ours", counts(group)))
      }
    }
    for half in Scene.Half.allCases {
      let group = performances.filter { $0.scene.half == half }
      lines.append(line("written \(half.rawValue)", counts(group)))
    }
    lines.append(line("all", counts(performances)))
    lines.append(
      line("of which files tell", counts(performances.filter { $0.scene.untold == nil })))
    for performance in performances where performance.judgement != .right {
      lines.append(
        "  \(performance.judgement.rawValue): \(performance.scene.testDescription) "
          + "[\(performance.scene.cause?.rawValue ?? "nothing")]: \(performance.said)"
          + (performance.scene.untold.map { " (\($0))" } ?? ""))
    }
    return lines.map { "theatre: " + $0 }.joined(separator: "\n")
  }

  private func counts(_ group: [Performance]) -> [String] {
    Performance.Judgement.allCases.map { judgement in
      String(group.count { $0.judgement == judgement })
    }
  }

  private func line(_ label: String, _ cells: [String]) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    return padded(label, 26) + cells.map { padded($0, 10) }.joined()
  }
}
