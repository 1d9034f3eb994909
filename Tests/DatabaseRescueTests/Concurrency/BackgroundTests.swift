// SPDX-License-Identifier: Apache-2.0
// Work that goes on beside other work.

@testable import DatabaseRescue
import Synchronization
import Testing

@Suite struct BackgroundTests {
  private struct Refused: Error {}

  @Test func `work beside work that fails has come to its end before the failure is told`() {
    let begun = Mutex(false)
    let ended = Mutex(false)
    let work = Background { () throws(Refused) in
      while !begun.withLock({ $0 }) {}
      // The other work has failed long before.
      let start = ContinuousClock.now
      while start.duration(to: .now) < .milliseconds(200) {}
      ended.withLock { $0 = true }
    }
    #expect(throws: Refused.self) {
      try work.during { () throws(Refused) in
        begun.withLock { $0 = true }
        throw Refused()
      }
    }
    #expect(ended.withLock { $0 })
  }
}
