// SPDX-License-Identifier: Apache-2.0
// Somebody else's program while it runs, until all that it has started has ended.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Somebody else's program, running.
struct RunningChild: ~Copyable {
  /// What a wait has told.
  private enum Event {
    case nothing
    case paused(signal: Int32)
    case ended(ProcessEnd)
  }

  /// How long what a program has started may go on after it: a pipe takes a moment to run dry.
  private static let afterglow = Duration.milliseconds(500)

  private let process: pid_t
  private let family: ProcessFamily
  private let grace: Duration
  private var terminal = LentTerminal()

  init(process: pid_t, family: ProcessFamily, grace: Duration) {
    self.process = process
    self.family = family
    self.grace = grace
  }

  /// Waits for the end; nothing of what was started is at work afterwards.
  mutating func end(
    timeout: Duration?, isStopWished: () -> Bool, stopSignal: @autoclosure () -> Int32
  ) -> ProcessEnd {
    let clock = ContinuousClock()
    let deadline = timeout.map { clock.now.advanced(by: $0) }
    var reason: ProcessEnd?
    var last: ContinuousClock.Instant?
    var pause: Int32?
    var end: ProcessEnd?
    while end == nil {
      switch wait() {
      case .ended(let how): end = how
      case .paused(let signal): pause = signal
      case .nothing: usleep(10_000)
      }
      if let signal = pause, terminal.serve(process, stoppedBy: signal) { pause = nil }
      guard end == nil else { break }
      if reason == nil {
        if isStopWished() {
          reason = .stopped(signal: stopSignal())
        } else if let deadline, clock.now >= deadline {
          reason = .timedOut
        }
        guard reason != nil else { continue }
        family.signal(SIGTERM)
        last = clock.now.advanced(by: grace)
      } else if let moment = last, clock.now >= moment {
        last = nil
        family.signal(SIGKILL)
      }
    }
    terminal.takeBack()
    let wasAlone = endOthers(atOnce: reason != nil)
    return reason ?? (end == .exited(0) && !wasAlone ? .outlived : end ?? .exited(127))
  }

  private func wait() -> Event {
    var status: Int32 = 0
    let done = unsafe waitpid(process, &status, WNOHANG | WUNTRACED)
    guard done == process else {
      // Whoever ignores the end of children learns nothing of how they ended.
      return done == -1 && errno != EINTR ? .ended(.exited(127)) : .nothing
    }
    let signal = status & 0x7F
    switch signal {
    case 0: return .ended(.exited(status >> 8 & 0xFF))
    case 0x7F: return .paused(signal: status >> 8 & 0xFF)
    default: return .ended(.killed(signal: signal))
    }
  }

  /// Ends what the program has started and left behind: it would go on with the database.
  ///
  /// - Returns: Whether there was nothing of that.
  private func endOthers(atOnce: Bool) -> Bool {
    if family.hasEnded(within: atOnce ? .zero : Self.afterglow) { return true }
    family.signal(SIGTERM)
    if family.hasEnded(within: grace) { return false }
    // Who starts others faster than they are found is not waited for without end.
    for _ in 0..<Self.killsMax {
      family.signal(SIGKILL)
      if family.hasEnded(within: .milliseconds(200)) { break }
    }
    return false
  }

  /// How often all that is left is killed.
  private static let killsMax = 10
}
