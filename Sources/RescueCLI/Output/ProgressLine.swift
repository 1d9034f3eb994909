// SPDX-License-Identifier: Apache-2.0
// How far work of a known size is.

import DatabaseRescue
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How far work of a known size is.
///
/// Any thread may advance it.
final class ProgressLine: Sendable {
  /// One pass over data of a known size.
  struct Pass: Sendable {
    /// What is done, such as `reading pages`.
    let name: String
    /// How much there is to do.
    let byteCount: Int
  }

  private struct State {
    var current = 0
    var doneInPass = 0
    var drawn: Date
  }

  /// The least time between two drawings, in seconds.
  static let interval = 0.1

  private let passes: [Pass]
  private let total: Int
  private let started: Date
  private let now: @Sendable () -> Date
  private let draw: @Sendable (StyledText?) -> Void
  private let state: Mutex<State>

  /// Makes the progress of passes that are done in their order.
  ///
  /// - Parameters:
  ///   - passes: What is done, in its order.
  ///   - now: The time.
  ///   - draw: Puts a line in the place of the last one; nil erases it.
  init(
    _ passes: [Pass], now: @escaping @Sendable () -> Date,
    draw: @escaping @Sendable (StyledText?) -> Void
  ) {
    self.passes = passes
    self.now = now
    self.draw = draw
    total = passes.reduce(0) { $0 + $1.byteCount }
    started = now()
    state = Mutex(State(drawn: started))
  }

  /// Says that so many more bytes of the current pass are done.
  func advance(by byteCount: Int) {
    state.withLock { state in
      state.doneInPass += byteCount
      drawIfDue(&state)
    }
  }

  /// Says that a pass begins, by its position.
  func begin(_ pass: Int) {
    state.withLock { turn(&$0, to: pass) }
  }

  private func turn(_ state: inout State, to pass: Int) {
    state.current = pass
    state.doneInPass = 0
    drawIfDue(&state)
  }

  /// Erases the line.
  func end() { draw(nil) }

  /// Draws at most ten times a second, and nothing for work that is done at once.
  private func drawIfDue(_ state: inout State) {
    let time = now()
    let elapsed = time.timeIntervalSince(state.drawn)
    guard elapsed >= Self.interval || elapsed < 0, passes.indices.contains(state.current) else {
      return
    }
    state.drawn = time
    draw(line(state, at: time))
  }

  private func line(_ state: State, at time: Date) -> StyledText {
    let pass = passes[state.current]
    let before = passes[..<state.current].reduce(0) { $0 + $1.byteCount }
    let doneInPass = min(state.doneInPass, pass.byteCount)
    let done = before + doneInPass
    let share = total > 0 ? Double(done) / Double(total) : 0
    let elapsed = time.timeIntervalSince(started)
    let percent = String(Int(share * 100))
    let space = String(repeating: " ", count: 3 - percent.count)
    let left: StyledText =
      share > 0 && elapsed >= 1
      ? ", \(Quantity.duration(seconds: elapsed / share - elapsed)) left" : ""
    return """
      \(space)\(percent, .emphasised) %  \(pass.name)  \
      \(Quantity.bytes(doneInPass)) of \(Quantity.bytes(pass.byteCount))
      """ + left
  }
}
