// SPDX-License-Identifier: Apache-2.0
// The two check symbols of a support code: a Reed-Solomon code over the field of 32 elements.

/// Two check symbols that expose every error of up to two symbols.
///
/// A code word is a polynomial over GF(32) that (x + α)(x + α²) divides. Such words
/// of at most 31 symbols differ in at least three places, so no change of one
/// symbol, no swap of two symbols and no other change of two symbols leads from one
/// to another. The letters `DBR` stand before the first symbol and take part in the
/// check: nothing but zeros is not a code.
enum SymbolCheck {
  /// How many check symbols there are.
  static let count = 2

  /// The check symbols to follow `symbols`.
  static func symbols(for symbols: some Sequence<UInt8>) -> [UInt8] {
    let remainder = remainder(of: symbols)
    return [remainder.high, remainder.low]
  }

  /// Whether the last two of `symbols` are the check of the others.
  static func holds(for symbols: some Collection<UInt8>) -> Bool {
    self.symbols(for: symbols.dropLast(count)) == Array(symbols.suffix(count))
  }

  /// `D`, `B` and `R` as symbols.
  private static let prefix: [UInt8] = [13, 11, 24]

  /// The remainder of the word, times x², on division by x² + 6x + 8.
  ///
  /// With α = 2 that is (x + 2)(x + 4): 2 + 4 = 6 and 2 · 4 = 8 in the field.
  private static func remainder(of symbols: some Sequence<UInt8>) -> (high: UInt8, low: UInt8) {
    var remainder: (high: UInt8, low: UInt8) = (0, 0)
    for symbol in prefix { step(&remainder, taking: symbol) }
    for symbol in symbols { step(&remainder, taking: symbol) }
    return remainder
  }

  /// One step of the long division.
  private static func step(_ remainder: inout (high: UInt8, low: UInt8), taking symbol: UInt8) {
    let carry = Int((remainder.high ^ symbol) & 31)
    remainder = (remainder.low ^ timesSix[carry], timesEight[carry])
  }

  private static let timesSix = (0..<32).map { product($0, 6) }
  private static let timesEight = (0..<32).map { product($0, 8) }

  /// The product in GF(32), built on x⁵ + x² + 1.
  private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var sum: UInt8 = 0
    var power = left
    for bit in 0..<5 {
      if right >> bit & 1 == 1 { sum ^= power }
      power <<= 1
      if power & 0x20 != 0 { power ^= 0x25 }
    }
    return sum
  }
}
