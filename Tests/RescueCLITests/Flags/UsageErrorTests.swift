// SPDX-License-Identifier: Apache-2.0
// Every way to get a command line wrong, with the exact words.

import DatabaseRescue
import Testing

@testable import RescueCLI

@Suite struct UsageErrorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let message: String

    init(_ line: String, _ message: String) {
      self.line = line
      self.message = message
    }

    var testDescription: String { line }
    var words: [String] {
      line.split(separator: " ").map { $0 == "∅" ? "" : String($0) }
    }
  }

  // ∅ stands for an empty word.
  static let cases = [
    // Commands.
    Case("chekc app.db", "unknown command 'chekc', did you mean 'check'?"),
    Case("app.db", "unknown command 'app.db'"),
    Case("Restore app.db", "unknown command 'Restore', did you mean 'restore'?"),
    Case(
      "vault",
      "'vault' is incomplete: 'vault list' or 'vault status' or 'vault verify' or 'vault prune' "
        + "or 'vault extract'?"),
    Case("vault lsit app.db", "unknown command 'vault lsit', did you mean 'list'?"),
    Case("vault shrink app.db", "unknown command 'vault shrink'"),
    Case("help chekc", "unknown command 'chekc', did you mean 'check'?"),
    Case("help check more", "unknown command 'check more'"),
    Case("-q", "no command is given"),

    // Operands.
    Case("check", "'check' needs FILE: the database file"),
    Case("check a.db b.db", "'b.db' is one argument too many"),
    Case("check ∅", "FILE is empty; is a shell variable unset?"),
    Case("contract diff a.json", "'contract diff' needs B: the contract to arrive at"),
    Case("completions tcsh", "SHELL takes bash, zsh or fish, not 'tcsh'"),
    Case("completions bsh", "SHELL takes bash, zsh or fish, not 'bsh'; did you mean 'bash'?"),
    Case("man dbrescue", "'dbrescue' is one argument too many"),

    // Flags.
    Case(
      "check a.db --contrat c", "unknown flag '--contrat' of 'check', did you mean '--contract'?"),
    Case("check a.db --frobnicate", "unknown flag '--frobnicate' of 'check'"),
    Case("check a.db --level 3", "unknown flag '--level' of 'check'"),
    Case("check a.db -x", "unknown flag '-x' of 'check'"),
    Case("check a.db -qx", "unknown flag '-x' of 'check'"),
    Case("check a.db -é", "unknown flag '-é' of 'check'"),
    Case("--contract c check a.db", "'--contract' belongs after the command"),
    Case("--jsno check a.db", "unknown flag '--jsno', did you mean '--json'?"),
    Case("vault --leve", "unknown flag '--leve'"),
    Case("check a.db --json=yes", "'--json' takes no value"),

    // Values.
    Case("check a.db --contract", "'--contract CONTRACT': the value is missing"),
    Case(
      "check a.db --contract --quiet",
      "'--contract CONTRACT': the value is missing; one that starts with a dash is written "
        + "--contract=-…"),
    Case("check a.db --contract=", "'--contract' has an empty value; is a shell variable unset?"),
    Case("check a.db --contract a --contract b", "'--contract' is given more than once"),
    Case(
      "check a.db --color blue", "'--color' takes auto, always or never, not 'blue'"),
    Case(
      "check a.db --color nevr",
      "'--color' takes auto, always or never, not 'nevr'; did you mean 'never'?"),
    Case("backup a.db --level 12", "'--level' takes a number from 1 to 9, not '12'"),
    Case("backup a.db --level six", "'--level' takes a number from 1 to 9, not 'six'"),
    Case(
      "backup a.db --wait -1",
      "'--wait SECONDS': the value is missing; one that starts with a dash is written --wait=-…"),
    Case("backup a.db --wait=-1", "'--wait' takes a number from 0 to 86400, not '-1'"),
    Case(
      "diagnose a.db --report out.pdf",
      "'--report' needs a name that ends in .html, .json or .txt, not 'out.pdf'"),

    // What belongs together, and what does not.
    Case(
      "check a.db -q -v",
      "'--quiet' and '--verbose' cannot be given together: one asks for less and the other for "
        + "more"),
    Case(
      "check a.db --color never --no-color",
      "'--color' and '--no-color' cannot be given together: both decide about colours"),
    Case(
      "restore a.db -yn",
      "'--yes' and '--dry-run' cannot be given together: one lets something be changed and the "
        + "other forbids it"),
    Case("salvage a.db", "'salvage' needs --output NEW: the file to write"),
    Case(
      "reset a.db",
      "'reset' needs --schema CONTRACT|SQL: the schema of the new database: a contract or an SQL "
        + "script"),
    Case("guard a.db", "'guard' needs a command line to run after '--'"),
    Case("guard a.db --", "'guard' needs a command line to run after '--'"),
    Case("guard a.db ./migrate", "'./migrate' is one argument too many"),
  ]

  @Test(arguments: cases)
  func `a wrong command line is explained`(_ example: Case) {
    let outcome = run(example.words)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    let lines = outcome.error.split(separator: "\n")
    #expect(lines.first.map(String.init) == "dbrescue: error: \(example.message)")
    #expect(lines.count == 3)
    #expect(lines.dropFirst().first?.hasPrefix("  usage: dbrescue ") == true)
    #expect(lines.last?.hasPrefix("  see 'dbrescue help") == true)
  }

  @Test func `the usage and the way to more help are those of the command`() {
    #expect(
      run(["vault", "list"]).error == """
        dbrescue: error: 'vault list' needs DIR|FILE: the folder of the backups, or the database \
        that they belong to
          usage: dbrescue vault list DIR|FILE [--vault DIR]
          see 'dbrescue help vault list'

        """)
    #expect(
      run(["vault"]).error == """
        dbrescue: error: 'vault' is incomplete: 'vault list' or 'vault status' or 'vault verify' or \
        'vault prune' or 'vault extract'?
          usage: dbrescue vault list|status|verify|prune|extract ...
          see 'dbrescue help vault'

        """)
  }

  @Test func `with --json the error is one object on standard error`() {
    let outcome = run(["check", "--json"])
    #expect(
      outcome.error == """
        {"format":"dbrescue.report","version":3,"type":"error","advice":"see 'dbrescue help \
        check'","exit":64,"meaning":"usage: dbrescue check FILE \
        [--contract CONTRACT] [--vault DIR] [--wal PATH] [--journal PATH] [--offset BYTE] \
        [--length BYTES] [--max-size MIB]","message":"'check' needs FILE: the \
        database file"}

        """)
    #expect(outcome.output.isEmpty)
    #expect(run(["chekc", "--json"]).error.hasPrefix("{"))
    #expect(run(["chekc", "--", "--json"]).error.hasPrefix("dbrescue: error:"))
  }

  @Test func `text that is not UTF-8 is refused where text is needed`() {
    let raw = [Array("undo".utf8), [0x44, 0xFF]]
    #expect(throws: Command.undo.misuse("CODE must be UTF-8 text")) {
      try Invocation(Arguments(raw))
    }
  }

  @Test func `control characters of the command line do not reach the terminal`() {
    let outcome = run(["\u{1B}[2Jcheck\n"])
    #expect(outcome.error.hasPrefix(#"dbrescue: error: unknown command '\u{1b}[2Jcheck\n'"#))
  }
}
