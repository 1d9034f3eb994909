// SPDX-License-Identifier: Apache-2.0
// How far a run is, as a line on the terminal.

import DatabaseRescue
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How far a run is, as a line on the terminal.
///
/// Any thread may tell it more.
final class ProgressLine: Sendable {
  /// One pass over data.
  private struct Pass {
    let name: String
    /// How many bytes there are to go through; nil where that is not known.
    var byteCount: Int?
    var done = 0
    let began: Date
  }

  private struct State {
    var pass: Pass?
    /// How many bytes the pass before had.
    var byteCount: Int?
    var drawn: Date
    /// Whether the line on the terminal tells a rate, as from a second on.
    var tellsRate = false
  }

  /// The least time between two drawings, in seconds.
  static let interval = 0.1
  /// After so many seconds a pass has a rate.
  private static let rateAfter = 1.0

  private let now: @Sendable () -> Date
  private let draw: @Sendable (StyledText?) -> Void
  private let state: Mutex<State>

  /// Makes a line.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - draw: Puts a line in the place of the last one; nil erases it.
  init(now: @escaping @Sendable () -> Date, draw: @escaping @Sendable (StyledText?) -> Void) {
    self.now = now
    self.draw = draw
    state = Mutex(State(drawn: now()))
  }

  /// Takes in what a run tells.
  func take(_ progress: Progress) {
    state.withLock { state in
      switch progress {
      case .began(let pass, let byteCount):
        state.byteCount = byteCount ?? state.byteCount
        state.pass = Pass(name: pass.rawValue, byteCount: state.byteCount, began: now())
        // A rate and a time left would stand there for a pass of which nothing is told yet.
        drawIfDue(&state, orAtOnce: state.tellsRate)
      case .advanced(let byteCount):
        state.pass?.done += byteCount
        drawIfDue(&state)
      case .ended:
        state.pass = nil
        state.tellsRate = false
        draw(nil)
      }
    }
  }

  /// Draws at most ten times a second, and nothing for work that is done at once.
  private func drawIfDue(_ state: inout State, orAtOnce isAtOnce: Bool = false) {
    let time = now()
    let elapsed = time.timeIntervalSince(state.drawn)
    guard isAtOnce || elapsed >= Self.interval || elapsed < 0, let pass = state.pass else { return }
    state.drawn = time
    state.tellsRate = pass.done > 0 && time.timeIntervalSince(pass.began) >= Self.rateAfter
    draw(Self.line(pass, at: time))
  }

  private static func line(_ pass: Pass, at time: Date) -> StyledText {
    // SQLite does not tell how far it is.
    guard pass.done > 0 else { return "       \(pass.name)" }
    let done = pass.done
    let elapsed = time.timeIntervalSince(pass.began)
    let speed: StyledText =
      elapsed >= rateAfter ? ", \(Quantity.bytes(Int(Double(done) / elapsed)))/s" : ""
    // What is read more than once says nothing of how far that is.
    guard let byteCount = pass.byteCount, done <= byteCount else {
      return "       \(pass.name)  \(Quantity.bytes(done))" + speed
    }
    let share = Double(done) / Double(byteCount)
    let percent = String(Int(share * 100))
    let space = String(repeating: " ", count: 3 - percent.count)
    let left: StyledText =
      elapsed >= rateAfter
      ? ", \(Quantity.duration(seconds: elapsed / share - elapsed)) left" : ""
    return """
      \(space)\(percent, .emphasised) %  \(pass.name)  \
      \(Quantity.bytes(done)) of \(Quantity.bytes(byteCount))
      """ + speed + left
  }
}
