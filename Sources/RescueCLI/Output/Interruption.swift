// SPDX-License-Identifier: Apache-2.0
// The wish to stop: raised by a signal, looked at by long work between two steps.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The wish to stop: raised by a signal, looked at by long work between two steps.
package final class Interruption: Sendable {
  /// The one that signals raise.
  static let ofProcess = Interruption()

  /// The first signal; 0 as long as there was none.
  private let signal = Atomic<Int32>(0)
  private let wasHeeded = Atomic(false)

  /// Makes one that nobody has raised.
  package init() {}

  /// Whether the work should stop at the next safe place.
  package var isRequested: Bool { signal.load(ordering: .relaxed) != 0 }

  /// Raises it; safe in a signal handler.
  package func request(_ signal: Int32 = SIGINT) {
    _ = self.signal.compareExchange(expected: 0, desired: signal, ordering: .relaxed)
  }

  /// How a run ends that was stopped.
  package var status: Int32 { code.rawValue }

  /// How a run ends that was stopped.
  var code: ExitCode {
    switch signal.load(ordering: .relaxed) {
    case SIGHUP: .hungUp
    case SIGTERM: .terminated
    default: .interrupted
    }
  }

  /// Whether a run was stopped, or went on to its end although it should have.
  var isHeeded: Bool { wasHeeded.load(ordering: .relaxed) }

  /// Notes that the wish has changed how a run ends.
  func heed() { wasHeeded.store(true, ordering: .relaxed) }
}
