// SPDX-License-Identifier: Apache-2.0
// The wish to stop: raised by a signal, looked at by long work between two steps.

import Synchronization

/// The wish to stop: raised by a signal, looked at by long work between two steps.
package final class Interruption: Sendable {
  /// The one that Ctrl-C raises.
  static let ofProcess = Interruption()

  private let flag = Atomic(false)

  /// Makes one that nobody has raised.
  package init() {}

  /// Whether the work should stop at the next safe place.
  package var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Raises it; safe in a signal handler.
  package func request() { flag.store(true, ordering: .relaxed) }
}
