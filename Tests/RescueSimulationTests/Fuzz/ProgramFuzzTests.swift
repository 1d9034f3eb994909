// SPDX-License-Identifier: Apache-2.0
// Damaged databases given to the built program by the thousand.

import DatabaseRescue
import Dispatch
import RescueTestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `DBRESCUE_FUZZ` is how many databases are tried, `DBRESCUE_FUZZ_SEED` the first one's
/// seed; without either, the same few are tried each time.
///
/// Each is damaged and given to four commands. What fails is kept in `.build/fuzz`.
@Suite(.serialized) struct ProgramFuzzTests {
  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  /// How many are tried in one go, which is all that one start of the runner costs.
  private static let batch = 10

  @Test(.enabled(if: TestedProgram.canBeTried, "\(TestedProgram.notTried)"))
  func `damage never crashes the program, and is never called healthy`() throws {
    let count = Self.setting("DBRESCUE_FUZZ") ?? 100
    let first =
      Self.setting("DBRESCUE_FUZZ_SEED")
      ?? (Self.setting("DBRESCUE_FUZZ") == nil ? 1 : Int.random(in: 0..<1_000_000_000))
    print("trials: fuzz: DBRESCUE_FUZZ_SEED=\(first)")
    let stock = try Mutant.Stock()
    #expect(stock.count > 100)
    let tally = Tally("fuzz, \(Mutant.commands.count) runs each")
    let kept = Checkout.root.appending(".build/fuzz")
    DispatchQueue.concurrentPerform(iterations: (count + Self.batch - 1) / Self.batch) { batch in
      let seeds = (batch * Self.batch)..<min((batch + 1) * Self.batch, count)
      let mutants = seeds.map { Mutant(seed: UInt64(first + $0), of: stock) }
      do {
        for (mutant, violations) in zip(mutants, try Mutant.violations(of: mutants)) {
          for violation in violations {
            tally.add(violation) {
              // What cannot be kept can be made again from its seed.
              try? mutant.save(violation, in: kept)
              return "\(mutant)\n      \(violation.detail)"
            }
          }
          tally.count()
        }
      } catch {
        tally.add(Violation("could not be tried")) { "seed \(first + seeds.lowerBound): \(error)" }
      }
    }
    print(tally.table)
    #expect(tally.violationCount == 0)
  }
}
