// SPDX-License-Identifier: Apache-2.0
// How many rows are lost, as reports say it and as JSON holds it.

package import Diagnosis

/// How many rows are lost, as reports say it.
package struct RowLoss: Hashable, Sendable, Codable {
  /// How sure the number is.
  package enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    /// No row is lost.
    case none
    /// The number is the number.
    case exactly
    /// There may be more.
    case atLeast = "at-least"
    /// Nothing says how many.
    case unknown
  }

  /// How sure the number is.
  package let kind: Kind
  /// The number; nil when it is unknown.
  package let rows: Int?

  /// Makes an account of a loss.
  package init(_ loss: Loss) {
    switch loss {
    case .none: (kind, rows) = (.none, 0)
    case .exactly(let count): (kind, rows) = (.exactly, count)
    case .atLeast(let count): (kind, rows) = (.atLeast, count)
    case .unknown: (kind, rows) = (.unknown, nil)
    }
  }

  /// The loss of several tables together.
  init(sum losses: some Sequence<Loss>) {
    var sum = 0
    var isExact = true
    for loss in losses {
      switch loss {
      case .none: break
      case .exactly(let count): sum += count
      case .atLeast(let count):
        sum += count
        isExact = false
      case .unknown: isExact = false
      }
    }
    self.init(isExact ? (sum == 0 ? .none : .exactly(sum)) : sum == 0 ? .unknown : .atLeast(sum))
  }

  /// The loss, as it was counted.
  package var loss: Loss {
    switch kind {
    case .none: .none
    case .exactly: .exactly(rows ?? 0)
    case .atLeast: .atLeast(rows ?? 0)
    case .unknown: .unknown
    }
  }

  /// Whether there is a loss.
  package var isLoss: Bool { kind != .none }

  /// The loss in words, such as `exactly 24 rows`.
  package var words: String {
    switch kind {
    case .none: "none"
    case .exactly: "exactly \((rows ?? 0).of("row"))"
    case .atLeast: "at least \((rows ?? 0).of("row"))"
    case .unknown: "unknown"
    }
  }

  /// The loss as a sentence, such as “Exactly 24 rows are lost”.
  var sentence: String {
    switch kind {
    case .none: "No row is lost."
    case .exactly, .atLeast: "\(words.capitalizedFirst) \(rows == 1 ? "is" : "are") lost."
    case .unknown: "How many rows are lost is unknown."
    }
  }

  /// The style in which text shows the loss.
  var style: StyledText.Style { isLoss ? .bad : .good }
}
