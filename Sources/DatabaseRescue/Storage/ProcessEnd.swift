// SPDX-License-Identifier: Apache-2.0
// How somebody else's program ended, or work of this process that stands in the place of one.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How a program ended, or work of this process that stands in the place of one.
public enum ProcessEnd: Hashable, Sendable {
  /// With an exit status.
  case exited(Int32)
  /// By a signal.
  case killed(signal: Int32)
  /// It was stopped because its time was up.
  case timedOut
  /// It was stopped because this process was told to end by a signal.
  case stopped(signal: Int32)
  /// It said that it succeeded, and what it had started went on until it was stopped.
  case outlived
  /// Work of this process came to its end.
  case done
  /// Work of this process failed: why, and whether it was locks, space, the disk or permissions
  /// that stood in the way.
  case failed(String, cause: RescueError.Kind?)

  /// Whether it says itself that it succeeded, and all that it started has ended.
  package var succeeded: Bool { self == .exited(0) || self == .done }

  /// What stood in the way, where it was not the work itself.
  package var cause: RescueError.Kind? {
    if case .failed(_, let cause) = self { cause } else { nil }
  }

  /// The end in words.
  package var description: String {
    switch self {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was killed by signal \(signal)"
    case .timedOut: "did not end in time and was stopped"
    case .stopped(let signal):
      "was stopped, as this run was told to end by \(Self.name(of: signal))"
    case .outlived: "ended with status 0, and what it had started went on until it was stopped"
    case .done: "came to its end"
    case .failed(let reason, _): "failed: \(reason)"
    }
  }

  /// The kind of end in one word, such as `timed-out`.
  package var word: String {
    switch self {
    case .exited: "exited"
    case .killed: "killed"
    case .timedOut: "timed-out"
    case .stopped: "stopped"
    case .outlived: "outlived"
    case .done: "done"
    case .failed: "failed"
    }
  }

  /// The exit status, where it has said one.
  package var status: Int32? {
    switch self {
    case .exited(let status): status
    case .outlived: 0
    case .killed, .timedOut, .stopped, .done, .failed: nil
    }
  }

  /// The signal that ended it, or this run.
  package var signal: Int32? {
    switch self {
    case .killed(let signal), .stopped(let signal): signal
    case .exited, .timedOut, .outlived, .done, .failed: nil
    }
  }

  private static func name(of signal: Int32) -> String {
    switch signal {
    case SIGHUP: "SIGHUP"
    case SIGINT: "SIGINT"
    case SIGTERM: "SIGTERM"
    default: "signal \(signal)"
    }
  }
}
