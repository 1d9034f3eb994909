// SPDX-License-Identifier: Apache-2.0
// What the program says when it has done something: what was lost, how to go back, and nothing that
// is not so.

import DatabaseRescue
import FitnessLog
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

@Suite struct AfterTheActTests {
  let session: Session
  let file: FilePath

  init() throws {
    session = try Session()
    file = session["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2), (3), (4)",
    ]).build(at: file)
  }

  private func count(_ path: FilePath) throws -> Int { try Oracle(path).count(of: "t") }

  /// A program that runs SQL, as a migration does: a copy of the file is put in its place.
  private func migration(_ sql: String, _ more: String = "") throws -> [String] {
    let copy = session["migrated.db"]
    try copy.replaceContents(with: file.contents())
    try Connection(copy, mode: .readWrite, schemaBy: .us).execute(sql)
    return ["/bin/sh", "-c", "cat \"$0\" > \"$1\"; \(more)", copy.description, file.description]
  }

  private func guarded(_ flags: [String], _ command: [String]) throws -> Command.Outcome {
    try session.run(["guard", file.description] + flags + ["--"] + command)
  }

  @Test func `a guard that leaves what lost rows does not say that nothing was deleted`() throws {
    let vault = session["elsewhere"]
    let outcome = try guarded(
      ["--vault", vault.description], migration("DELETE FROM t WHERE a > 1"))
    #expect(outcome.status == 19, "\(outcome)")
    let all = outcome.text + outcome.errorText
    #expect(!all.contains("nothing has been deleted"), "\(all)")
    #expect(all.contains("has removed some of your data"), "\(all)")
    // The command that is printed works as it is.
    let line = try #require(all.split(separator: "\n").first { $0.contains("dbrescue restore") })
    #expect(line.hasSuffix("--vault \(vault.shellQuoted)"), "\(line)")
    let words = line.split(separator: " ").drop { $0 != "restore" }.map(String.init)
    let back = try session.dbrescue(words).run()
    #expect(back.status == 0, "\(back)")
    #expect(try count(file) == 4)
  }

  @Test func `what a guarded command prints is not in the JSON`() throws {
    let outcome = try guarded(["--json"], ["/bin/sh", "-c", "echo chatter"])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.text.hasPrefix("{"))
    #expect(!outcome.text.contains("chatter"))
    #expect(outcome.errorText.contains("chatter"))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP], ["stop", "restore"])
  func `an interrupted guard stops the command with all it started, and decides`(
    _ signal: Int32, _ policy: String
  ) throws {
    let mark = session["mark"]
    let command = try migration(
      "DELETE FROM t", "touch '\(mark)'; (sleep 20; rm -f '\(file)') & sleep 20")
    let run = try session.dbrescue(
      ["guard", file.description, "--on-failure", policy, "--"] + command
    ).start()
    while try !mark.exists { usleep(1000) }
    // To the program alone, as from another terminal.
    kill(run.processID, signal)
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = try run.wait()
    #expect(clock.now - start < .seconds(15))
    #expect(outcome.status == (policy == "restore" ? 16 : 17), "\(outcome)")
    #expect(try count(file) == (policy == "restore" ? 4 : 0))
    let all = outcome.text + outcome.errorText
    #expect(!all.contains("nothing was changed"), "\(all)")
    #expect(all.contains(policy == "restore" ? "dbrescue undo" : "dbrescue restore"), "\(all)")
    #expect(try session.records().last?.exitStatus == outcome.status)
  }

  @Test(arguments: ["ln -s", "ln"])
  func `a link that a command has left is not written through`(_ link: String) throws {
    let other = session["other.db"]
    try DatabaseBuilder(["CREATE TABLE canary (a)"]).build(at: other)
    let bytes = try other.contents()
    let outcome = try guarded(
      ["--on-failure", "restore"],
      ["/bin/sh", "-c", "rm '\(file)'; \(link) '\(other)' '\(file)'"])
    #expect(outcome.status == 73, "\(outcome)")
    let isUntouched = try other.contents() == bytes
    #expect(isUntouched)
    #expect(outcome.errorText.contains("dbrescue restore"), "\(outcome)")
    #expect(outcome.errorText.contains("the command ran"), "\(outcome)")
  }

  @Test func `a merge that brought every row back is complete`() throws {
    let (old, damaged, new) = (session["old.db"], session["damaged.db"], session["new.db"])
    let rows = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
    try DatabaseBuilder(
      pageSize: 512,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "CREATE INDEX t_a ON t (a)",
        DatabaseBuilder.Step(stringLiteral: "\(rows) INSERT INTO t SELECT i, 'r' || i FROM n"),
      ]
    ).build(at: old)
    let leaf = try #require(
      Oracle(old).pages.filter { $0.object == "t" && $0.kind == "leaf" }.dropFirst().first)
    var bytes = try old.contents()
    for index in ((leaf.number - 1) * 512)..<(leaf.number * 512) { bytes[index] = 0 }
    try damaged.replaceContents(with: bytes)
    let outcome = try session.run(
      "salvage", damaged.description, "--output", new.description, "--backup", old.description)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.text.contains("complete"))
    #expect(outcome.text.contains("from a backup"))
    #expect(try Oracle.firstDifference(expected: old, actual: new) == nil)
  }

  @Test func `a report that cannot be written does not cost the diagnosis`() throws {
    let outcome = try session.run(
      "diagnose", file.description, "--report", "\(file)/report.html")
    #expect(outcome.status == 73, "\(outcome)")
    #expect(outcome.text.contains("healthy"), "\(outcome)")
    #expect(outcome.errorText.contains("report"), "\(outcome)")
  }

  @Test func `a log that is a pipe is not written to in vain`() throws {
    let pipe = session["pipe"]
    #expect(try Command("/bin/sh", ["-c", "mkfifo \"$0\"", pipe.description]).run().status == 0)
    var command = try session.dbrescue(["check", file.description])
    command.environment["DBRESCUE_LOG"] = pipe.description
    let outcome = try command.run()
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.errorText.contains("the run was not logged"), "\(outcome)")
  }

  @Test func `the list of runs is one JSON document`() throws {
    try session.run("check", file.description)
    try session.run("check", file.description)
    let list = try session.run("log", "list", "--json")
    #expect(list.text.hasPrefix("{"))
    #expect(list.text.contains("\"type\": \"log-list\""), "\(list)")
    #expect(list.text.split(separator: "\n").filter { $0.hasPrefix("{") }.count == 1, "\(list)")
  }

  @Test func `a check names the contract in the command that comes next`() throws {
    let outdated = try session.place("drifted-forgot-column.db", as: "drifted.db")
    let check = try session.run("check", outdated.description, "--contract", session.contract)
    #expect(
      check.text.contains("diagnose \(outdated) --contract \(session.contract)"), "\(check)")
    let diagnosis = try session.run(
      "diagnose", outdated.description, "--contract", session.contract)
    #expect(
      diagnosis.text.contains("recover \(outdated) --contract \(session.contract)"),
      "\(diagnosis)")
  }
}
