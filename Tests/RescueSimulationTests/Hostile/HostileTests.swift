// SPDX-License-Identifier: Apache-2.0
// Whatever a file says, and whatever lies beside it: nothing is carried out, and nothing is lost.

import DatabaseRescue
import Dispatch
import RescueTestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `DBRESCUE_HOSTILE` is how many cases are tried, `DBRESCUE_SEED` the first one's seed;
/// without either, the same few cases are tried each time.
@Suite(.serialized) struct HostileTests {
  @Test(.enabled(if: TestedProgram.canBeTried, "\(TestedProgram.notTried)"))
  func `a hostile file changes nothing, crashes nothing and costs no sound row`() {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["DBRESCUE_HOSTILE"].flatMap { Int($0) } ?? 60
    let first =
      environment["DBRESCUE_SEED"].flatMap { UInt64($0) }
      ?? (environment["DBRESCUE_HOSTILE"] == nil ? 1 : UInt64.random(in: 0..<1_000_000))
    print("trials: hostile: DBRESCUE_SEED=\(first)")
    let tally = Tally("hostile")
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let hostile = HostileCase(seed: first + UInt64(index))
      let violations: [Violation]
      do { violations = try hostile.violations() } catch {
        violations = [Violation("could not be tried", "\(error)")]
      }
      var kinds: Set<String> = []
      for violation in violations where kinds.insert(violation.kind).inserted {
        tally.add(violation) {
          let (smallest, command) = hostile.shrunken(keeping: violation.kind)
          return "\(command): \(violation.detail)\n      \(smallest)"
        }
      }
      tally.count()
    }
    print(tally.table)
    #expect(tally.violationCount == 0)
  }
}
