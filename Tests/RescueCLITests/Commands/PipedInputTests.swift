// SPDX-License-Identifier: Apache-2.0
// Inputs that are no files: a pipe is read once, within bounds; a device not at all.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PipedInputTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// Runs a shell with the program in `$D`, in the folder of the files.
  private func shell(_ line: String) throws -> Command.Outcome {
    let outcome = try Command(
      "/bin/bash", ["-c", "cd \"$1\"; \(line)", "bash", bench.files.description],
      environment: [
        "D": Products.dbrescue.description, "DBRESCUE_LOG": bench.log.description,
        "TMPDIR": bench.files.description, "PATH": "/usr/bin:/bin",
      ]
    ).run(limit: .seconds(60))
    // No private copy stays.
    let names = try SystemStorage().names(in: bench.files)
    #expect(!names.contains { $0.bytes.starts(with: "dbrescue-".utf8) })
    return outcome
  }

  @Test(arguments: [
    ("cat a.db | \"$D\" check /dev/stdin", Int32(14)), ("\"$D\" check <(cat a.db)", 14),
    ("cat a.db | \"$D\" diagnose /dev/stdin --report r.html", 14),
    ("cat a.db | \"$D\" salvage /dev/stdin --output n.db", 14),
    ("\"$D\" salvage a.db --output n.db --backup <(cat good.db)", 14),
    ("cat good.db | \"$D\" check /dev/stdin", 0),
    ("\"$D\" check good.db --wal <(cat /dev/null)", 0),
    ("\"$D\" check /dev/stdin < good.db", 0), ("true | \"$D\" check /dev/stdin", 15),
  ])
  func `a database that is only read may come out of a pipe`(
    _ line: String, _ status: Int32
  ) throws {
    try bench.place("wrong-page.db", as: "a.db")
    try bench.place("healthy-v4.db", as: "good.db")
    let outcome = try shell(line)
    #expect(outcome.status == status, "\(outcome)")
  }

  @Test(arguments: [
    "check /dev/zero", "check /dev/urandom", "check /dev/null", "diagnose /dev/zero",
    "salvage /dev/zero --output n.db", "check good.db --wal /dev/zero",
    "check good.db --contract /dev/zero", "salvage good.db --output n.db --schema /dev/urandom",
    "salvage good.db --output n.db --backup /dev/zero", "contract diff good.db /dev/zero",
    "contract capture /dev/zero", "playbook validate /dev/zero", "playbook run /dev/zero good.db",
    "backup /dev/zero", "recover /dev/zero", "reset /dev/zero --schema good.db --yes",
    "vault extract /dev/zero --output n.db", "backup pipe", "recover pipe", "playbook show pipe",
    "vault extract pipe --output n.db", "check good.db --contract pipe",
    "guard pipe --on-failure stop -- true", "reset pipe --schema good.db --yes",
  ])
  func `what has no end, or comes only once, is refused`(_ line: String) throws {
    try bench.place("healthy-v4.db", as: "good.db")
    let outcome = try shell("mkfifo pipe; exec \"$D\" \(line)")
    #expect(outcome.status == 65, "\(outcome)")
  }

  @Test func `a pipe that nobody writes to is not waited for`() throws {
    let outcome = try shell("mkfifo pipe; exec timeout 30 \"$D\" check pipe")
    #expect(outcome.status == 74, "\(outcome)")
  }

  @Test func `no more is read of a pipe than is allowed`() throws {
    let outcome = try shell("cat /dev/zero | timeout 30 \"$D\" check /dev/stdin --max-size 3")
    #expect(outcome.status == 65, "\(outcome)")
  }
}
