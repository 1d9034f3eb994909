// SPDX-License-Identifier: Apache-2.0
// One piece of work that is measured, what it took, and what it is compared with.

import DatabaseRescue

/// One piece of work that is measured.
struct Work {
  /// What the table calls it.
  let name: String
  /// What is run, one after the other.
  let jobs: [Job]
  /// What is removed before each run, files or the files in folders; the size of the last counts.
  var makes: [FilePath] = []
}

/// What several runs of one piece of work took.
struct Measurement {
  /// The cost of every run.
  var costs: [Cost] = []
  /// The size of what the work made.
  var byteCount = 0

  /// The time that passed: the median, the shortest and the longest.
  var seconds: (median: Double, min: Double, max: Double) {
    let sorted = costs.map(\.seconds).sorted()
    return (Self.median(of: sorted), sorted.first ?? 0, sorted.last ?? 0)
  }

  /// The time that all cores together worked: the median.
  var coreSeconds: Double { Self.median(of: costs.map(\.coreSeconds).sorted()) }

  /// The most memory that any run needed.
  var memoryByteCount: Int { costs.map(\.memoryByteCount).max() ?? 0 }

  private static func median(of sorted: [Double]) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}

/// One line of the table.
struct Row {
  /// What is compared.
  enum Quantity {
    /// The time that passed.
    case seconds
    /// The size of what was made.
    case bytes
  }

  /// The name of our work.
  let work: String
  /// The name of what it is compared with.
  let peer: String
  /// What is compared.
  let quantity: Quantity
  /// The ratio that should not be exceeded; nil where the figure is only of interest.
  let aim: Double?

  init(_ work: String, _ peer: String, _ quantity: Quantity = .seconds, aim: Double? = nil) {
    self.work = work
    self.peer = peer
    self.quantity = quantity
    self.aim = aim
  }
}
