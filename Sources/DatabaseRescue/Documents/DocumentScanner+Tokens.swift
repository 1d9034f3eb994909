// SPDX-License-Identifier: Apache-2.0
// The smallest parts of a JSON5 text: blanks, strings, keys, numbers and words.

extension DocumentScanner {
  // MARK: Blanks

  /// Moves over white space and comments.
  mutating func skipBlank() throws(DocumentProblem) {
    while true {
      if let length = blankLength {
        cursor.advance(length)
      } else if cursor.isAt("//") {
        while let byte = cursor.byte, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
          cursor.advance()
        }
      } else if cursor.isAt("/*") {
        try skipComment()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(DocumentProblem) {
    let start = cursor.position
    cursor.advance(2)
    while !cursor.isAt("*/") {
      if cursor.isAtEnd {
        throw DocumentProblem("the comment that starts here is not closed", at: start)
      }
      cursor.advance()
    }
    cursor.advance(2)
  }

  /// The bytes of the white space character here; nil when there is none.
  private var blankLength: Int? {
    switch cursor.byte {
    case 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20: 1
    case 0xC2 where cursor.isAt("\u{A0}"): 2
    default: nil
    }
  }

  // MARK: Strings

  /// Reads a string in double or single quotes.
  mutating func string() throws(DocumentProblem) -> String {
    let start = cursor.position
    let quote = cursor.byte
    cursor.advance()
    var text: [UInt8] = []
    while cursor.byte != quote {
      switch cursor.byte {
      case nil, 0x0A, 0x0D:
        throw DocumentProblem(
          "the string that starts here is not closed on its line", at: start)
      case UInt8(ascii: "\\"):
        let place = cursor.position
        let bytes = try escape()
        if bytes == [0] { throw DocumentProblem("a NUL in a string", at: place) }
        text += bytes
      case .some(let byte) where byte < 0x20 || byte == 0x7F:
        throw problem("a control character in a string; write it as an escape such as \\u0009")
      case .some(let byte):
        text.append(byte)
        cursor.advance()
      }
    }
    cursor.advance()
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads what follows a backslash, and gives the bytes that it stands for.
  private mutating func escape() throws(DocumentProblem) -> [UInt8] {
    let start = cursor.position
    cursor.advance()
    let sign = cursor.byte
    switch sign {
    case UInt8(ascii: "u"):
      cursor.advance()
      return Array(String(try unicodeEscape(from: start)).utf8)
    case UInt8(ascii: "x"):
      cursor.advance()
      return Array(String(Unicode.Scalar(UInt8(try hexDigits(2, from: start)))).utf8)
    case 0x0A, 0x0D:
      // The line's end stays in the string, as Foundation has it.
      let start = cursor.offset
      cursor.advance(cursor.isAt("\r\n") ? 2 : 1)
      return Array(cursor.bytes[start..<cursor.offset])
    default:
      guard let sign, let byte = Self.escapes[sign] else {
        throw DocumentProblem("unknown escape in a string", at: start)
      }
      cursor.advance()
      return [byte]
    }
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): 0x22, UInt8(ascii: "'"): 0x27, UInt8(ascii: "\\"): 0x5C,
    UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    UInt8(ascii: "v"): 0x0B,
  ]

  /// Reads the digits of `\uXXXX`, and the second half of a surrogate pair.
  private mutating func unicodeEscape(
    from start: TextPosition
  ) throws(DocumentProblem) -> Unicode.Scalar {
    var value = try hexDigits(4, from: start)
    if 0xD800..<0xDC00 ~= value, cursor.isAt("\\u") {
      cursor.advance(2)
      let low = try hexDigits(4, from: start)
      guard 0xDC00..<0xE000 ~= low else {
        throw DocumentProblem("half of a surrogate pair in a string", at: start)
      }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw DocumentProblem("half of a surrogate pair in a string", at: start)
    }
    return scalar
  }

  private mutating func hexDigits(
    _ count: Int, from start: TextPosition
  ) throws(DocumentProblem) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let byte = cursor.byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw DocumentProblem(
          "an escape with fewer than \(count) hexadecimal digits", at: start)
      }
      value = value << 4 | UInt32(digit)
      cursor.advance()
    }
    return value
  }

  // MARK: Keys

  /// Reads a key, with or without quotes.
  mutating func key() throws(DocumentProblem) -> String {
    if cursor.byte == UInt8(ascii: "\"") || cursor.byte == UInt8(ascii: "'") {
      return try string()
    }
    let name = word()
    guard let first = name.utf8.first, !isDigit(first) else {
      throw problem("expected a key; a key of other characters than letters needs quotes")
    }
    return name
  }

  /// Reads letters, digits, `$` and `_`; empty when none are here.
  private mutating func word() -> String {
    let start = cursor.offset
    while let byte = cursor.byte, isLetter(byte) || isDigit(byte) { cursor.advance() }
    return cursor.text(from: start)
  }

  // MARK: Numbers and words

  /// Reads a number, `true`, `false` or `null`.
  mutating func scalar() throws(DocumentProblem) -> DocumentValue.Content {
    let start = cursor.position
    let isNegative = cursor.byte == UInt8(ascii: "-")
    let isSigned = isNegative || cursor.byte == UInt8(ascii: "+")
    if isSigned { cursor.advance() }
    guard let byte = cursor.byte else {
      throw DocumentProblem("the text ends where a value was expected", at: start)
    }
    if isDigit(byte) || byte == UInt8(ascii: ".") {
      guard let (number, isWhole) = number() else {
        throw DocumentProblem("not a number as JSON5 writes it", at: start)
      }
      return .number(number.map { isNegative ? -$0 : $0 }, isWhole: isWhole)
    }
    switch (isSigned, word()) {
    case (false, "true"): return .flag(true)
    case (false, "false"): return .flag(false)
    case (false, "null"): return .null
    case (_, "Infinity"): return .number(isNegative ? -.infinity : .infinity, isWhole: false)
    case (_, "NaN"): return .number(.nan, isWhole: false)
    case (_, ""): throw DocumentProblem("expected a value", at: start)
    case (_, let name):
      throw DocumentProblem(
        "expected a value, found \(name.quoted); a string needs quotes", at: start)
    }
  }

  /// Reads an unsigned number, nil where it is out of range, and whether it is a whole one of
  /// 64 bits; nil when it is none.
  private mutating func number() -> (Double?, isWhole: Bool)? {
    if cursor.isAt("0x") || cursor.isAt("0X") {
      cursor.advance(2)
      let digits = word()
      guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit) else { return nil }
      let number = Int64(digits, radix: 16)
      return (number.flatMap { Double(exactly: $0) }, number != nil)
    }
    let start = cursor.offset
    let leadingZero = cursor.byte == UInt8(ascii: "0")
    let whole = digits()
    var isWhole = Int64(cursor.text(from: start)) != nil
    var fraction = 0
    if cursor.byte == UInt8(ascii: ".") {
      isWhole = false
      cursor.advance()
      fraction = digits()
    }
    guard whole + fraction > 0, !leadingZero || whole == 1 else { return nil }
    let isZero = cursor.text(from: start).allSatisfy { $0 == "0" || $0 == "." }
    if let byte = cursor.byte, byte | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      cursor.advance()
      if cursor.byte == UInt8(ascii: "+") || cursor.byte == UInt8(ascii: "-") { cursor.advance() }
      guard digits() > 0 else { return nil }
    }
    let number = Double(cursor.text(from: start)).flatMap {
      $0.isFinite && $0.isZero == isZero ? $0 : nil
    }
    return word().isEmpty ? (number, isWhole) : nil
  }

  /// Moves over digits and counts them.
  private mutating func digits() -> Int {
    var count = 0
    while let byte = cursor.byte, isDigit(byte) {
      cursor.advance()
      count += 1
    }
    return count
  }
}

private func isDigit(_ byte: UInt8) -> Bool {
  UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
}

private func isLetter(_ byte: UInt8) -> Bool {
  UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 && byte & 0x40 != 0
    || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
}
