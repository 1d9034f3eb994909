// SPDX-License-Identifier: Apache-2.0
// Every action, asked to stop at every call, and the built program at any instant: before the first
// change it ends there; after it, it comes to its end, and says what it did.

import DatabaseRescue
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

@Suite(.serialized) struct StopTests {
  /// One call of a play from which on it is wished to stop.
  struct Stop: Sendable {
    let play: Play
    let call: Int

    var name: String { "\(play.action), stopped at call \(call) of \(play.calls.count)" }
  }

  /// One run of the program that gets a signal after some part of the time that it takes.
  struct Signal: Sendable {
    let play: Play
    let number: Int32
    let microseconds: UInt32

    var name: String { "\(play.action), signal \(number) after \(microseconds) µs" }

    func violations() throws -> [String] {
      try Stage.with { stage in
        try play.start.write(to: stage.root)
        guard let line = try play.action.commandLine?(stage) else { return [] }
        let before = try Belongings(on: stage)
        let run = try Command(Products.dbrescue, line, environment: stage.environment).start()
        usleep(microseconds)
        run.signal(number)
        let outcome = try run.wait()
        // It had not begun to listen.
        if outcome.end == .signalled(number) { return [] }
        var found = try Self.flaws(of: outcome, before, Belongings(on: stage), number)
        found += try stage.litter(expecting: play.action.makes).map { "litter: \($0)" }
        let logged = try RunLog(at: stage.log, in: World()).records().records.last?.exitStatus
        if let logged, logged != outcome.status { found.append("the log says \(logged)") }
        return (found + (try play.violations(on: stage, mustBeNew: outcome.status == 0))).map {
          "\($0) (\(outcome))"
        }
      }
    }

    private static func flaws(
      of outcome: Command.Outcome, _ before: Belongings, _ after: Belongings, _ number: Int32
    ) -> [String] {
      let text = outcome.text + outcome.errorText
      guard outcome.status == 128 + number else { return [] }
      if text.contains("nothing was changed") {
        return before == after ? [] : ["says that nothing was changed, and it was"]
      }
      let ways = ["dbrescue undo", "the backup before it: "]
      if before.database != after.database, !ways.contains(where: text.contains) {
        return ["has changed the database, and does not say how to undo it"]
      }
      return []
    }
  }

  @Test func `whenever it is wished to stop, an action has done nothing or all, and says so`()
    throws
  {
    var all = 0
    var chosen: [Stop] = []
    for action in Effort.actions {
      let play = try Play(action)
      let stops = play.calls.indices.map { Stop(play: play, call: $0) }
      all += stops.count
      chosen += Effort.choose(12, of: stops)
    }
    let sweep = Sweep<Stop>(
      title: "wishes to stop", name: \.name,
      violations: { try $0.play.violations(whenStoppedAt: $0.call) })
    #expect(sweep.run(chosen, of: all).violations == [])
  }

  /// How many runs of each action get each signal.
  private static let signalsPerAction = Effort.isComplete ? 15 : 1

  @Test func `whenever a signal comes, the program has done nothing or all, and says so`() throws {
    var random = SeededRandom(seed: Effort.seed)
    var signals: [Signal] = []
    for action in Effort.actions {
      guard let play = try Play(byProgram: action) else { continue }
      let duration = try KillTests.microseconds(of: play)
      for number in [SIGINT, SIGTERM, SIGHUP] {
        for _ in 0..<Self.signalsPerAction {
          signals.append(
            Signal(
              play: play, number: number, microseconds: UInt32(random.below(duration))))
        }
      }
    }
    let sweep = Sweep<Signal>(
      title: "signals to the program", name: \.name, violations: { try $0.violations() })
    #expect(sweep.run(signals, of: signals.count).violations == [])
  }
}
