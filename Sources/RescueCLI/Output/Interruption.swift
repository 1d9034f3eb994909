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
  private let patient = Atomic(false)

  /// Makes one that nobody has raised.
  package init() {}

  /// Whether the work should stop at the next safe place.
  package var isRequested: Bool { signal.load(ordering: .relaxed) != 0 }

  /// Raises it; safe in a signal handler.
  ///
  /// - Returns: Whether nobody had raised it before.
  @discardableResult
  package func request(_ signal: Int32 = SIGINT) -> Bool {
    self.signal.compareExchange(expected: 0, desired: signal, ordering: .relaxed).exchanged
  }

  /// Whether a second wish must not end the process at once: what it has started would go on.
  var isPatient: Bool { patient.load(ordering: .relaxed) }

  /// Does work during which a second wish does not end the process at once.
  func patiently<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    patient.store(true, ordering: .relaxed)
    defer { patient.store(false, ordering: .relaxed) }
    return try body()
  }

  /// Takes the wish back, as it was fulfilled: what comes next can be wished to stop again.
  func fulfil() { signal.store(0, ordering: .relaxed) }

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
