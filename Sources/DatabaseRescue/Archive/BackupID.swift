// SPDX-License-Identifier: Apache-2.0
// The short random name of one backup run, which its files and members all carry.

/// The name of one backup: eight Crockford base-32 symbols.
package struct BackupID: Hashable, Sendable, CustomStringConvertible {
  /// The symbols, without I, L, O and U.
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  /// The number of symbols.
  static let symbolCount = 8

  /// The symbols, in ASCII.
  let symbols: [UInt8]

  /// Makes a name of the low 40 of 64 random bits.
  package init(random bits: UInt64) {
    symbols = (0..<Self.symbolCount).map { Self.alphabet[Int(bits >> UInt64($0 * 5) & 31)] }
  }

  /// Makes a name of exactly these symbols; nil when they are not eight of the alphabet.
  init?(symbols: some Collection<UInt8>) {
    guard symbols.count == Self.symbolCount, symbols.allSatisfy(Self.alphabet.contains) else {
      return nil
    }
    self.symbols = Array(symbols)
  }

  /// Reads a name as people write it: case and the look-alikes I, L and O are forgiven.
  package init?(_ text: String) {
    let symbols = text.uppercased().utf8.map { symbol in
      switch symbol {
      case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
      case UInt8(ascii: "O"): UInt8(ascii: "0")
      default: symbol
      }
    }
    self.init(symbols: symbols)
  }

  /// The eight symbols.
  package var description: String { String(decoding: symbols, as: UTF8.self) }
}

extension BackupID: Codable {
  /// Reads the eight symbols.
  ///
  /// - Throws: `DecodingError` when the text is not that.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = BackupID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a backup id")
    }
    self = id
  }

  /// Writes the eight symbols.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
