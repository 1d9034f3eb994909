// SPDX-License-Identifier: Apache-2.0
// How sure it is that something happened: from what fits it, and fits others, to a proof.

/// How sure it is that something happened.
public enum Confidence: String, Hashable, Sendable, Comparable, CaseIterable, Codable {
  /// What was found fits it, and fits others as well.
  case possible
  /// What was found fits it, and nothing else that is known fits as well.
  case likely
  /// What was found proves it.
  case certain

  /// Orders from the least to the most sure.
  public static func < (left: Confidence, right: Confidence) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .possible: 0
    case .likely: 1
    case .certain: 2
    }
  }
}
