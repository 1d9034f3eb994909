// SPDX-License-Identifier: Apache-2.0
// How long the statements on a connection may take.

import Synchronization

/// How long the statements on a connection may take, in steps of SQLite's machine.
///
/// Nobody can say how long an expression of a hostile schema takes; a sound one takes some hundred
/// steps a row.
final class Patience {
  /// How many steps lie between two looks: less than a millisecond.
  static let stepsPerLook: Int32 = 10_000

  /// How many statements can take all the steps that one may take.
  private static let statementsMax = 20

  /// Whether somebody wishes that statements should stop.
  var isStopWished: @Sendable () -> Bool = { false }
  /// What is done at each look.
  var look: () -> Void = {}
  /// How many steps are left.
  private var stepsLeft: Int
  /// How many of them each statement may take; nil for as many as are left.
  private var stepsPerStatement: Int?
  private var stepsOfStatement = 0
  /// Whether a statement was stopped because it took too long.
  private(set) var isExhausted = false

  /// Patience without an end, for statements and a schema that are our own.
  init() {
    stepsLeft = .max
  }

  /// Patience enough for a database of so many bytes.
  init(stepsFor byteCount: Int) {
    stepsLeft = Self.enough(for: byteCount)
  }

  /// As many steps as all that is done with so many bytes can take, by a wide margin.
  static func enough(for byteCount: Int) -> Int {
    let (steps, overflow) = byteCount.multipliedReportingOverflow(by: 1000)
    return overflow ? .max / 2 : 20_000_000 + steps
  }

  /// Allows so many steps from now on.
  func allow(_ steps: Int) {
    stepsLeft = steps
    isExhausted = false
  }

  /// Does something of which each statement may take so many steps, or as many as are left where
  /// these are fewer: all together as many as some such statements, and twice what is left.
  func limited<Result>(perStatement steps: Int, _ body: () -> Result) -> Result {
    let before = stepsLeft
    let steps = min(steps, before)
    allow(min(Self.statementsMax * steps, 2 * min(before, .max / 2)))
    stepsPerStatement = steps
    defer {
      allow(before)
      stepsPerStatement = nil
    }
    return body()
  }

  /// Notes that another statement begins.
  func beginStatement() {
    stepsOfStatement = 0
    isExhausted = false
  }

  /// Whether the statement that runs is to stop.
  func endsStatement() -> Bool {
    look()
    if isStopWished() { return true }
    stepsLeft -= Int(Self.stepsPerLook)
    stepsOfStatement += Int(Self.stepsPerLook)
    isExhausted = stepsLeft < 0 || stepsPerStatement.map { stepsOfStatement > $0 } ?? false
    return isExhausted
  }
}
