// SPDX-License-Identifier: Apache-2.0
// What a column stores for its default: 1.0 for DEFAULT 1 where it prefers reals.

import SQLiteFormat

extension ColumnDescription {
  /// The value that the column stores for a default that is a literal; nil for any other one, and where
  /// the column prefers nothing.
  func storedDefault(strict: Bool) -> Value? {
    let affinity = Affinity(declaredType: type, strict: strict)
    guard affinity != .blob, let tokens = constantDefault, tokens.isPlain, let last = tokens.last
    else { return nil }
    switch last {
    case .number(let digits):
      let sign = tokens.first == .symbol("-") ? "-" : ""
      return Value(number: sign + digits).flatMap { affinity.stored($0) }
    case .literal(let literal) where literal.hasPrefix("'"):
      guard let text = last.asName?.text else { return nil }
      let number = affinity == .text ? nil : Value(number: text)
      return number.flatMap { affinity.stored($0) } ?? .text(text)
    case .word where last.isWord("true"): return affinity.stored(.integer(1))
    case .word where last.isWord("false"): return affinity.stored(.integer(0))
    default: return nil
    }
  }
}

extension Value {
  /// The value of a number in digits; nil for anything else.
  fileprivate init?(number text: String) {
    guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
    if let integer = Int64(text) {
      self = .integer(integer)
    } else if let real = Double(text) {
      self = .real(real)
    } else {
      return nil
    }
  }
}

extension Affinity {
  /// What a column makes of a number; nil where only SQLite can tell.
  fileprivate func stored(_ number: Value) -> Value? {
    switch (self, number) {
    case (.text, .integer(let integer)): .text("\(integer)")
    case (.text, _): nil
    case (.real, .integer(let integer)): .real(Double(integer))
    case (.integer, .real(let real)), (.numeric, .real(let real)):
      Int64(exactly: real).map { .integer($0) } ?? number
    default: number
    }
  }
}
