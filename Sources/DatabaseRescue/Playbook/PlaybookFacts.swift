// SPDX-License-Identifier: Apache-2.0
// What is known at one moment of a run: the one row that conditions are evaluated over.

package import Diagnosis
import SQLiteFormat

/// What is known at one moment of a run; what is not set is unknown.
package struct PlaybookFacts: Hashable, Sendable {
  /// The value of a fact.
  package enum Value: Hashable, Sendable, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, CustomStringConvertible, Encodable
  {
    /// Yes or no.
    case flag(Bool)
    /// A whole number.
    case integer(Int)
    /// A number.
    case real(Double)
    /// A word or text.
    case text(String)

    /// Makes a flag.
    package init(booleanLiteral value: Bool) { self = .flag(value) }
    /// Makes a whole number.
    package init(integerLiteral value: Int) { self = .integer(value) }
    /// Makes a number.
    package init(floatLiteral value: Double) { self = .real(value) }
    /// Makes a text.
    package init(stringLiteral value: String) { self = .text(value) }

    /// Writes the value alone.
    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .flag(let flag): try container.encode(flag)
      case .integer(let integer): try container.encode(integer)
      case .real(let real): try container.encode(real)
      case .text(let text): try container.encode(text)
      }
    }

    /// The value as a condition would spell it.
    package var description: String {
      switch self {
      case .flag(let flag): flag ? "1" : "0"
      case .integer(let integer): String(integer)
      case .real(let real): String((real * 10).rounded() / 10)
      case .text(let text): text.quoted
      }
    }

    /// The value as it is written.
    var plain: String {
      switch self {
      case .flag, .integer: description
      case .real(let real): Int(exactly: real).map { "\($0)" } ?? "\(real)"
      case .text(let text): text
      }
    }

    /// The type as SQL declares it.
    var sql: String {
      switch self {
      case .flag, .integer: "INTEGER"
      case .real: "REAL"
      case .text: "TEXT"
      }
    }

    var stored: SQLiteFormat.Value {
      switch self {
      case .flag(let flag): .integer(flag ? 1 : 0)
      case .integer(let integer): .integer(Int64(integer))
      case .real(let real): .real(real)
      case .text(let text): .text(text)
      }
    }
  }

  private var values: [PlaybookFact: Value] = [:]
  /// The parameters of the playbook, by name.
  package var parameters: [String: Value] = [:]

  /// Nothing known.
  package init() {}

  /// The value of a fact; nil when it is unknown.
  package subscript(fact: PlaybookFact) -> Value? {
    get { values[fact] }
    set { values[fact] = newValue }
  }

  /// Every fact that is known, as it is shown.
  package var shown: [String] {
    PlaybookFact.allCases.filter { values[$0] != nil }.map(shown)
  }

  /// Whether a flag is known to be set.
  package func isSet(_ fact: PlaybookFact) -> Bool { values[fact] == .flag(true) }

  /// The verdict, once there is one.
  package var verdict: Verdict? {
    guard case .text(let word) = values[.verdict] else { return nil }
    if word == Verdict.damagedIntact.word {
      return values[.damage] == "intact" ? .damagedIntact : .damagedLossy
    }
    return Verdict(rawValue: word)
  }

  /// Sets the verdict and the kind of damage.
  package mutating func set(_ verdict: Verdict) {
    self[.verdict] = .text(verdict.word)
    self[.damage] =
      switch verdict {
      case .damagedIntact: "intact"
      case .damagedLossy: "lossy"
      case .unreadable: nil
      case .healthy, .outdated, .newer, .drifted: "none"
      }
  }

  /// The fact as it is shown: `rows_lost = 3`, or `rows_lost is not known`.
  package func shown(_ fact: PlaybookFact) -> String {
    values[fact].map { "\(fact.name) = \($0)" } ?? "\(fact.name) is not known"
  }
}
