// SPDX-License-Identifier: Apache-2.0
// Every shipped playbook, followed in incidents that it is for: where it ends, what its decision
// points choose, and that nothing is lost on the way.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

/// A playbook followed in an incident.
struct Following: Sendable, CustomTestStringConvertible {
  /// What is in the place of the database afterwards.
  enum Result: Sendable {
    /// The very files of before.
    case unchanged
    /// A database with every row of the truth.
    case everyRow
    /// A database with rows of the truth, and none that never was.
    case someRows
    /// An empty database.
    case noRow
  }

  /// The name of the playbook.
  let playbook: String
  /// The scene, by a part of its name.
  let scene: String
  /// The steps that are approved.
  var approved: Set<String> = []
  /// What is done on the stage before the scene.
  var before: @Sendable (Stage) throws -> Void = { _ in }
  /// What is done on the stage after the scene.
  var after: @Sendable (Stage) throws -> Void = { _ in }
  /// The step at which it ends; nil where it comes to its end.
  let end: String?
  /// What is there then.
  var result = Result.unchanged

  var testDescription: String { "\(playbook): \(scene) → \(end ?? "its end")" }

  /// Follows the playbook.
  func run(in root: FilePath) throws {
    let scene = try #require(Scene.all.first { $0.name.contains(self.scene) })
    let stage = try Stage(scene.program, in: root)
    try before(stage)
    try scene.play(stage)
    try after(stage)
    defer { if let peer = stage.peer { try? stage.kill(peer) } }
    let rescue = Rescue(
      world: World(
        storage: stage.storage,
        environment: ["DBRESCUE_LOG": root.appending("runs.jsonl").description]))
    let files = try originals(stage)
    let rows = try? stage.rows(of: stage.subject)
    let result = try rescue.run(
      ShippedPlaybooks.playbook(named: playbook), on: stage.subject,
      PlaybookSetting(contract: stage.contract, approvals: approved), asking: { _ in .nobody },
      telling: { _, _ in }
    ).value
    let steps = result.records.filter { $0.outcome != .skipped }.map {
      "\($0.step) \($0.outcome.rawValue): \($0.summary)"
    }
    let told = Comment(rawValue: steps.joined(separator: "\n"))
    #expect(result.stoppedAt == end, told)
    #expect(result.ending == .stopped || end == nil, told)
    #expect(result.facts.isSet(.replacedInThisRun) == (self.result.isReplaced), told)
    try requireKept(files, rows, stage, told)
    if stage.peer == nil { try requireRows(stage, told) }
  }

  /// The files of the database as they are before.
  private func originals(_ stage: Stage) throws -> [Bytes] {
    try [stage.subject, stage.wal, stage.journal].filter { try $0.exists }
      .map { try $0.contents() }
  }

  /// Each file of before is still there byte for byte, in its place or in quarantine; or a database
  /// is kept there that has the very rows of before, where SQLite itself exchanged the content.
  private func requireKept(
    _ files: [Bytes], _ rows: [String: Set<String>]?, _ stage: Stage, _ told: Comment
  ) throws {
    let storage = SystemStorage()
    var folders = [stage.folder]
    let quarantine = stage.database.adding(suffix: ".rescue").appending("quarantine")
    for name in (try? storage.names(in: quarantine)) ?? [] {
      folders.append(quarantine.appending(name))
    }
    let isRowForRow = folders.dropFirst().contains { folder in
      rows != nil && (try? stage.rows(of: folder.appending(stage.database.name))) == rows
    }
    let present = try folders.flatMap { folder in
      try storage.names(in: folder).map(folder.appending)
        .filter { try storage.status(of: $0)?.kind == .file }.map { try $0.contents() }
    }
    for file in files {
      let isKept = isRowForRow || present.contains(file)
      #expect(isKept, told)
    }
  }

  private func requireRows(_ stage: Stage, _ told: Comment) throws {
    guard result != .unchanged else { return }
    let rows = try stage.rows(of: stage.database)
    switch result {
    case .unchanged: break
    case .everyRow: #expect(rows.filter { !$0.value.isEmpty } == stage.lastRows, told)
    case .someRows:
      #expect(rows.values.contains { !$0.isEmpty }, told)
      for (table, rows) in rows {
        let invented = rows.subtracting(stage.everyRow[table] ?? [])
        #expect(invented.count <= stage.alteredMax, told)
      }
    case .noRow:
      let isEmpty = rows.values.allSatisfy { $0.isEmpty }
      #expect(isEmpty, told)
    }
  }
}

extension Following.Result {
  fileprivate var isReplaced: Bool { self != .unchanged }
}

extension Stage {
  /// Takes the present schema for what the app expects.
  fileprivate func expectThis() throws { contract = try capture() }
}

@Suite struct PlaybookTheatreTests {
  static let all: [Following] = before + reading + logs + mending + times + last

  private static let before = [
    Following(
      playbook: "pre-migration-backup", scene: "the update has not run yet", end: nil),
    Following(
      playbook: "pre-migration-backup", scene: "a newer app has been installed", end: "stop-newer"),
    Following(
      playbook: "failed-verification-after-update", scene: "forgets a column",
      approved: ["restore-older", "restore-fresh"], end: "done-healthy", result: .everyRow),
    Following(
      playbook: "disk-full-during-migration", scene: "the program dies in its transaction",
      end: "stop-no-space"),
    Following(
      playbook: "disk-full-during-migration", scene: "the program dies in its transaction",
      after: { $0.storage = SystemStorage() }, end: "done-sound"),
    Following(
      playbook: "disk-full-during-migration", scene: "full in the middle of a batch",
      end: "stop-half-way"),
    Following(
      playbook: "newer-than-app", scene: "a newer app has been installed", end: "stop-install"),
    Following(
      playbook: "newer-than-app", scene: "the update has not run yet", end: "stop-other"),
  ]

  private static let reading = [
    Following(
      playbook: "user-submitted-file", scene: "a mail gateway cuts it at 64 KiB",
      end: "stop-transfer"),
    Following(
      playbook: "user-submitted-file", scene: "text lies over a page in the middle",
      end: "stop-salvaged"),
    Following(
      playbook: "user-submitted-file", scene: "an archive without a name", end: "stop-not-it"),
    Following(
      playbook: "user-submitted-file", scene: "it keeps a log, and was closed", end: "stop-sound"),
    Following(
      playbook: "not-a-database-or-encrypted", scene: "a copy in base64", end: "stop-ask-for-it"),
    Following(
      playbook: "not-a-database-or-encrypted", scene: "a key was changed", end: "stop-encrypted"),
    Following(
      playbook: "not-a-database-or-encrypted", scene: "a copy in base64",
      approved: ["restore-backup"], before: { try $0.backUp() }, end: "done", result: .everyRow),
    Following(
      playbook: "not-a-database-or-encrypted", scene: "text lies over a page in the middle",
      end: "stop-readable"),
    Following(
      playbook: "bulk-triage-after-incident", scene: "it keeps a log, and was closed",
      end: "heap-sound"),
    Following(
      playbook: "bulk-triage-after-incident", scene: "the leaf of an index is zeros",
      end: "heap-intact"),
    Following(
      playbook: "bulk-triage-after-incident", scene: "a block of a log file stands",
      end: "heap-unsynced"),
    Following(
      playbook: "bulk-triage-after-incident", scene: "an archive without a name",
      end: "heap-unreadable"),
    Following(
      playbook: "bulk-triage-after-incident", scene: "forgets a column", end: "heap-drifted"),
  ]

  private static let logs = [
    Following(
      playbook: "lost-stale-or-split-log", scene: "and the log stays behind",
      end: "stop-without-log"),
    Following(
      playbook: "lost-stale-or-split-log", scene: "the log is deleted while the server",
      end: "stop-held"),
    Following(
      playbook: "lost-stale-or-split-log", scene: "a backup is put back, and the -wal of before",
      approved: ["salvage-chosen"], end: "done", result: .everyRow),
    Following(
      playbook: "lost-stale-or-split-log", scene: "the -wal of another document",
      approved: ["salvage-chosen"], end: "done", result: .everyRow),
    Following(
      playbook: "lost-stale-or-split-log", scene: "the leaf of an index is zeros",
      end: "stop-not-log"),
  ]

  private static let mending = [
    Following(
      playbook: "malformed-database-at-start", scene: "the -wal of another document",
      approved: ["salvage-intact"], end: "done-healthy", result: .everyRow),
    Following(
      playbook: "malformed-database-at-start", scene: "text lies over a page in the middle",
      approved: ["salvage-no-backup"], end: "done-healthy", result: .someRows),
    Following(
      playbook: "index-or-fts-damage", scene: "an index has lost entries",
      approved: ["rebuild"], end: "done", result: .everyRow),
    Following(
      playbook: "index-or-fts-damage", scene: "the search finds nothing",
      approved: ["rebuild"], end: "done", result: .everyRow),
    Following(
      playbook: "index-or-fts-damage", scene: "the leaf of an index is zeros",
      approved: ["rebuild"], end: "done", result: .everyRow),
    Following(
      playbook: "index-or-fts-damage", scene: "text lies over a page in the middle",
      approved: ["rebuild"], end: "stop-more"),
    Following(
      playbook: "index-or-fts-damage", scene: "it keeps a log, and was closed",
      approved: ["rebuild"], end: "stop-sound"),
  ]

  private static let times = [
    Following(
      playbook: "back-in-time", scene: "an older copy is put in place",
      approved: ["restore-newer"], end: "done", result: .everyRow),
    Following(
      playbook: "back-in-time", scene: "a restored volume has the file of last week",
      approved: ["restore-newer"], end: "done", result: .everyRow),
    Following(
      playbook: "back-in-time", scene: "its user has deleted most of it",
      approved: ["restore-newer"], end: "stop-not-older"),
    Following(
      playbook: "restore-after-bad-release", scene: "it keeps a log, and was closed",
      approved: ["restore-unknown"],
      before: { stage in
        try stage.expectThis()
        try stage.backUp()
      }, after: { try $0.write("DELETE FROM messages WHERE id > 7") }, end: "done",
      result: .everyRow),
  ]

  private static let last = [
    Following(
      playbook: "last-resort-reset", scene: "text lies over a page in the middle",
      approved: ["reset"], before: { try $0.expectThis() }, end: "done", result: .noRow),
    Following(
      playbook: "last-resort-reset", scene: "text lies over a page in the middle",
      approved: ["restore-instead"],
      before: { stage in
        try stage.expectThis()
        try stage.backUp()
      }, end: "done", result: .everyRow),
    Following(
      playbook: "last-resort-reset", scene: "the leaf of an index is zeros",
      approved: ["reset"], before: { try $0.expectThis() }, end: "stop-intact"),
    Following(
      playbook: "last-resort-reset", scene: "a key was changed", approved: ["reset"],
      before: { try $0.expectThis() }, end: "stop-encrypted"),
  ]

  @Test(arguments: all)
  func `a playbook ends where it should, and nothing is lost`(_ following: Following) throws {
    try ScratchFolder.with { try following.run(in: $0.path) }
  }

  @Test func `each playbook is followed in an incident`() {
    for name in ShippedPlaybooks.names {
      #expect(Self.all.contains { $0.playbook == name }, "\(name)")
    }
  }
}
