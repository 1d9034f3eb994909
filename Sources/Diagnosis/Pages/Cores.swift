// SPDX-License-Identifier: Apache-2.0
// Work in many pieces, on several cores.

import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The cores of the machine, for work whose pieces do not depend on each other.
package enum Cores {
  /// The most that are used at once: each takes memory of its own.
  static let usedMax = 3

  /// Does pieces of work by number: each thread adds those that it happens to do to a sum of its
  /// own, which `start` begins.
  static func sums<Sum: Sendable>(
    of count: Int, start: @Sendable () -> Sum, _ work: @Sendable (inout Sum, Int) -> Void
  ) -> [Sum] {
    let threads = min(ProcessInfo.processInfo.activeProcessorCount, usedMax, count)
    let next = Atomic(0)
    let sums = Mutex<[Sum]>([])
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      var sum = start()
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { break }
        work(&sum, index)
      }
      sums.withLock { $0.append(sum) }
    }
    return sums.withLock(\.self)
  }

  /// What each piece of work gives, in their order.
  package static func map<Result: Sendable>(_ count: Int, _ work: @Sendable (Int) -> Result)
    -> [Result]
  {
    let parts = sums(of: count, start: { [(index: Int, result: Result)]() }) { part, index in
      part.append((index, work(index)))
    }
    return parts.joined().sorted { $0.index < $1.index }.map(\.result)
  }
}
