// SPDX-License-Identifier: Apache-2.0
// Which kinds of value a column may hold, by its declaration.

/// Storage classes: which of the five kinds of value a column may hold.
///
/// "Datatypes in SQLite", section 2, and "STRICT Tables", section 2.
package struct StorageClasses: OptionSet, Hashable, Sendable {
  /// One bit for each class.
  package let rawValue: UInt8

  /// Makes a set of its bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// NULL.
  package static let null = StorageClasses(rawValue: 1)
  /// Integers.
  package static let integer = StorageClasses(rawValue: 2)
  /// Reals.
  package static let real = StorageClasses(rawValue: 4)
  /// Text.
  package static let text = StorageClasses(rawValue: 8)
  /// Blobs.
  package static let blob = StorageClasses(rawValue: 16)
  /// Numbers, of both kinds.
  package static let numbers: StorageClasses = [.integer, .real]
  /// All of them.
  package static let all = StorageClasses(rawValue: 31)

  /// The class of a value by its serial type.
  @inline(__always)
  init(serialType: Int) {
    self =
      switch serialType {
      case 1...6, 8, 9: .integer
      case 7: .real
      case 12...: serialType % 2 == 0 ? .blob : .text
      default: .null
      }
  }

  /// The classes that a column holds; integers in REAL columns are stored short.
  package init(_ affinity: Affinity, declaredType: String, strict: Bool, notNull: Bool) {
    var classes = StorageClasses.all
    if strict {
      classes =
        switch Name(declaredType) {
        case "INT", "INTEGER": [.null, .integer]
        case "REAL": [.null, .integer, .real]
        case "TEXT": [.null, .text]
        case "BLOB": [.null, .blob]
        default: .all
        }
    } else if affinity == .text {
      classes.subtract(.numbers)
    }
    if notNull { classes.remove(.null) }
    self = classes
  }
}

extension Value {
  /// The class of the value.
  var storageClass: StorageClasses {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether a text is a number to SQLite, which a column that prefers numbers keeps as one.
  func isNumber(_ range: Range<Int>, encoding: TextEncoding) -> Bool {
    var number = NumberText()
    switch encoding {
    case .utf8:
      for index in range where !number.accepts(self[index]) { return false }
    case .utf16le, .utf16be:
      guard range.count % 2 == 0 else { return false }
      let low = encoding == .utf16le ? 0 : 1
      for index in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
        guard self[index + 1 - low] == 0, number.accepts(self[index + low]) else { return false }
      }
    }
    return number.isWhole
  }
}

/// The text of a number, character by character: space, sign, digits, point, digits, exponent, space.
private struct NumberText {
  private enum Part {
    case start, sign, digits, point, fraction, exponent, exponentSign, power, end
  }

  private var part = Part.start
  private var hasDigits = false

  /// Whether a number can end here.
  var isWhole: Bool {
    switch part {
    case .start, .sign, .exponent, .exponentSign: false
    case .digits, .point, .fraction, .power, .end: hasDigits
    }
  }

  /// Whether a number can go on with a character.
  mutating func accepts(_ byte: UInt8) -> Bool {
    switch (byte, part) {
    case (0x30...0x39, .start), (0x30...0x39, .sign), (0x30...0x39, .digits): part = .digits
    case (0x30...0x39, .point), (0x30...0x39, .fraction): part = .fraction
    case (0x30...0x39, .exponent), (0x30...0x39, .exponentSign), (0x30...0x39, .power):
      part = .power
    case (0x2B, .start), (0x2D, .start): part = .sign
    case (0x2B, .exponent), (0x2D, .exponent): part = .exponentSign
    case (0x2E, .start), (0x2E, .sign), (0x2E, .digits): part = .point
    case (0x45, _) where isWhole && part != .end && part != .power,
      (0x65, _) where isWhole && part != .end && part != .power:
      part = .exponent
    case (0x09...0x0D, .start), (0x20, .start): break
    case (0x09...0x0D, _) where isWhole, (0x20, _) where isWhole: part = .end
    default: return false
    }
    if part == .digits || part == .fraction { hasDigits = true }
    return true
  }
}
