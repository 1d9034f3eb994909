// SPDX-License-Identifier: Apache-2.0
// What commands speak through: the result on standard output, all else on standard error.

import DatabaseRescue
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What commands speak through: the result on standard output, all else on standard error.
///
/// A reader that goes away early (`dbrescue diagnose app.db | head`) is no error: what
/// else would be printed is dropped, the work goes on, and the exit status is that of
/// the work. A restore does not stop half-way because nobody reads what it says.
final class Console: Sendable {
  private struct State {
    /// What waits to be written to standard output.
    var pending: [UInt8] = []
    /// Streams that nobody reads any more, or that failed.
    var closed: Set<Channel> = []
    /// Why standard output failed, if it did.
    var failure: String?
    /// The line of progress that stands on the terminal.
    var live: StyledText?
  }

  /// How the user wants to be spoken to.
  let manner: Manner
  /// What is at the other end.
  let terminal: Terminal
  private let streams: Streams
  private let environment: [String: String]
  private let now: @Sendable () -> Date
  private let state = Mutex(State())

  init(_ streams: Streams, world: World, manner: Manner) {
    self.manner = manner
    self.streams = streams
    terminal = streams.terminal
    environment = world.environment
    now = world.now
  }

  // MARK: The result

  /// Prints a line of the result; on a terminal it is cut between words where it is too long.
  func print(_ line: StyledText = "") {
    for part in fitted(line, to: .output) {
      write(part.rendered(colored: isColored(.output)) + "\n")
    }
  }

  private func fitted(_ line: StyledText, to stream: Channel) -> [StyledText] {
    let line = line.asLine
    return terminal.isTerminal(stream) ? line.fitted(to: terminal.columns) : [line]
  }

  /// Prints lines of the result.
  func print(_ lines: [StyledText]) {
    for line in lines { print(line) }
  }

  /// Prints a table; on a terminal it is made to fit.
  func print(_ table: TextTable) {
    print(table.lines(width: terminal.outputIsTerminal ? terminal.columns : nil))
  }

  /// Prints a JSON document.
  func print(document: JSON) { write(document.indented + "\n") }

  /// Writes text of the result exactly as it is.
  func write(_ text: String) {
    state.withLock { state in
      state.pending += text.utf8
      // On a terminal a line appears at once; elsewhere few large writes are faster.
      if terminal.outputIsTerminal || state.pending.count >= 1 << 16 { flush(&state) }
    }
  }

  /// Writes what still waits.
  ///
  /// - Returns: Why standard output could not be written, if that happened at any time.
  @discardableResult
  func flush() -> String? {
    state.withLock { state in
      flush(&state)
      return state.failure
    }
  }

  // MARK: Everything else

  /// Says what is being done; not if quiet.
  func note(_ line: StyledText) {
    if !manner.isQuiet { say(line) }
  }

  /// Says what only some want to know: only if verbose.
  func detail(_ line: StyledText) {
    if manner.isVerbose { say(line) }
  }

  /// Warns; also if quiet.
  func warn(_ line: StyledText) {
    say("\(Program.name): \("warning:", .warning) " + line)
  }

  /// Says why the run failed.
  func report(_ error: RescueError, endingIn status: Int32? = nil) {
    if manner.isJSON {
      let json = error.json(exit: status ?? error.exitStatus)
      sayPart(StyledText(verbatim: json.compact + "\n"))
    } else {
      for line in error.lines { say(line) }
    }
  }

  /// Writes a line to standard error.
  func say(_ line: StyledText) {
    for part in fitted(line, to: .error) { sayPart(part + "\n") }
  }

  /// Writes to standard error without ending the line; one of progress waits for its next drawing.
  func sayPart(_ text: StyledText) {
    state.withLock { state in
      flush(&state)
      redraw(nil, &state)
      send(text.rendered(colored: isColored(.error)), to: .error, &state)
    }
  }

  /// Whether text on a stream is coloured.
  func isColored(_ stream: Channel) -> Bool {
    terminal.isColored(stream, manner.color, environment: environment)
  }

  // MARK: Input and progress

  /// The next line that somebody types; nil at the end of input, or when interrupted.
  func readLine() -> String? { streams.readLine() }

  /// A line that shows how far a run is; nil where there is no terminal for it, or none is wanted.
  func progressLine() -> ProgressLine? {
    guard manner.showsProgress, terminal.canRedraw(environment: environment) else { return nil }
    return ProgressLine(now: now) { [self] line in state.withLock { redraw(line, &$0) } }
  }

  // MARK: Inside

  private func flush(_ state: inout State) {
    guard !state.pending.isEmpty else { return }
    let live = state.live
    if terminal.outputIsTerminal { redraw(nil, &state) }
    send(state.pending, to: .output, &state)
    state.pending = []
    if terminal.outputIsTerminal { redraw(live, &state) }
  }

  private func redraw(_ line: StyledText?, _ state: inout State) {
    guard state.live != line else { return }
    let text = line?.truncated(to: terminal.columns - 1).rendered(colored: isColored(.error))
    send("\r\u{1B}[2K" + (text ?? ""), to: .error, &state)
    state.live = line
  }

  private func send(_ text: String, to stream: Channel, _ state: inout State) {
    send(Array(text.utf8), to: stream, &state)
  }

  private func send(_ bytes: [UInt8], to stream: Channel, _ state: inout State) {
    guard !state.closed.contains(stream) else { return }
    switch streams.write(stream, bytes) {
    case .written: return
    case .closed: state.closed.insert(stream)
    case .failed(let reason):
      state.closed.insert(stream)
      if stream == .output { state.failure = reason }
    }
  }
}
