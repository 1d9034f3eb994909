// SPDX-License-Identifier: Apache-2.0
// What options cost, compared with each other.

/// What an option costs: rows that are lost weigh more than rows that get former values, and these
/// more than rows that come back although they may have been deleted.
private struct Cost: Comparable {
  private(set) var lost = 0
  private(set) var reverted = 0
  private(set) var regained = 0

  init(of option: RecoveryOption) {
    for outcome in option.outcomes {
      add(outcome.rowsLostAtMost, to: \.lost)
      add(outcome.quarantined, to: \.lost)
      add(outcome.changed, to: \.reverted)
      add(outcome.regained, to: \.regained)
    }
    if let unplaced = option.unplaced { add(unplaced.quarantined, to: \.lost) }
  }

  private mutating func add(_ count: Int, to sum: WritableKeyPath<Cost, Int>) {
    let (total, overflows) = self[keyPath: sum].addingReportingOverflow(count)
    self[keyPath: sum] = overflows ? .max : total
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.lost, left.reverted, left.regained) < (right.lost, right.reverted, right.regained)
  }
}

extension RecoveryOption.Outcome {
  /// How many rows the option may cost; the greatest number where nothing tells.
  fileprivate var rowsLostAtMost: Int {
    switch lost {
    case .none: 0
    case .exactly(let count): count
    case .atLeast, .unknown: lostAtMost ?? .max
    }
  }
}

extension RecoveryOption {
  /// Whether the option costs less than a restore.
  ///
  /// Where nothing tells how many rows it has lost, the two are told apart by what only one of them has:
  /// rows that neither has are lost either way.
  fileprivate func isBetter(than restore: RecoveryOption) -> Bool {
    let (cost, other) = (Cost(of: self), Cost(of: restore))
    guard cost.lost == .max else { return cost < other }
    let quarantined = (outcomes.map(\.quarantined) + [unplaced?.quarantined ?? 0]).reduce(0, +)
    return restore.outcomes.reduce(quarantined) { $0 + $1.regained }
      < restore.outcomes.reduce(0) { $0 + $1.lost.knownCount }
  }
}

extension [RecoveryOption] {
  /// The options with a salvage among them: before the backups that cost more than it.
  func placing(_ salvage: [RecoveryOption]) -> [RecoveryOption] {
    guard let first = salvage.first else { return self }
    let place = firstIndex { $0.kind == .restore && first.isBetter(than: $0) } ?? endIndex
    return Array(self[..<place]) + salvage + Array(self[place...])
  }
}
