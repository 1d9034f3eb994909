// SPDX-License-Identifier: Apache-2.0
// Many cases, some or all of them, on every core, and their sum in one line.

import Dispatch
import RescueTestSupport
import Synchronization
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Many cases of one kind, each of which is right or not.
struct Sweep<Case: Sendable>: Sendable {
  /// What is tried.
  let title: String
  /// What each case is, for the line of a violation.
  let name: @Sendable (Case) -> String
  /// What is wrong with a case; empty when nothing is.
  let violations: @Sendable (Case) throws -> [String]

  /// What came of a sweep.
  struct Result: Sendable {
    var tried = 0
    var violations: [String] = []
  }

  /// Tries cases, and prints the sum.
  @discardableResult
  func run(_ cases: [Case], of total: Int) -> Result {
    let result = Mutex(Result())
    DispatchQueue.concurrentPerform(iterations: cases.count) { index in
      let found: [String]
      do { found = try violations(cases[index]) } catch { found = ["could not be tried: \(error)"] }
      result.withLock { result in
        result.tried += 1
        for violation in found {
          result.violations.append("\(name(cases[index])): \(violation)")
          print("simulation:   \(name(cases[index])): \(violation)")
        }
        if result.tried % 500 == 0 { print("simulation:   \(title): \(result.tried) so far") }
      }
    }
    let final = result.withLock(\.self)
    print(
      "simulation: \(title): \(final.tried) of \(total) cases tried, "
        + "\(final.violations.count) violations")
    return final
  }
}

/// How much of the simulation is done.
enum Effort {
  /// Whether every case is tried, as `make simulate` asks.
  static let isComplete = ProcessInfo.processInfo.environment["DBRESCUE_SIMULATE"] == "all"

  /// How many cases of each action are tried, where a number is given instead.
  private static let count = ProcessInfo.processInfo.environment["DBRESCUE_SIMULATE"].flatMap {
    Int($0)
  }

  /// The actions whose names hold this, where it is set.
  static let actions: [Action] = {
    guard let part = ProcessInfo.processInfo.environment["DBRESCUE_SIMULATE_ACTION"] else {
      return Action.all
    }
    return Action.all.filter { $0.description.contains(part) }
  }()

  /// Whether what an action does to the disk is printed.
  static let tracesOperations = ProcessInfo.processInfo.environment["DBRESCUE_TRACE"] != nil

  /// What chance begins with, printed: what is given, another one each time where more than the
  /// usual cases are asked for, and else always the same.
  static let seed: UInt64 = {
    let environment = ProcessInfo.processInfo.environment
    let isUsual = environment["DBRESCUE_SIMULATE"] == nil && environment["DBRESCUE_LIVE"] == nil
    let given = environment["DBRESCUE_SEED"].flatMap { UInt64($0) }
    let seed = given ?? (isUsual ? 1 : UInt64.random(in: 0..<1_000_000))
    print("simulation: DBRESCUE_SEED=\(seed)")
    return seed
  }()

  /// Some of the cases, by chance, or all of them.
  static func choose<Case>(_ usual: Int, of cases: [Case]) -> [Case] {
    let count = count ?? usual
    guard !isComplete, cases.count > count else { return cases }
    var random = SeededRandom(seed: seed)
    var rest = cases
    return (0..<count).map { _ in rest.remove(at: random.below(rest.count)) }
  }
}
