// SPDX-License-Identifier: Apache-2.0
// Work on several members at once, with results in order.

internal import Dispatch
internal import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Work that is spread over the cores.
enum Parallel {
  /// How many spans are in memory at once: enough to keep every core busy.
  static var batchCount: Int { ProcessInfo.processInfo.activeProcessorCount * 32 }

  /// The results of `body` for 0 ..< `count`, in this order however many cores worked.
  static func map<Result: Sendable>(
    _ count: Int, _ body: @Sendable (Int) -> Result
  ) -> [Result] {
    let results = Mutex<[Result?]>(Array(repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let result = body(index)
      results.withLock { $0[index] = result }
    }
    return results.withLock { $0.compactMap { $0 } }
  }
}

/// Things that are costly to make and can be used again, one user at a time.
final class Pool<Element: Sendable>: Sendable {
  private let idle = Mutex<[Element]>([])
  private let make: @Sendable () -> Element?

  /// Makes a pool that makes what it does not have.
  init(_ make: @escaping @Sendable () -> Element?) {
    self.make = make
  }

  /// Lends an element to `body`; nil when none can be made.
  func with<Result>(_ body: (Element) -> Result?) -> Result? {
    guard let element = idle.withLock({ $0.popLast() }) ?? make() else { return nil }
    defer { idle.withLock { $0.append(element) } }
    return body(element)
  }
}
