// SPDX-License-Identifier: Apache-2.0
// Each playbook that comes with the program, run on a database that has its trouble.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct PlaybookCommandTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  static let before = "pre-migration-backup"
  static let after = "failed-verification-after-update"
  static let start = "malformed-database-at-start"

  /// Runs a playbook, with the contract of version 4, and gives the steps that were not skipped.
  private func run(
    _ playbook: String, on file: FilePath, _ words: any Word..., answers: [String]? = nil
  ) throws -> (ending: Ending, json: JSON, steps: [String: String]) {
    let line: [any Word] = ["playbook", "run", playbook, file, "--contract", bench.contract]
    let ending = try bench.run(line + words + ["--json"], answers: answers)
    let json = try ending.json
    let steps = (json["steps"]?.elements ?? []).compactMap { step in
      step["step"]?.text.map { ($0, step["outcome"]?.text ?? "") }
    }
    let done = Dictionary(uniqueKeysWithValues: steps).filter { $0.value != "skipped" }
    return (ending, json, done)
  }

  @Test(
    arguments: [before, after, start],
    ["outdated-v3.db", "drifted-forgot-column.db", "zeroed-leaf.db", "not-a-database.jpg"])
  func `a dry run changes nothing`(_ playbook: String, _ sample: String) throws {
    let file = try bench.place(FilePath(sample))
    let before = try bench.look()
    let line: [any Word] = [
      "playbook", "run", playbook, file, "--contract", bench.contract, "--dry-run",
    ]
    let text = try bench.run(line)
    #expect(text.status == 0)
    #expect(text.output.contains("dry run of \(playbook): nothing is changed"))
    let json = try bench.run(line + ["--json"]).json
    #expect(
      try json["steps"]?.elements.count
        == ShippedPlaybooks.all().first { $0.name == playbook }?.steps.count)
    #expect(try before.changes(until: bench.look()) == [])
    #expect(try bench.records() == [])
  }

  @Test(arguments: [before, after, start])
  func `every playbook validates, and is shown as a checklist`(_ playbook: String) throws {
    #expect(try bench.run("playbook", "validate", playbook).status == 0)
    let show = try bench.run("playbook", "show", playbook)
    #expect(show.status == 0)
    #expect(show.output.contains("Use it when:"))
    #expect(try bench.run("playbook", "list").output.contains(playbook))
  }

  @Test func `an outdated database is backed up before its migration`() throws {
    let file = try bench.place("outdated-v3.db")
    let before = try bench.look()
    let (ending, json, steps) = try run(Self.before, on: file)
    #expect(ending.status == 10, "\(ending.all)")
    #expect(json["ending"]?.text == "done")
    #expect(json["stoppedAt"] == nil)
    #expect(steps["backup"] == "done")
    #expect(steps["migrate"] == "done")
    let changes = try before.changes(until: bench.look())
    #expect(changes.count == 1)
    #expect(changes.allSatisfy { $0.hasPrefix("added outdated-v3.db.rescue/backups/") })
    #expect(try bench.run("vault", "verify", file).status == 0)
    let record = try #require(ending.record)
    #expect(record.operation == "playbook")
    #expect(record.backupMade != nil)
    #expect(record.steps.contains { $0.name == "backup" })
  }

  /// A playbook that runs a program under guard and goes on after it was refused.
  private static let guarded = """
    {
      title: "Update", symptoms: ["a"], whenToUse: ["b"], whenNotToUse: ["c"],
      parameters: [{ name: "script", type: "text", default: "exit 0", text: "The migration." }],
      steps: [
        {
          id: "migrate", action: "guard", text: "Migrate.", putBack: true, onFailure: "continue",
          command: ["sh", "-c", "{script}", "up", "{database}"],
        },
        { id: "on", action: "stop", when: "migration = 'kept'", text: "Go on." },
        { id: "back", action: "stop", text: "Go back." },
      ],
    }
    """

  /// Programs that are given a database, with where the run ends.
  static let scripts: [(script: String, step: String, status: Int32)] = [
    ("exit 0", "on", 0), ("exit 3", "back", 16), (": > \"$1\"", "back", 18),
    ("echo said; : > \"$1\"; exit 3", "back", 16),
  ]

  @Test(arguments: scripts)
  func `a program under guard is kept, or the backup is back`(
    _ program: (script: String, step: String, status: Int32)
  ) throws {
    let file = try bench.place("healthy-v4.db")
    let playbook = try write(Self.guarded)
    let setting = "script=\(program.script)"
    #expect(try bench.run("playbook", "validate", playbook).status == 0)
    let unasked = try bench.run("playbook", "run", playbook, file, "--set", setting)
    #expect(unasked.status == 20, "\(unasked.all)")
    #expect(unasked.all.contains(FilePath(program.script).shellQuoted))
    let before = try bench.run("check", file, "--contract", bench.contract).output
    let ending = try bench.run(
      "playbook", "run", playbook, file, "--set", setting, "--approve", "migrate", "--json")
    #expect(ending.status == program.status, "\(ending.all)")
    #expect(try ending.json["stoppedAt"]?.text == program.step)
    // What the migration left can be looked at.
    let undo = try ending.json["undoSteps"]?.elements.compactMap(\.text) ?? []
    let hasLeft = program.script.contains(": >")
    #expect(undo.contains { $0.hasPrefix("dbrescue undo ") } == hasLeft, "\(undo)")
    #expect(try bench.run("check", file, "--contract", bench.contract).output == before)
  }

  @Test func `what a program under guard has removed is a fact, and its backup no way back`() throws
  {
    let file = try bench.place("healthy-v4.db")
    let playbook = try write(Self.guarded.replacing("putBack: true, ", with: ""))
    let ending = try bench.run(
      "playbook", "run", playbook, file, "--approve", "migrate", "--json", "--set",
      "script=rm -r \"$1\" \"$1.rescue/backups\"")
    #expect(ending.status == 19, "\(ending.all)")
    let json = try ending.json
    let facts = json["facts"]?.elements.compactMap(\.text) ?? []
    for fact in ["verdict = 'unreadable'", "migration = 'left'", "backup_in_this_run = 0"] {
      #expect(facts.contains(fact), "\(facts)")
    }
    #expect(json["copies"]?.elements.count == 0 && json["undoSteps"]?.elements.count == 0)
    #expect(!ending.all.contains("dbrescue restore"), "\(ending.all)")
  }

  @Test(arguments: [
    ("newer-v5.db", "stop-newer", 11), ("zeroed-leaf.db", "stop-damaged", 14),
    ("empty.db", "stop-unreadable", 15), ("drifted-missing-index.db", "stop-drifted", 12),
  ])
  func `what should not be migrated is stopped`(
    _ sample: String, _ step: String, _ status: Int32
  ) throws {
    let file = try bench.place(FilePath(sample))
    let bytes = try file.contents()
    let (ending, json, _) = try run(Self.before, on: file)
    #expect(ending.status == status, "\(ending.all)")
    #expect(json["stoppedAt"]?.text == step)
    let isUnchanged = try file.contents() == bytes
    #expect(isUnchanged)
  }

  @Test func `a database that was put back to an older time is not migrated`() throws {
    let file = bench["notes.db"]
    try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]).build(at: file)
    let old = try file.contents()
    try Connection.unguarded(file).execute("INSERT INTO t SELECT zeroblob(99999)")
    #expect(try bench.run("backup", file).status == 0)
    bench.pass(hours: 1)
    // It stays the same file, as with `cp`.
    let written = try SystemStorage().open(file, .readWrite)
    try written.truncate(to: 0)
    try written.write(old, at: 0)
    // Also where it is of an older version, too.
    let contract = bench["next.sql"]
    let next = "CREATE TABLE t (a, b); PRAGMA user_version = 2;"
    try contract.replaceContents(with: Bytes(next.utf8))
    for flags in [[], ["--contract", contract]] as [[any Word]] {
      let ending = try bench.run(["playbook", "run", Self.before, file, "--json"] + flags)
      #expect(try ending.json["stoppedAt"]?.text == "stop-put-back", "\(ending.all)")
    }
  }

  // MARK: After an update

  /// A database that a migration spoilt, with a backup of the version before.
  private func spoilt() throws -> (file: FilePath, before: FilePath) {
    let file = bench["app.db"]
    let before = bench["before.db"]
    try FitnessLog.create(file, version: 3, workouts: 10)
    try file.copyFileSet(to: before)
    #expect(try bench.run("backup", file).status == 0)
    bench.pass(hours: 30)
    try FitnessLog.migrate(file, mistakes: [.forgetColumn])
    return (file, before)
  }

  @Test func `a failed update is taken back once that is approved`() throws {
    let (file, before) = try spoilt()
    let spoilt = try file.contents()
    let (first, json, steps) = try run(Self.after, on: file)
    #expect(first.status == 20, "\(first.all)")
    #expect(json["stoppedAt"]?.text == "ask-restore")
    #expect(json["next"]?.text?.contains("--approve restore-older") == true)
    #expect(steps["keep-present"] == "done")
    let isUnchanged = try file.contents() == spoilt
    #expect(isUnchanged)

    bench.pass(hours: 1)
    let (second, again, done) = try run(Self.after, on: file, "--approve", "restore-older")
    #expect(second.status == 10, "\(second.all)")
    #expect(again["stoppedAt"]?.text == "done-outdated")
    #expect(done["restore-older"] == "done")
    #expect(try Oracle.firstDifference(expected: before, actual: file) == nil)
    // The run's own code brings back what it displaced.
    let code = try #require(again["code"]?.text)
    #expect(try bench.run("undo", code, file, "--yes").status == 0)
    #expect(try bench.run("check", file, "--contract", bench.contract).status == 12)
  }

  @Test func `somebody may decide on the spot`() throws {
    let (file, before) = try spoilt()
    let bytes = try file.contents()
    let (no, json, _) = try run(Self.after, on: file, answers: [""])
    #expect(no.status == 21, "\(no.all)")
    #expect(json["ending"]?.text == "declined")
    let isUnchanged = try file.contents() == bytes
    #expect(isUnchanged)
    bench.pass(hours: 1)
    let (yes, _, steps) = try run(Self.after, on: file, answers: ["1"])
    #expect(yes.status == 10, "\(yes.all)")
    #expect(steps["restore-older"] == "done")
    #expect(try Oracle.firstDifference(expected: before, actual: file) == nil)
  }

  @Test func `without a backup from before there is nothing to go back to`() throws {
    let file = try bench.place("drifted-forgot-column.db")
    let bytes = try file.contents()
    let (ending, json, _) = try run(Self.after, on: file, "--approve", "restore-older")
    #expect(ending.status == 12, "\(ending.all)")
    #expect(json["stoppedAt"]?.text == "stop-no-backup")
    let isUnchanged = try file.contents() == bytes
    #expect(isUnchanged)
    let bare = try bench.run("playbook", "run", Self.after, file, "--json")
    #expect(try bare.json["stoppedAt"]?.text == "stop-no-contract")
  }

  // MARK: At the start

  @Test func `a damaged database is salvaged once that is approved`() throws {
    let file = try bench.place("zeroed-leaf.db")
    let bytes = try file.contents()
    let (first, json, steps) = try run(Self.start, on: file)
    #expect(first.status == 20, "\(first.all)")
    #expect(json["stoppedAt"]?.text == "salvage-no-backup")
    #expect(steps["keep-damaged-files"] == "done")
    #expect(steps["salvage-copy"] == "done")
    let isUnchanged = try file.contents() == bytes
    #expect(isUnchanged)

    let (second, again, done) = try run(Self.start, on: file, "--approve", "salvage-no-backup")
    #expect(second.status == 14, "\(second.all)")
    #expect(done["salvage-no-backup"] == "done")
    #expect(again["verdict"]?.text == "healthy")
    #expect(again["stoppedAt"]?.text == "done-healthy")
    let healthy = Checkout.samples.appending("healthy-v4.db")
    let (sets, all) = (try oracleRows(file, "sets"), Set(try oracleRows(healthy, "sets")))
    #expect(sets.count == 104)
    #expect(sets.allSatisfy { all.contains($0) })
    let code = try #require(again["code"]?.text)
    let kept = file.adding(suffix: ".rescue").appending("quarantine").appending(FilePath(code))
    let isEvidence = try kept.appending(file.name).contents() == bytes
    #expect(isEvidence)
  }

  @Test func `a backup that lost less than the damage is put back`() throws {
    let file = try bench.place("healthy-v4.db", as: "app.db")
    let healthy = Checkout.samples.appending("healthy-v4.db")
    #expect(try bench.run("backup", file, "--contract", bench.contract).status == 0)
    bench.pass(hours: 1)
    try file.replaceContents(with: Checkout.samples.appending("zeroed-leaf.db").contents())
    let (ending, json, steps) = try run(
      Self.start, on: file, "--approve", "restore-chosen", "--approve", "restore-better")
    #expect([0, 14].contains(ending.status), "\(ending.all)")
    #expect(json["verdict"]?.text == "healthy")
    #expect(steps.keys.contains { $0.hasPrefix("restore-") })
    #expect(try Oracle.firstDifference(expected: healthy, actual: file) == nil)
  }

  @Test func `what is no database ends with what to ask for`() throws {
    let file = try bench.place("not-a-database.jpg")
    let before = try bench.look()
    let (ending, json, _) = try run(Self.start, on: file, "--approve", "salvage-no-backup")
    #expect(ending.status == 15, "\(ending.all)")
    #expect(json["stoppedAt"]?.text == "stop-other")
    #expect(json["next"]?.text?.contains("Ask for the database itself") == true)
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a step that does not exist cannot be approved`() throws {
    let file = try bench.place("zeroed-leaf.db")
    let before = try bench.look()
    for step in ["restore-oldest", "diagnose"] {
      let ending = try bench.run("playbook", "run", Self.start, file, "--approve", step)
      #expect(ending.status == 64, "\(ending.all)")
    }
    #expect(try before.changes(until: bench.look()) == [])
  }

  // MARK: Playbooks of one's own

  private func write(_ text: String) throws -> FilePath {
    let path = bench["ours.json5"]
    try path.replaceContents(with: Bytes(text.utf8))
    return path
  }

  @Test func `a destructive step without a proven copy is refused whatever it says`() throws {
    let file = try bench.place("healthy-v4.db")
    let playbook = try write(
      """
      {
        title: "Reckless", symptoms: ["none"], whenToUse: ["never"], whenNotToUse: ["always"],
        steps: [{ id: "drop", action: "reset", text: "Drop it all." }],
      }
      """)
    let bytes = try file.contents()
    #expect(try bench.run("playbook", "validate", playbook).status == 65)
    let ending = try bench.run(
      "playbook", "run", playbook, file, "--contract", bench.contract, "--approve", "drop")
    #expect([20, 65].contains(ending.status), "\(ending.all)")
    let isUnchanged = try file.contents() == bytes
    #expect(isUnchanged)
  }

  @Test func `mistakes are told with line and column, and nothing is run`() throws {
    let file = try bench.place("healthy-v4.db")
    let playbook = try write(
      """
      {
        title: "Typos", symptoms: ["none"], whenToUse: ["never"], whenNotToUse: ["always"],
        steps: [
          { id: "look", action: "diagnoze", text: "Look." },
          { id: "again", action: "diagnose", when: "verdikt = 'damaged'", text: "Look." },
        ],
      }
      """)
    let text = try bench.run("playbook", "validate", playbook)
    #expect(text.status == 65)
    #expect(text.output.contains("ours.json5:4:"))
    #expect(text.output.contains("ours.json5:5:"))
    let json = try bench.run("playbook", "validate", playbook, "--json")
    #expect(try json.json["problems"]?.elements.compactMap { $0["line"]?.number } == [4, 5])
    for words in [["playbook", "run", playbook, file], ["playbook", "show", playbook]]
      as [[any Word]]
    {
      #expect(try bench.run(words).status == 65)
    }
    #expect(try bench.run("playbook", "run", "no-such-playbook", file).status == 66)
    #expect(try bench.records() == [])
  }
}
