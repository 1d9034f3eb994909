// SPDX-License-Identifier: Apache-2.0
// A migration under guard: right, wrong in every way that somebody has shipped, or not run at all.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct GuardTests {
  let session: Session
  let file: FilePath
  /// The database as it was before.
  let before: FilePath

  init() throws {
    session = try Session()
    file = session["app.db"]
    before = session["before.db"]
    try FitnessLog.create(file, version: 3, workouts: 12)
    try file.copyFileSet(to: before)
  }

  /// Runs the sample app's migration under guard.
  private func migrate(
    _ flags: [String] = [], mistakes: [String] = []
  ) throws -> Command.Outcome {
    try guarded(
      flags, command: [try Products.fitnessLog.description, "migrate", file.description] + mistakes)
  }

  private func guarded(_ flags: [String], command: [String]) throws -> Command.Outcome {
    try session.dbrescue(
      ["guard", file.description, "--contract", session.contract] + flags + ["--"] + command
    ).run()
  }

  private func isAsBefore() throws -> Bool {
    let difference = try Oracle.firstDifference(expected: before, actual: file)
    if let difference { print(difference) }
    return difference == nil
  }

  @Test func `a good migration is kept`() throws {
    let outcome = try migrate()
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.text.contains("the migration is kept, and verified"))
    let check = try session.run("check", file.description, "--contract", session.contract)
    #expect(check.status == 0)
    let backup = try #require(try session.backups(of: file).first)
    #expect(backup.isGood)
    let old = session["old.db"]
    try session.gunzip(backup, to: old)
    #expect(try Oracle.firstDifference(expected: before, actual: old) == nil)
    let record = try #require(try session.records().first)
    #expect(record.outcome == "succeeded")
    #expect(record.backupMade == PlainName(backup.path.name))
    #expect(record.steps.map(\.name) == ["backup", "migrate", "verify"])
  }

  @Test(
    arguments: [
      "rm -rf \"$0.rescue/backups\"",
      "for b in \"$0\".rescue/backups/*.gz; do echo > \"$b\"; done",
    ], [[], ["--on-failure", "restore"]])
  func `a backup that the command has removed or overwritten is promised to nobody`(
    _ deed: String, _ policy: [String]
  ) throws {
    let script = "\"$1\" migrate \"$0\" --forget-column; \(deed)"
    let outcome = try guarded(
      policy, command: ["sh", "-c", script, file.description, Products.fitnessLog.description])
    #expect(outcome.status == 19, "\(outcome)")
    let all = outcome.text + outcome.errorText
    #expect(!all.contains("saved before") && !all.contains("dbrescue restore"), "\(all)")
    #expect(all.contains("the backup before it"), "\(all)")
    #expect(all.contains("dbrescue vault list"), "\(all)")
    // Who wished it back, and comes next, is told that it is not.
    let record = file.adding(suffix: ".rescue").appending("guard.json")
    #expect(try record.exists == !policy.isEmpty)
    guard !policy.isEmpty else { return }
    let next = try session.run("check", file.description)
    #expect(next.status == 12, "\(next)")
    let words = next.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("the backup from before it does not hold any more"), "\(next)")
    #expect(try guarded(["--on-failure", "restore"], command: ["true"]).status != 0)
  }

  @Test func `a playbook that is interrupted in a migration says what became of it`() throws {
    let playbook = session["update.json5"]
    try playbook.replaceContents(
      with: Bytes(
        #"""
        {
          title: "Update", symptoms: ["a"], whenToUse: ["b"], whenNotToUse: ["c"],
          steps: [{
            id: "migrate", action: "guard", text: "Migrate.", putBack: true, onFailure: "continue",
            command: ["sh", "-c", ": > \"$1\"; kill -INT $PPID; sleep 9", "up", "{database}"],
          }, { id: "end", action: "stop", text: "End." }],
        }
        """#.utf8))
    let outcome = try session.run(
      "playbook", "run", playbook.description, file.description, "--approve", "migrate")
    #expect(outcome.status == 130, "\(outcome)")
    #expect(outcome.text.contains("refused, and the database is what it was before"), "\(outcome)")
    #expect(try isAsBefore())
  }

  @Test func `a forgotten column is shown with the SQL that mends it`() throws {
    let outcome = try migrate(mistakes: ["--forget-column"])
    #expect(outcome.status == 19, "\(outcome)")
    let all = outcome.text + outcome.errorText
    for line in [
      "- missing column workouts.timezone",
      "mend: ALTER TABLE \"workouts\" ADD COLUMN timezone TEXT NOT NULL DEFAULT 'UTC';",
      "- missing index workouts_by_timezone", "left as the migration left it",
      "The app could not update its data", "dbrescue restore",
    ] {
      #expect(all.contains(line), "\(line)\n\(all)")
    }
    let record = try #require(try session.records().last)
    #expect(outcome.text.contains(record.code.description))
    #expect(record.exitStatus == 19)
    #expect(record.outcome == "failed")
    #expect(try Oracle(file).value("PRAGMA user_version") == .integer(4))

    // The code on the screen is enough to go back.
    let restore = try session.run(
      "restore", file.description, "--from", record.code.description, "--yes", "--contract",
      session.contract)
    #expect(restore.status == 10, "\(restore)")
    #expect(try isAsBefore())
  }

  @Test func `dropped rows are named although every other check passes`() throws {
    let sets = try Oracle(before).count(of: "sets")
    let outcome = try migrate(mistakes: ["--drop-rows"])
    #expect(outcome.status == 19, "\(outcome)")
    #expect(outcome.errorText.contains("'sets' had \(sets) rows and has 0"))
    #expect(outcome.errorText.contains("'notes' had "))
    let check = try session.run("check", file.description, "--contract", session.contract)
    #expect(check.status == 0, "alone the result looks right")
    let json = try session.run(
      "guard", file.description, "--json", "--contract", session.contract, "--", "/bin/false")
    #expect(json.status == 16)
    #expect(json.text.contains("\"command\": \"ended with status 1\""))
  }

  @Test func `what the command prints goes to the file that was named`() throws {
    let output = file.folder.appending("printed.txt")
    let words = ["guard", file.description, "--json", "--command-output", output.description]
    let command = ["--", "/bin/sh", "-c", "echo out; echo err >&2; exit 1"]
    let outcome = try session.run(words + command)
    #expect(outcome.status == 16)
    #expect(!outcome.text.contains("out\n") && !outcome.errorText.contains("err\n"), "\(outcome)")
    #expect(String(decoding: try output.contents(), as: UTF8.self) == "out\nerr\n")
    #expect(try SystemStorage().status(of: output)?.mode == 0o600)

    // What is there already is nobody's to write over, nor is an input.
    #expect(try session.run(words + command).status == 73)
    #expect(try session.run(words + ["--force"] + command).status == 16)
    for taken in [file, file.adding(suffix: "-wal"), output.appending("deeper")] {
      let refused = try session.run(
        ["guard", file.description, "--command-output", taken.description, "--force"] + command)
      #expect([64, 66].contains(refused.status), "\(refused)")
    }
    #expect(try isAsBefore())
  }

  @Test(arguments: ["--forget-column", "--drop-rows"])
  func `with nobody watching the old state comes back`(_ mistake: String) throws {
    let outcome = try migrate(["--on-failure", "restore"], mistakes: [mistake])
    #expect(outcome.status == 18, "\(outcome)")
    #expect(outcome.text.contains("restored from app.db."))
    #expect(try isAsBefore())
    for suffix in FilePath.journalSuffixes { #expect(try !file.adding(suffix: suffix).exists) }
    let record = try #require(try session.records().last)
    #expect(record.flags.restored)
    // What the migration left is kept too, under the code that was shown.
    #expect(outcome.text.contains(record.code.description))
    let undo = try session.run("undo", record.code.description, file.description, "--yes")
    #expect(undo.status == 0, "\(undo)")
    let version = try Oracle(file).value("PRAGMA user_version")
    #expect(version == .integer(4))
  }

  @Test(arguments: [FitnessLog.Journal.wal, .delete])
  func `a crash midway leaves the old state`(_ journal: FitnessLog.Journal) throws {
    try file.removeFileSet()
    try before.removeFileSet()
    try FitnessLog.create(file, version: 3, workouts: 40, journal: journal)
    try file.copyFileSet(to: before)
    let outcome = try migrate(["--on-failure", "restore"], mistakes: ["--crash-midway"])
    #expect(outcome.status == 16, "\(outcome)")
    #expect(outcome.text.contains("unchanged"))
    #expect(outcome.errorText.contains("was killed by signal 9"))
    #expect(try isAsBefore())
    let again = try migrate()
    #expect(again.status == 0, "\(again)")
  }

  @Test func `a journal that a command has left is told of`() throws {
    let other = session["other.db"]
    try DatabaseBuilder(
      ["CREATE TABLE u (a)"],
      leftover: .hotJournal([
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO u SELECT hex(zeroblob(100)) FROM n
        """
      ])
    ).build(at: other)
    let outcome = try guarded(
      ["--on-failure", "stop"],
      command: [
        "/bin/sh", "-c",
        "rm -f \"$0-wal\" \"$0-shm\"; cp \"$1\" \"$0\"; cp \"$1-journal\" \"$0-journal\"; exit 3",
        file.description, other.description,
      ])
    #expect(outcome.status == 17, "\(outcome)")
    let words = outcome.text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(words.contains("do not move it without that"), "\(outcome)")
  }

  @Test func `a command that fails is refused even if it changed nothing`() throws {
    for policy in ["stop", "restore", "ask"] {
      let outcome = try guarded(["--on-failure", policy], command: ["/bin/sh", "-c", "exit 7"])
      #expect(outcome.status == 16, "\(outcome)")
      #expect(outcome.errorText.contains("ended with status 7"))
      #expect(try isAsBefore())
    }
  }

  @Test func `a file that nobody may write to is put back, and stays one`() throws {
    let script = "chmod u+w \"$0\"; \"$1\" migrate \"$0\" --drop-rows; chmod 0444 \"$0\""
    try SystemStorage().setAccess(of: file, to: FileAccess(mode: 0o444))
    let outcome = try guarded(
      ["--on-failure", "restore"],
      command: ["sh", "-c", script, file.description, Products.fitnessLog.description])
    #expect(outcome.status == 18, "\(outcome)")
    #expect(try isAsBefore())
    #expect(try SystemStorage().status(of: file)?.mode == 0o444)
    // From within, only the administrator could.
    let record = try #require(try session.records().last)
    #expect(record.steps.contains { $0.name == PlainName(Plan.Step.replaceFiles.name) })
  }

  @Test func `a command that takes too long is stopped`() throws {
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = try guarded(["--timeout", "1"], command: ["/bin/sleep", "30"])
    #expect(clock.now - start < .seconds(10))
    #expect(outcome.status == 16, "\(outcome)")
    #expect(outcome.errorText.contains("did not end in time"))
    #expect(try isAsBefore())
  }

  @Test(arguments: ["no-such-command", "/no/such/command"])
  func `a command that is not there changes nothing`(_ command: String) throws {
    let outcome = try guarded(["--on-failure", "restore"], command: [command])
    #expect(outcome.status == 66, "\(outcome)")
    #expect(outcome.errorText.contains(command))
    #expect(outcome.errorText.contains("the database is unchanged"))
    #expect(try isAsBefore())
  }

  @Test(arguments: ["stop", "restore"])
  func `a command that removes the database is told, and undone`(_ policy: String) throws {
    let outcome = try guarded(["--on-failure", policy], command: ["/bin/rm", file.description])
    #expect(outcome.status == (policy == "restore" ? 18 : 19), "\(outcome)")
    #expect(outcome.errorText.contains("table 'sets' with "))
    #expect(outcome.text.contains("DBR-"))
    if policy == "restore" {
      #expect(try isAsBefore())
    } else {
      #expect(try !file.exists)
      #expect(try session.run("restore", file.description, "--yes").status == 0)
      #expect(try isAsBefore())
    }
  }

  @Test func `a command that damages the database is found out, and undone`() throws {
    let app = try Products.fitnessLog.description
    let outcome = try guarded(
      ["--on-failure", "restore"],
      command: [app, "damage", file.description, "--kind", "zero-page:4"])
    #expect(outcome.status == 18, "\(outcome)")
    #expect(try isAsBefore())
  }

  @Test(arguments: [
    ("zeroed-leaf.db", 14), ("index-disagrees.db", 13), ("newer-v5.db", 11),
    ("not-a-database.jpg", 15), ("empty.db", 15),
  ])
  func `what should not be migrated is refused before the command runs`(
    _ sample: String, _ status: Int32
  ) throws {
    let other = try session.place(FilePath(sample), as: "other.db")
    let bytes = try other.contents()
    let mark = session["mark"]
    let outcome = try session.run(
      "guard", other.description, "--contract", session.contract, "--on-failure", "restore", "--",
      "/usr/bin/touch", mark.description)
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.errorText.contains("nothing was changed"))
    #expect(try !mark.exists)
    #expect(try session.backups(of: other).isEmpty)
    let isUnchanged = try other.contents() == bytes
    #expect(isUnchanged)
    #expect(try #require(session.records().last).verdict != nil)
  }

  @Test func `the command is told what it works on`() throws {
    let seen = session["seen"]
    let script = "printf '%s\\n%s\\n' \"$DBRESCUE_DATABASE\" \"$DBRESCUE_BACKUP\" > \"$0\""
    let outcome = try session.run(
      "guard", file.description, "--", "/bin/sh", "-c", script, seen.description)
    #expect(outcome.status == 0, "\(outcome)")
    let lines = String(decoding: try seen.contents(), as: UTF8.self).split(separator: "\n")
    let backup = try #require(try session.backups(of: file).first)
    #expect(lines.map(String.init) == [file.description, backup.path.description])
  }

  @Test func `a contract may say that rows come and go`() throws {
    let contract = session["loose.json"]
    let reference = session["reference.db"]
    try FitnessLog.create(reference, version: 3, workouts: 1)
    try session.run(
      "contract", "capture", reference.description, "--output", contract.description)
    let text = String(decoding: try contract.contents(), as: UTF8.self)
    let brace = try #require(text.firstIndex(of: "{"))
    let start = text.index(after: brace)
    let loose = text[..<start] + "\"rowCounts\": {\"outbox\": \"any\"}," + text[start...]
    try contract.replaceContents(with: Bytes(loose.utf8))
    func delete(_ table: String) throws -> Command.Outcome {
      let deleted = session[FilePath("with-fewer-\(table).db")]
      try before.copyFileSet(to: deleted)
      try Connection(deleted, mode: .readWrite, schemaBy: .us).execute("DELETE FROM \(table)")
      return try session.run(
        "guard", file.description, "--contract", contract.description, "--", "/bin/cp",
        deleted.description, file.description)
    }
    #expect(try delete("outbox").status == 0)
    let notes = try delete("notes")
    #expect(notes.status == 19)
    #expect(notes.errorText.contains("'notes' had "))
  }
}
