// SPDX-License-Identifier: Apache-2.0
// Standard streams that remember what was written, and a run of the whole program on them.

import DatabaseRescue
import RescueTestSupport
import Synchronization
import Testing

@testable import RescueCLI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Standard streams that remember what was written, and answer as told.
final class Recorder: Sendable {
  private struct State {
    var written: [Channel: [UInt8]] = [:]
    var writes: [Channel: Int] = [:]
    var answers: [String]
    var results: [Channel: Streams.WriteResult] = [:]
  }

  private let state: Mutex<State>

  init(answers: [String] = [], results: [Channel: Streams.WriteResult] = [:]) {
    state = Mutex(State(answers: answers, results: results))
  }

  func streams(_ terminal: Terminal = Terminal()) -> Streams {
    Streams(
      terminal: terminal,
      write: { channel, bytes in
        self.state.withLock { state in
          state.writes[channel, default: 0] += 1
          if let result = state.results[channel] { return result }
          state.written[channel, default: []] += bytes
          return .written
        }
      },
      readLine: {
        self.state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
      })
  }

  func text(_ channel: Channel) -> String {
    state.withLock { String(decoding: $0.written[channel] ?? [], as: UTF8.self) }
  }

  func writes(_ channel: Channel) -> Int { state.withLock { $0.writes[channel] ?? 0 } }

  var output: String { text(.output) }
  var error: String { text(.error) }
}

extension Terminal {
  /// Somebody sits at a terminal and sees everything.
  static let interactive = Terminal(
    inputIsTerminal: true, outputIsTerminal: true, errorIsTerminal: true)
}

extension World {
  /// A world whose environment and time are known.
  static func still(_ environment: [String: String] = [:]) -> World {
    World(
      storage: SystemStorage(), now: { Date(timeIntervalSince1970: 1_795_219_200) },
      environment: environment)
  }
}

/// What a run of the program left behind.
struct Outcome: Equatable {
  var status: Int32
  var output = ""
  var error = ""
}

/// Runs the whole program.
func run(
  _ arguments: [String], terminal: Terminal = Terminal(), environment: [String: String] = [:],
  recorder: Recorder = Recorder(), interruption: Interruption = Interruption(),
  bodies: [String: CommandBody] = EntryPoint.bodies
) -> Outcome {
  let status = EntryPoint.run(
    arguments: arguments.map { Array($0.utf8) }, world: .still(environment),
    streams: recorder.streams(terminal), interruption: interruption, bodies: bodies)
  // What a test's own body prints is the test's.
  if bodies.count == EntryPoint.bodies.count {
    expectPublished(
      arguments.map { Array($0.utf8) }, output: recorder.output, error: recorder.error,
      status: status)
  }
  return Outcome(status: status, output: recorder.output, error: recorder.error)
}

/// Holds what a run with `--json` has printed to the published schemas, and to how it has ended.
func expectPublished(
  _ raw: [[UInt8]], output: String, error: String, status: Int32,
  _ location: SourceLocation = #_sourceLocation
) {
  let arguments = try? Arguments(raw)
  let isText =
    arguments?.occurrences.contains { $0.flag.name == Flag.help.name } == true
    || ["help", "completions", "man"].contains(arguments?.command?.name)
  guard Manner(guessedFrom: raw).isJSON, !isText else { return }
  let problems = PublishedFormat.problems(output: output, error: error, status: status)
  #expect(problems == [], "\(output)\(error)", sourceLocation: location)
}
