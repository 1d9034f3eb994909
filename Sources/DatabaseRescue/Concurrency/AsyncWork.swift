// SPDX-License-Identifier: Apache-2.0
// The two ways between work that waits and work that blocks a thread: each on a thread of its own.

import Dispatch
import Synchronization

/// The ways between work that waits and work that blocks a thread.
enum AsyncWork {
  /// How often a thread that waits looks whether it is to stop.
  private static let lookMilliseconds = 10

  /// Does work that blocks its thread, on one that may be blocked.
  static func blocking<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        do throws(Failure) {
          continuation.resume(returning: Result<Value, Failure>.success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  /// Does work that waits, and blocks this thread until it is done; once somebody wishes so, the work
  /// is cancelled, and waited for all the same.
  ///
  /// - Returns: What the work threw; nil where it came to its end.
  static func waiting(
    isStopWished: () -> Bool, _ work: @escaping @Sendable () async throws -> Void
  ) -> (any Error)? {
    let outcome = Outcome()
    let task = Task.detached {
      do { try await work() } catch { outcome.thrown.withLock { $0 = error } }
      outcome.done.signal()
    }
    while outcome.done.wait(timeout: .now() + .milliseconds(lookMilliseconds)) == .timedOut {
      if isStopWished() { task.cancel() }
    }
    return outcome.thrown.withLock(\.self)
  }

  private final class Outcome: Sendable {
    let thrown = Mutex<(any Error)?>(nil)
    let done = DispatchSemaphore(value: 0)
  }
}
