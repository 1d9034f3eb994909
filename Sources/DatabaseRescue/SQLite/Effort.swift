// SPDX-License-Identifier: Apache-2.0
// How much time SQLite may take for the rows of a database that nobody knows.

import Synchronization

/// How much time all computations over the rows of a database may take.
///
/// A schema can say anything of a row, and nobody can tell how long that takes.
final class Effort: Sendable {
  /// How long each row may take on average; a sound one takes some microseconds.
  private let perRow: Duration
  private let rest: Mutex<Duration>

  /// As much time as a check may take, or another.
  init(_ start: Duration = .milliseconds(500), perRow: Duration = .microseconds(100)) {
    self.perRow = perRow
    rest = Mutex(start)
  }

  /// Whether there is time for one more row, after some that took so long.
  func allowsRow(after rows: Int, in duration: Duration) -> Bool {
    rest.withLock { rest in
      rest += perRow * rows - duration
      return rest > .zero
    }
  }
}
