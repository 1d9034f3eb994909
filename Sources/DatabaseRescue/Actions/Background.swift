// SPDX-License-Identifier: Apache-2.0
// Work that goes on beside other work, until its result is asked for.

import Dispatch
import Synchronization

/// Work on a thread of its own.
final class Background<Value: Sendable, Failure: Error>: Sendable {
  private let result = Mutex<Result<Value, Failure>?>(nil)
  private let done = DispatchGroup()

  /// Starts the work.
  init(_ work: @escaping @Sendable () throws(Failure) -> Value) {
    DispatchQueue.global().async(group: done) {
      do throws(Failure) {
        let value = try work()
        self.result.withLock { $0 = .success(value) }
      } catch {
        self.result.withLock { $0 = .failure(error) }
      }
    }
  }

  /// What the work gave, as soon as it is done.
  ///
  /// - Throws: What the work threw.
  func value() throws(Failure) -> Value {
    done.wait()
    guard let result = result.withLock(\.self) else {
      preconditionFailure("work that is done has a result")
    }
    return try result.get()
  }
}
