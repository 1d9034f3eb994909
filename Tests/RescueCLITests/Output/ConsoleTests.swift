// SPDX-License-Identifier: Apache-2.0
// What is said where: result and remarks, questions, progress, and streams that fail.

import DatabaseRescue
import Synchronization
import Testing

@testable import RescueCLI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct ConsoleTests {
  private func console(
    _ recorder: Recorder, _ terminal: Terminal = Terminal(), _ manner: Manner = Manner(),
    world: World = .still()
  ) -> Console {
    Console(recorder.streams(terminal), world: world, manner: manner)
  }

  // MARK: Saying

  @Test func `the result and the remarks go different ways`() {
    let recorder = Recorder()
    let console = console(recorder)
    console.print("result \("good", .good)")
    console.note("note")
    console.detail("detail")
    console.warn("warning")
    console.flush()
    #expect(recorder.output == "result good\n")
    #expect(recorder.error == "note\ndbrescue: warning: warning\n")
  }

  @Test func `on a terminal a long line is cut between words, and a command never`() {
    let recorder = Recorder()
    let console = console(
      recorder, Terminal(outputIsTerminal: true, errorIsTerminal: true, columns: 40))
    console.print(
      "  " + StyledText(verbatim: Array(repeating: "word", count: 12).joined(separator: " ")))
    console.note("next: dbrescue salvage a-long-name.db --output another-long-name.db")
    console.flush()
    let rest = Array(repeating: "word", count: 4).joined(separator: " ")
    #expect(
      recorder.output
        == "  " + Array(repeating: "word", count: 8).joined(separator: " ") + "\n    \(rest)\n")
    #expect(recorder.error.split(separator: "\n").count == 1)
  }

  @Test func `quiet silences notes, not warnings; verbose adds details`() {
    for (manner, said) in [
      (Manner(isQuiet: true), "dbrescue: warning: w\n"),
      (Manner(isVerbose: true), "n\nd\ndbrescue: warning: w\n"),
    ] {
      let recorder = Recorder()
      let console = console(recorder, Terminal(), manner)
      console.note("n")
      console.detail("d")
      console.warn("w")
      #expect(recorder.error == said)
    }
  }

  @Test func `on a terminal lines appear at once, elsewhere together`() {
    let piped = Recorder()
    let console = console(piped)
    for _ in 0..<100 { console.print("line") }
    #expect(piped.writes(.output) == 0)
    console.flush()
    #expect(piped.writes(.output) == 1)

    let seen = Recorder()
    self.console(seen, .interactive).print("line")
    #expect(seen.output == "line\n")
  }

  @Test func `much output is not held in memory`() {
    let recorder = Recorder()
    let console = console(recorder)
    for _ in 0..<100_000 { console.print("line") }
    #expect(recorder.output.utf8.count > 400_000)
    #expect((5...10).contains(recorder.writes(.output)))
  }

  @Test func `an error has three parts`() {
    let error = RescueError(
      .permission, "cannot read 'app.db': permission denied", meaning: "nothing was changed",
      advice: "check who owns the file\ncopy it elsewhere")
    let recorder = Recorder()
    console(recorder).report(error)
    #expect(
      recorder.error == """
        dbrescue: error: cannot read 'app.db': permission denied
          nothing was changed
          try: check who owns the file
          try: copy it elsewhere

        """)
    let colored = Recorder()
    console(colored, .interactive).report(RescueError(.busy, "busy"))
    #expect(colored.error == "dbrescue: \u{1B}[1;31merror:\u{1B}[0m busy\n")
  }

  // MARK: Asking

  @Test(arguments: [
    Terminal(), Terminal(inputIsTerminal: true), Terminal(errorIsTerminal: true),
    Terminal(outputIsTerminal: true),
  ])
  func `nothing is asked where nobody sees it or can answer`(_ terminal: Terminal) {
    let recorder = Recorder(answers: ["y", "y", "1"])
    let console = console(recorder, terminal)
    #expect(console.confirm("restore?") == .nobodyThere)
    #expect(console.confirm("name", byTyping: "y") == .nobodyThere)
    #expect(console.choose("which?", from: ["a"]) == .nobodyThere)
    #expect(recorder.error.isEmpty)
  }

  @Test(arguments: [
    (["y"], Answer.given(true)), ([" YES "], .given(true)), (["n"], .given(false)),
    ([""], .given(false)), (["what", "y"], .given(true)), (["a", "b", "c", "y"], .cancelled),
    ([], .cancelled),
  ])
  func `yes has to be said`(_ answers: [String], _ answer: Answer<Bool>) {
    #expect(console(Recorder(answers: answers), .interactive).confirm("restore?") == answer)
  }

  @Test func `a question is asked on standard error`() {
    let recorder = Recorder(answers: ["perhaps", "y"])
    let terminal = Terminal(inputIsTerminal: true, errorIsTerminal: true)
    _ = console(recorder, terminal, Manner(color: .never)).confirm("restore?")
    #expect(recorder.output.isEmpty)
    #expect(recorder.error == "restore? [y/N] please answer 'y' or 'n'\nrestore? [y/N] ")
  }

  @Test(arguments: [
    ("app.db", Answer.given(true)), ("app", .given(false)), ("y", .given(false)),
    ("", .given(false)),
  ])
  func `a name has to be typed exactly`(_ typed: String, _ answer: Answer<Bool>) {
    let console = console(Recorder(answers: [typed]), .interactive)
    #expect(console.confirm("type the name", byTyping: "app.db") == answer)
  }

  @Test(arguments: [
    (["2"], Answer.given(1)), (["0", "3", "1"], .given(0)), ([""], .cancelled),
    (["0", "-1", "99999999999999999999"], .cancelled), ([], .cancelled),
  ])
  func `an option is chosen by its number`(_ answers: [String], _ answer: Answer<Int>) {
    let recorder = Recorder(answers: answers)
    let console = console(recorder, .interactive, Manner(color: .never))
    #expect(console.choose("which?", from: ["restore", "salvage"]) == answer)
    #expect(
      recorder.error.hasPrefix("  1  restore\n  2  salvage\nwhich? [1-2, or Return for none] "))
  }

  // MARK: Progress

  /// A clock that a test turns.
  private final class Clock: Sendable {
    private let seconds = Mutex(0.0)
    func advance(_ by: Double) { seconds.withLock { $0 += by } }
    var world: World {
      World(
        storage: SystemStorage(),
        now: { Date(timeIntervalSince1970: self.seconds.withLock { $0 }) }, environment: [:])
    }
  }

  private static let erase = "\r\u{1B}[2K"

  @Test func `progress is drawn and erased`() throws {
    let clock = Clock()
    let recorder = Recorder()
    let console = console(
      recorder, .interactive, Manner(color: .never), world: clock.world)
    let line = try #require(console.progressLine())
    line.take(.began(.examining, byteCount: 1_000_000))
    line.take(.advanced(500_000))
    clock.advance(0.2)
    line.take(.advanced(500_000))
    console.note("a note")
    line.take(.began(.copying, byteCount: nil))
    clock.advance(2)
    line.take(.advanced(250_000))
    line.take(.ended)
    line.take(.advanced(100))
    let erase = Self.erase
    #expect(
      recorder.error == erase + "100 %  reading pages  1.0 MB of 1.0 MB" + erase + "a note\n"
        + erase + " 25 %  copying rows  250 kB of 1.0 MB, 125 kB/s, 6 s left" + erase)
    #expect(recorder.output.isEmpty)
  }

  @Test func `progress is drawn ten times a second at most`() throws {
    let clock = Clock()
    let recorder = Recorder()
    let line = try #require(console(recorder, .interactive, world: clock.world).progressLine())
    line.take(.began(.examining, byteCount: 1_000_000))
    for _ in 0..<1000 {
      clock.advance(0.001)
      line.take(.advanced(1000))
    }
    #expect((9...11).contains(recorder.writes(.error)))
  }

  @Test(arguments: [
    (Terminal(), Manner()), (.interactive, Manner(showsProgress: false)),
    (Terminal(inputIsTerminal: true, outputIsTerminal: true), Manner()),
  ])
  func `progress is drawn only where it can be seen and is wanted`(
    _ terminal: Terminal, _ manner: Manner
  ) {
    #expect(console(Recorder(), terminal, manner, world: Clock().world).progressLine() == nil)
  }

  @Test func `a question is not drawn over`() throws {
    let clock = Clock()
    let recorder = Recorder()
    let console = console(recorder, .interactive, Manner(color: .never), world: clock.world)
    let line = try #require(console.progressLine())
    line.take(.began(.examining, byteCount: 10))
    clock.advance(1)
    line.take(.advanced(5))
    console.sayPart("go on? ")
    #expect(recorder.error.hasSuffix(Self.erase + "go on? "))
  }

  @Test func `progress survives more work than was foreseen, and work of no known size`() throws {
    let clock = Clock()
    let recorder = Recorder()
    let console = console(recorder, .interactive, Manner(color: .never), world: clock.world)
    let line = try #require(console.progressLine())
    for (pass, byteCount, done) in [
      (Progress.Pass.verifying, nil, 0), (.examining, 0, 10), (.copying, 5, 10),
    ] as [(Progress.Pass, Int?, Int)] {
      line.take(.began(pass, byteCount: byteCount))
      clock.advance(0.5)
      line.take(.advanced(done))
    }
    #expect(
      recorder.error == Self.erase + "       checking the new database" + Self.erase
        + "       reading pages  10 bytes" + Self.erase
        + "       copying rows  10 bytes")
  }

  @Test func `a pass of no known end has a rate, and leaves none to the next one`() throws {
    let clock = Clock()
    let recorder = Recorder()
    let console = console(recorder, .interactive, Manner(color: .never), world: clock.world)
    let line = try #require(console.progressLine())
    line.take(.began(.comparing, byteCount: 1000))
    clock.advance(2)
    line.take(.advanced(4000))
    line.take(.began(.verifying, byteCount: nil))
    #expect(
      recorder.error == Self.erase + "       comparing rows  4.0 kB, 2.0 kB/s" + Self.erase
        + "       checking the new database")
  }

  @Test func `progress may be told by many threads`() async throws {
    let clock = Clock()
    let recorder = Recorder()
    let console = console(recorder, .interactive, Manner(color: .never), world: clock.world)
    let line = try #require(console.progressLine())
    line.take(.began(.examining, byteCount: 80_000))
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<1000 { line.take(.advanced(10)) } }
      }
    }
    clock.advance(1)
    line.take(.advanced(0))
    #expect(recorder.error.contains("100 %"))
  }
}
