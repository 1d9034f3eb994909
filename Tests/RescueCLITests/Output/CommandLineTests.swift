// SPDX-License-Identifier: Apache-2.0
// Whole runs: what a body does, and how the run ends.

import DatabaseRescue
import Testing

@testable import RescueCLI

@Suite struct CommandLineTests {
  private func check(_ body: @escaping CommandBody) -> [String: CommandBody] { ["check": body] }

  @Test func `a body decides how the run ends`() {
    let outcome = run(
      ["check", "a.db", "-v"],
      bodies: check { invocation, context throws(RescueError) in
        context.console.print("\(invocation.path(.file)): damaged")
        context.console.detail("looked at it")
        return .damagedLossy
      })
    #expect(
      outcome == Outcome(status: 14, output: "a.db: damaged\n", error: "looked at it\n"))
  }

  @Test func `an error of a body is reported, after what was printed`() {
    let outcome = run(
      ["check", "a.db", "--json"],
      bodies: check { _, context throws(RescueError) in
        context.console.print(document: ["type": "row"])
        throw RescueError(.busy, "the database is in use", advice: "try again later")
      })
    #expect(outcome.status == 75)
    #expect(outcome.output == "{\n  \"type\": \"row\"\n}\n")
    #expect(
      outcome.error == """
        {"format":"dbrescue.report","version":3,"type":"error","advice":"try again later",\
        "exit":75,"meaning":"","message":"the database is in use"}

        """)
  }

  @Test func `work that stopped because of Ctrl-C ends with 130`() {
    let interruption = Interruption()
    let outcome = run(
      ["check", "a.db"], interruption: interruption,
      bodies: check { _, context throws(RescueError) in
        #expect(!context.interruption.isRequested)
        interruption.request()
        #expect(context.interruption.isRequested)
        throw RescueError(.interrupted, "interrupted", meaning: "nothing was changed")
      })
    #expect(outcome.status == 130)
    let declined = run(
      ["check", "a.db"],
      bodies: check { _, _ throws(RescueError) in throw RescueError(.declined, "declined") })
    #expect(declined.status == 21)
  }

  @Test func `a reader that went away changes neither the work nor its status`() {
    let recorder = Recorder(results: [.output: .closed])
    let outcome = run(
      ["check", "a.db"], terminal: Terminal(outputIsTerminal: true), recorder: recorder,
      bodies: check { _, context throws(RescueError) in
        for _ in 0..<10 { context.console.print("line") }
        return .damagedIntact
      })
    #expect(outcome == Outcome(status: 13))
    #expect(recorder.writes(.output) == 1)
    let help = run(["help"], recorder: Recorder(results: [.output: .closed]))
    #expect(help == Outcome(status: 0))
  }

  @Test func `a result that could not be written is not a success`() {
    let full = Streams.WriteResult.failed("no space left on device")
    let outcome = run(["help"], recorder: Recorder(results: [.output: full]))
    #expect(outcome.status == 74)
    #expect(
      outcome.error == """
        dbrescue: error: cannot write to standard output: no space left on device
          the work itself ended with status 0: done; nothing is wrong, and nothing was lost

        """)
    // A worse status says more.
    let damaged = run(
      ["check", "a.db"], recorder: Recorder(results: [.output: full]),
      bodies: check { _, context throws(RescueError) in
        context.console.print("x")
        return .damagedLossy
      })
    #expect(damaged.status == 14)
  }

  @Test func `the status that a document says is the one in which the program ends`() throws {
    let full = Streams.WriteResult.failed("no space left on device")
    let outcome = run(
      ["check", "a.db", "--json"], recorder: Recorder(results: [.output: full]),
      bodies: check { _, context throws(RescueError) in
        context.console.print("x")
        return .damagedLossy
      })
    #expect(outcome.status == 14)
    #expect(outcome.error.contains("\"exit\":14"), "\(outcome.error)")
  }

  @Test func `colours are for terminals`() {
    let body = check { _, context throws(RescueError) in
      context.console.print("\("damaged", .bad)")
      return .damagedLossy
    }
    let colored = "\u{1B}[1;31mdamaged\u{1B}[0m\n"
    let terminal = Terminal.interactive
    #expect(run(["check", "a"], terminal: terminal, bodies: body).output == colored)
    #expect(run(["check", "a", "--color=always"], bodies: body).output == colored)
    for arguments in [["--no-color"], ["--color", "never"]] {
      let outcome = run(["check", "a"] + arguments, terminal: terminal, bodies: body)
      #expect(outcome.output == "damaged\n")
    }
    let environment = ["NO_COLOR": "1"]
    #expect(
      run(["check", "a"], terminal: terminal, environment: environment, bodies: body).output
        == "damaged\n")
  }
}
