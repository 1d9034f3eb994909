// SPDX-License-Identifier: Apache-2.0
// The code of a run that a user reads out over the phone: the essence of the run in 20 symbols.

/// The code of one run, such as `DBR-4GW02-8000Z-ZZZ7Q-H2K9T`.
///
/// Twenty symbols of five bits: 18 carry the content and some random bits, two
/// are a check. The symbols are Crockford's: no I, L, O and U, so that a code
/// survives being read aloud and typed again.
public struct SupportCode: Hashable, Sendable {
  /// The 90 bits that the code carries, in the low bits.
  let payload: UInt128

  /// Makes the code of a run; `random` tells apart runs that are otherwise alike.
  package init(_ content: Content, random: UInt64) {
    payload = content.payload(random: random)
  }

  /// Reads a code as people write it.
  ///
  /// Case, dashes and spaces do not matter, O is read as 0, I and L as 1, and
  /// the leading `DBR` may be missing.
  ///
  /// - Throws: ``ParseError`` when the text is not a code.
  public init(parsing text: some StringProtocol) throws(ParseError) {
    let symbols = try Self.symbols(in: text)
    guard symbols.count == Self.symbolCount else { throw .length(symbols.count) }
    guard SymbolCheck.holds(for: symbols) else { throw .check }
    payload = symbols.dropLast(SymbolCheck.count).reduce(0) { $0 << 5 | UInt128($1) }
  }

  /// The layout version: how the other bits are to be read.
  package var layout: UInt8 { Content.layout(of: payload) }

  /// What the code says; nil when a newer version of this program made it.
  package var content: Content? { Content(payload: payload) }

  static let symbolCount = payloadSymbolCount + SymbolCheck.count
  private static let payloadSymbolCount = 18
  private static let groupSize = 5
}

extension SupportCode: CustomStringConvertible, Codable {
  /// The code as it is shown: `DBR-` and four groups of five.
  public var description: String {
    var text = "DBR"
    for (index, symbol) in symbols.enumerated() {
      if index % Self.groupSize == 0 { text.append("-") }
      text.unicodeScalars.append(Unicode.Scalar(Self.alphabet[Int(symbol)]))
    }
    return text
  }

  /// Reads the code from its text.
  ///
  /// - Throws: `DecodingError` where there is no text, or it is no code.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      try self.init(parsing: container.decode(String.self))
    } catch let error as ParseError {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
    }
  }

  /// Writes the code as its text.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension SupportCode {
  /// Why a text is not a support code.
  public enum ParseError: Error, Hashable, Sendable {
    /// There are so many symbols, not 20.
    case length(Int)
    /// This is no symbol of a code; positions count from 1, without the `DBR`.
    case symbol(Character, position: Int)
    /// Length and symbols are right, but the check symbols do not fit the others.
    case check

    /// What is wrong: lower case, no full stop.
    public var message: String {
      switch self {
      case .length(let count):
        "a support code has \(symbolCount) symbols after DBR, this one has \(count)"
      case .symbol(let symbol, let position):
        "\(Self.shown(symbol)) cannot occur in a support code"
          + " (symbol \((position - 1) % groupSize + 1) of group \((position - 1) / groupSize + 1))"
      case .check:
        "the check symbols do not fit: at least one symbol is wrong, or two were exchanged"
      }
    }

    /// What to do next.
    public var advice: String { "ask the user to read it again, group by group" }

    /// A character for people; one that would disturb a terminal becomes its number.
    private static func shown(_ character: Character) -> String {
      if let ascii = character.asciiValue, (0x21...0x7E).contains(ascii) { return "'\(character)'" }
      let numbers = character.unicodeScalars.prefix(4).map { scalar in
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      }
      return "the character " + numbers.joined(separator: " ")
    }
  }

  /// All symbols, the check included, as numbers below 32.
  private var symbols: [UInt8] {
    let carried = (0..<Self.payloadSymbolCount).reversed().map { index in
      UInt8(truncatingIfNeeded: payload >> (5 * UInt128(index)) & 31)
    }
    return carried + SymbolCheck.symbols(for: carried)
  }

  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  private static func symbols(in text: some StringProtocol) throws(ParseError) -> [UInt8] {
    var characters = Array(text).filter { !isSeparator($0) }[...]
    // No code begins with D, so a leading DBR is never part of the twenty symbols:
    // the first three bits are the layout version, and D would be version 3, which
    // is never given away.
    if String(characters.prefix(3)).uppercased() == "DBR" { characters = characters.dropFirst(3) }
    var symbols: [UInt8] = []
    for character in characters {
      guard let symbol = symbol(of: character) else {
        throw .symbol(character, position: symbols.count + 1)
      }
      symbols.append(symbol)
    }
    return symbols
  }

  private static func symbol(of character: Character) -> UInt8? {
    guard var ascii = character.asciiValue else { return nil }
    if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ascii) { ascii -= 32 }
    switch ascii {
    case UInt8(ascii: "O"): return 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    default: return alphabet.firstIndex(of: ascii).map { UInt8($0) }
    }
  }

  /// Spaces of every kind, and what mail programs and word processors make of a dash.
  private static func isSeparator(_ character: Character) -> Bool {
    guard !character.isWhitespace, let scalar = character.unicodeScalars.first else { return true }
    return switch scalar.value {
    case 0x2D, 0xAD, 0x2010...0x2015, 0x2212, 0xFE58, 0xFE63, 0xFF0D: true
    default: false
    }
  }
}
