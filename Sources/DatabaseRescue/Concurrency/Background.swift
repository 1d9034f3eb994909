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

  /// Does other work beside this one, which has come to its end as well when that is done or fails:
  /// what it uses can be removed then.
  ///
  /// - Throws: What the other work threw.
  func during<Other, Reason: Error>(
    _ other: () throws(Reason) -> Other
  ) throws(Reason) -> Other {
    defer { done.wait() }
    return try other()
  }
}

/// The digests of files once they have been read for the last time; nil for one that is gone.
final class LastDigests: Sendable {
  typealias Take =
    @Sendable (_ progress: @escaping (Progress) -> Void) throws(RescueError) -> [EvidenceDigest?]

  private let take: Take
  private let work = Mutex<Background<[EvidenceDigest?], RescueError>?>(nil)

  /// Digests that `take` takes, not yet begun.
  init(_ take: @escaping Take) {
    self.take = take
  }

  /// Begins to take them, beside other work whose progress is shown.
  func begin() {
    work.withLock { work in
      if work == nil { work = Background { [take] () throws(RescueError) in try take { _ in } } }
    }
  }

  /// The digests, as soon as they are there.
  ///
  /// - Throws: ``RescueError`` when a file cannot be read.
  func value(_ progress: @escaping (Progress) -> Void) throws(RescueError) -> [EvidenceDigest?] {
    progress(.began(.proving, byteCount: nil))
    guard let begun = work.withLock(\.self) else { return try take(progress) }
    return try begun.value()
  }
}
