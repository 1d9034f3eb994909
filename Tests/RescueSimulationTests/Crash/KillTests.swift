// SPDX-License-Identifier: Apache-2.0
// The built program, killed at any instant while it changes something.

import RescueTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite(.serialized) struct KillTests {
  /// One run that is killed after some part of the time that it takes.
  struct Kill: Sendable {
    let play: Play
    let microseconds: UInt32

    var name: String { "\(play.action), killed after \(microseconds) µs" }

    /// Runs the program, kills it, and tells what is wrong then.
    func violations() throws -> [String] {
      try Stage.with { stage in
        try play.start.write(to: stage.root)
        guard let line = try play.action.commandLine?(stage) else { return [] }
        let run = try Command(Products.dbrescue, line, environment: stage.environment).start()
        usleep(microseconds)
        run.signal(SIGKILL)
        let outcome = try run.wait()
        let violations = try play.violations(on: stage, mustBeNew: outcome.status == 0)
        return violations.map { "\($0) (\(outcome.end))" }
      }
    }
  }

  /// How many runs of each action are killed.
  private static let killsPerAction = Effort.isComplete ? 40 : 2

  @Test func `whenever it is killed, the database is the old one or the new one`() throws {
    var random = SeededRandom(seed: Effort.seed)
    var kills: [Kill] = []
    for action in Effort.actions {
      guard let play = try Play(byProgram: action) else { continue }
      // The first run warms up; what it takes then is what the kills are spread over.
      let duration = try Self.microseconds(of: play)
      for _ in 0..<Self.killsPerAction {
        kills.append(Kill(play: play, microseconds: UInt32(random.below(duration))))
      }
    }
    let sweep = Sweep<Kill>(
      title: "kills of the program", name: \.name, violations: { try $0.violations() })
    #expect(sweep.run(kills, of: kills.count).violations == [])
  }

  /// How long the program takes for an action, by a wide margin.
  static func microseconds(of play: Play) throws -> Int {
    try Stage.with { stage in
      try play.start.write(to: stage.root)
      guard let line = try play.action.commandLine?(stage) else { return 1 }
      let clock = ContinuousClock()
      let start = clock.now
      _ = try Command(Products.dbrescue, line, environment: stage.environment).run()
      // Two at a time on few cores are slower than one.
      return Int((clock.now - start) / .microseconds(1)) * 3 / 2
    }
  }
}
