// SPDX-License-Identifier: Apache-2.0
// A guard that is killed itself, or told to end: what it leaves is known to all who come next.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct CutOffGuardTests {
  let session: Session
  let file: FilePath
  let before: FilePath
  private let record: FilePath

  init() throws {
    session = try Session()
    file = session["app.db"]
    before = session["before.db"]
    record = file.adding(suffix: ".rescue").appending("guard.json")
    try DatabaseBuilder(MigrationFault.steps).build(at: file)
    try file.copyFileSet(to: before)
  }

  /// Starts a guard whose command makes a change, says so, and goes on.
  private func start(
    changing sql: String?, then more: String = "sleep 30", flags: [String] = []
  ) throws -> RunningCommand {
    let (result, mark) = (session["result.db"], session["mark"])
    try before.copyFileSet(to: result)
    if let sql { try Connection(result, mode: .readWrite, schemaBy: .us).execute(sql) }
    let put = sql == nil ? "" : "cat '\(result)' > '\(file)';"
    let run = try session.dbrescue(
      ["guard", file.description, "--on-failure", "restore"] + flags
        + ["--", "/bin/sh", "-c", "\(put) echo $$ > '\(mark)'; \(more)"]
    ).start()
    while try !mark.exists || mark.contents().isEmpty { usleep(1000) }
    return run
  }

  /// Kills the guard alone, and then what it has started.
  private func kill(_ run: RunningCommand) throws {
    signalProcess(run.processID, SIGKILL)
    _ = try run.wait()
  }

  private func endCommand() throws {
    let text = String(decoding: try session["mark"].contents(), as: UTF8.self)
    let group = try #require(Int32(text.split(separator: "\n").first.map(String.init) ?? ""))
    signalProcess(-group, SIGKILL)
    while signalProcess(-group, 0) == 0 { usleep(1000) }
  }

  private func isAsBefore() throws -> Bool {
    try Oracle.firstDifference(expected: before, actual: file) == nil
  }

  @Test func `every verb says that a guarded migration was cut off, and how to go back`() throws {
    try kill(start(changing: "DELETE FROM log WHERE at > 50"))
    try endCommand()
    #expect(try record.exists)
    let backup = try #require(try session.backups(of: file).first)
    let lines: [([String], Int32)] = [
      (["check", file.description], 12), (["check", file.description, "--json"], 12),
      (["diagnose", file.description], 12), (["backup", file.description], 14),
      (["restore", file.description, "--dry-run"], 0),
      (["salvage", file.description, "--output", session["new.db"].description], 0),
      (["contract", "diff", before.description, file.description], 0),
      (["vault", "list", file.description], 0), (["guard", file.description, "--", "true"], 20),
    ]
    for (line, status) in lines {
      let outcome = try session.run(line)
      let all = outcome.text + outcome.errorText
      #expect(outcome.status == status, "\(line): \(outcome)")
      #expect(all.contains("a migration, 'sh', was begun here under guard at "), "\(line): \(all)")
      #expect(all.contains("--from \(backup.name.id)"), "\(line): \(all)")
      #expect(all.contains("--accept"), "\(line): \(all)")
    }
    let json = try session.run("check", file.description, "--json").text
    let back = "dbrescue restore app.db --from \(backup.name.id) --yes"
    #expect(json.contains("\"restore\": \"\(back)\""), "\(json)")
    // Half of a migration is no way back: the good backup is still the one from before it.
    let restored = try session.run("restore", file.description, "--yes")
    #expect(restored.status == 0, "\(restored)")
    #expect(try isAsBefore())
    #expect(try !record.exists)
    let check = try session.run("check", file.description)
    #expect(check.status == 0)
    #expect(!(check.text + check.errorText).contains("migration"))
  }

  @Test func `another name of the same file is the same database`() throws {
    let link = session["link.db"]
    #expect(try Command("/bin/ln", [file.description, link.description]).run().status == 0)
    let run = try start(changing: "DELETE FROM log WHERE at > 50")
    let other = try session.dbrescue(["guard", link.description, "--", "true"]).run()
    #expect(other.status == 75, "\(other)")
    try kill(run)
    try endCommand()
    let check = try session.run("check", link.description)
    #expect(check.status == 12, "\(check)")
    #expect((check.text + check.errorText).contains("dbrescue restore \(file)"), "\(check)")
  }

  @Test func `what a migration left that was cut off can be accepted`() throws {
    try kill(start(changing: "DELETE FROM log WHERE at > 50"))
    try endCommand()
    let accepted = try session.run("backup", file.description, "--accept")
    #expect(accepted.status == 0, "\(accepted)")
    #expect(try !record.exists)
    #expect(try session.run("check", file.description).status == 0)
    #expect(try session.run("guard", file.description, "--", "true").status == 0)
  }

  @Test func `a migration that was cut off before it had changed anything is forgotten`() throws {
    try kill(start(changing: nil))
    try endCommand()
    #expect(try record.exists)
    let check = try session.run("check", file.description)
    #expect(check.status == 0, "\(check)")
    #expect(check.errorText.split(separator: "\n").count == 1, "\(check)")
    let again = try session.run("guard", file.description, "--", "true")
    #expect(again.status == 0, "\(again)")
    #expect(try !record.exists)
  }

  @Test func `a migration that was cut off once all was put back is forgotten`() throws {
    try kill(start(changing: nil))
    try endCommand()
    // What SQLite's backup leaves of a database: its counters go on.
    var bytes = try file.contents()
    for counter in [27, 43, 95] { bytes[counter] &+= 1 }
    try file.replaceContents(with: bytes)
    #expect(try session.run("check", file.description).status == 0)
    #expect(try session.run("guard", file.description, "--", "true").status == 0)
    #expect(try !record.exists)
  }

  @Test func `nobody replaces a database while the command of a dead guard is at work`() throws {
    try kill(start(changing: "DELETE FROM log WHERE at > 50"))
    for line in [
      ["restore", file.description, "--yes"],
      ["guard", file.description, "--accept", "--", "true"],
    ] {
      let outcome = try session.run(line)
      #expect(outcome.status == 75, "\(outcome)")
      #expect(outcome.errorText.contains("is still at work"), "\(outcome)")
    }
    try endCommand()
    #expect(try session.run("restore", file.description, "--yes").status == 0)
    #expect(try isAsBefore())
  }

  @Test func `a guard that is at work is left alone`() throws {
    let run = try start(changing: "DELETE FROM log WHERE at > 50", then: "sleep 4; exit 1")
    let check = try session.run("check", file.description)
    #expect(check.status == 0, "\(check)")
    let second = try session.run("guard", file.description, "--", "true")
    #expect(second.status == 75, "\(second)")
    #expect(try session.run("restore", file.description, "--yes").status == 75)
    let backup = try session.run("backup", file.description)
    #expect(backup.status == 14, "\(backup)")
    // Nobody can accept what is not at its end.
    #expect(try session.run("backup", file.description, "--accept").status == 14)
    #expect(try record.exists)
    let outcome = try run.wait()
    #expect(outcome.status == 16, "\(outcome)")
    #expect(try isAsBefore())
  }

  @Test func `a record that cannot be read is told all the same`() throws {
    try SystemStorage().createFolder(record.folder)
    try record.replaceContents(with: Bytes("{\"version\":1,".utf8))
    let check = try session.run("check", file.description)
    #expect(check.status == 12, "\(check)")
    #expect(check.text.contains("a migration was begun here under guard and was cut off"))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a guard that is told to end puts back what its command has begun`(_ signal: Int32) throws {
    let run = try start(
      changing: "DELETE FROM log WHERE at > 50", then: "trap '' TERM INT HUP; sleep 30")
    signalProcess(run.processID, signal)
    usleep(200_000)
    // Whoever is in a hurry does not leave the command alone.
    signalProcess(run.processID, signal)
    let outcome = try run.wait()
    #expect(outcome.status == 16, "\(outcome)")
    #expect(outcome.errorText.contains("as this run was told to end by SIG"), "\(outcome)")
    #expect(outcome.text.contains("Your data is as it was before the update."), "\(outcome)")
    #expect(try isAsBefore())
    #expect(try !record.exists)
    let logged = try #require(try session.records().last)
    #expect(logged.migration?.end == "stopped")
    #expect(logged.migration?.signal == signal)
    #expect(logged.migration?.result == "restored")
    #expect(logged.flags.restored)
    #expect(!logged.flags.rowsLost)
    let explained = try session.run("explain", logged.code.description)
    #expect(explained.text.contains("the database is what it was before"), "\(explained)")
  }

  @Test(.enabled(if: (try? FilePath("/usr/bin/script").exists) == true, "there is no 'script'"))
  func `a command may ask at the terminal, and Ctrl-C is for the guard`() throws {
    let program = try Products.dbrescue
    func typed(_ keys: String, _ script: String) throws -> Command.Outcome {
      let line =
        "'\(program)' guard '\(file)' --on-failure restore -- /bin/sh -c '\(script)'"
      let typing = "(sleep 1; printf '\(keys)'; sleep 2) | script -qec \"$0\" /dev/null"
      return try Command("/bin/sh", ["-c", typing, line], environment: session.environment).run()
    }
    let answered = try typed("yes\\n", "read answer; echo said $answer; exit 0")
    #expect(answered.text.contains("said yes"), "\(answered)")
    #expect(answered.text.contains("the migration has changed nothing"), "\(answered)")
    let stopped = try typed("\\003", "sleep 30")
    #expect(stopped.text.contains("was told to end by SIGINT"), "\(stopped)")
    #expect(try isAsBefore())
  }
}

// The C function, whose name a member of the suite hides.
@discardableResult
private func signalProcess(_ process: Int32, _ signal: Int32) -> Int32 { kill(process, signal) }
