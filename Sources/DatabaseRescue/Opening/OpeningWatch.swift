// SPDX-License-Identifier: Apache-2.0
// Turns what a run tells of its passes into what an app shows while it starts.

import Synchronization

/// Turns what a run tells of its passes into what an app shows while it starts.
final class OpeningWatch: Sendable {
  private struct State {
    var stage = OpeningProgress.Stage.checking
    var done = 0
    var total: Int
    var hasMigrated = false
    var told: OpeningProgress?
  }

  private let state: Mutex<State>
  private let tell: @Sendable (OpeningProgress) -> Void

  /// Watches a run on a database of so many bytes.
  init(byteCount: Int, tell: @escaping @Sendable (OpeningProgress) -> Void) {
    state = Mutex(State(total: byteCount))
    self.tell = tell
  }

  /// Takes in what the run tells; nothing is told twice.
  func take(_ progress: Progress) {
    let new = state.withLock { state -> OpeningProgress? in
      switch progress {
      // What is compared was just read.
      case .began(.comparing, _), .ended: break
      case .began(let pass, _):
        state.done = 0
        state.stage = Self.stage(of: pass, state)
        if pass == .migrating { state.hasMigrated = true }
      case .advanced(let count): state.done += count
      }
      let isCounted = state.stage == .checking || state.stage == .verifying
      let percent = state.total > 0 ? min(100, state.done * 100 / state.total) : 0
      let now = OpeningProgress(
        stage: state.stage, fraction: isCounted ? Double(percent) / 100 : nil)
      guard now != state.told else { return nil }
      state.told = now
      return now
    }
    if let new { tell(new) }
  }

  private static func stage(of pass: Progress.Pass, _ state: State) -> OpeningProgress.Stage {
    switch pass {
    case .backingUp: .backingUp
    case .readingBackup where state.stage == .backingUp: .backingUp
    case .migrating: .migrating
    case .restoring: .restoring
    case .examining where state.stage == .backingUp: .backingUp
    case .examining, .comparing, .advising, .copying, .verifying, .proving, .readingBackup:
      state.stage == .restoring ? .restoring : state.hasMigrated ? .verifying : .checking
    }
  }
}
