// SPDX-License-Identifier: Apache-2.0
// What went wrong in many trials, by kind, each with one example.

import Synchronization

/// One thing that a run of the program did and must not do.
package struct Violation: Hashable, Sendable {
  /// What kind of thing, the same words for all of a kind.
  package let kind: String
  /// What was seen, in one line.
  package let detail: String

  /// Makes a violation.
  package init(_ kind: String, _ detail: String = "") {
    self.kind = kind
    self.detail = String(detail.prefix(300).map { $0.isNewline ? " " : $0 })
  }
}

/// Counts trials and what went wrong in them, from any thread.
package final class Tally: Sendable {
  private struct Kind {
    var count = 0
    var examples: [String] = []
  }

  private struct State {
    var tried = 0
    var kinds: [String: Kind] = [:]
  }

  private let title: String
  private let examplesMax: Int
  private let state = Mutex(State())

  /// Makes an empty tally that shows so many examples of a kind.
  package init(_ title: String, examples: Int = 1) {
    self.title = title
    examplesMax = examples
  }

  /// Counts a trial that is over.
  package func count() {
    let tried = state.withLock { state in
      state.tried += 1
      return state.tried
    }
    if tried % 1000 == 0 { print("trials: \(title): \(tried) so far") }
  }

  /// Counts a violation; the example is made only where one is wanted.
  package func add(_ violation: Violation, example: () -> String) {
    let isWanted = state.withLock { state in
      state.kinds[violation.kind, default: Kind()].count += 1
      return (state.kinds[violation.kind]?.count ?? 0) <= examplesMax
    }
    guard isWanted else { return }
    let text = example()
    state.withLock { $0.kinds[violation.kind]?.examples.append(text) }
  }

  /// How many violations there are.
  package var violationCount: Int {
    state.withLock { $0.kinds.values.reduce(0) { $0 + $1.count } }
  }

  /// The sum in one line, and the kinds with their examples.
  package var table: String {
    let state = state.withLock { $0 }
    let sum = "trials: \(title): \(state.tried) tried, \(violationCount) violations"
    let lines = state.kinds.sorted { $0.key < $1.key }.flatMap { kind, found in
      ["  \(found.count) × \(kind)"] + found.examples.map { "      \($0)" }
    }
    return ([sum] + lines).joined(separator: "\n")
  }
}
