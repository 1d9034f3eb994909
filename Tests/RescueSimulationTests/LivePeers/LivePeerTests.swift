// SPDX-License-Identifier: Apache-2.0
// Schedules of an app at work: DBRESCUE_LIVE says how many, DBRESCUE_SEED with which one they begin.

import RescueTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension LiveSchedule {
  /// This process, which is the app's.
  static var process: Int32 { getpid() }
}

#if os(Linux)
  @Suite(.serialized) struct LivePeerTests {
    @Test func `nothing that an app has committed is lost, missed or made up through us`() throws {
      let environment = ProcessInfo.processInfo.environment
      let count = environment["DBRESCUE_LIVE"].flatMap { Int($0) } ?? 12
      let first = environment["DBRESCUE_SEED"].flatMap { UInt64($0) } ?? Effort.seed
      var violations = 0
      for seed in first..<(first + UInt64(count)) {
        try ScratchFolder.with { folder in
          var schedule = try LiveSchedule(seed: seed, in: folder)
          try schedule.run(14)
          let found = schedule.violations
          violations += found.count
          #expect(found == [], "DBRESCUE_SEED=\(seed)")
        }
        if (seed - first) % 500 == 499 {
          print("simulation:   live peers: \(seed - first + 1) so far, \(violations) violations")
          fflush(nil)
        }
      }
      print("simulation: live peers: \(count) schedules, \(violations) violations")
    }
  }
#endif
