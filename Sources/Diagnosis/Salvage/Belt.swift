// SPDX-License-Identifier: Apache-2.0
// A belt between a thread that reads and one that writes: what is on it is bounded.

import Dispatch
import Synchronization

/// Batches on their way from one thread to another, in order, never more than so many at once.
final class Belt<Item: Sendable>: Sendable {
  /// How many batches may wait.
  private static var batchesMax: Int { 8 }

  private struct State {
    var batches: [[Item]] = []
    var isStopped = false
  }

  private let state = Mutex(State())
  private let places = DispatchSemaphore(value: 0)
  private let arrivals = DispatchSemaphore(value: 0)
  private let departure = DispatchSemaphore(value: 0)

  /// Lets `produce` put batches on the belt, on a thread of its own.
  ///
  /// `produce` is given a function that takes a batch, and returns false once nobody wants more.
  init(_ produce: @escaping @Sendable (_ put: ([Item]) -> Bool) -> Void) {
    for _ in 0..<Self.batchesMax { places.signal() }
    DispatchQueue.global().async {
      produce(self.put)
      self.end()
    }
  }

  private func put(_ batch: [Item]) -> Bool {
    places.wait()
    let isWanted = state.withLock { state in
      if !state.isStopped { state.batches.append(batch) }
      return !state.isStopped
    }
    if isWanted { arrivals.signal() }
    return isWanted
  }

  /// Nothing follows: whoever looks for the next batch finds none.
  private func end() {
    arrivals.signal()
    departure.signal()
  }

  /// The next batch; nil behind the last one.
  func next() -> [Item]? {
    arrivals.wait()
    let batch = state.withLock { $0.batches.isEmpty ? nil : $0.batches.removeFirst() }
    places.signal()
    return batch
  }

  /// Tells the other thread to stop, if it still runs, and waits until it has.
  func stop() {
    state.withLock { $0.isStopped = true }
    places.signal()
    departure.wait()
  }
}
