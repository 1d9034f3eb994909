// SPDX-License-Identifier: Apache-2.0
// One pass over the text of a JSON5 document: whether it is well formed, and where what is.

import SQLiteFormat

/// One pass over a JSON5 text, which gives its values with their positions, and finds problems.
///
/// JSON5 is JSON with comments, trailing commas, unquoted keys, single quotes,
/// hexadecimal numbers, a leading `+` and a bare decimal point. Stricter than the
/// standard where leniency hides mistakes: unquoted keys are ASCII, an escape
/// stands for something, and there is no NUL. Depth, size and the number of problems are bounded.
struct DocumentScanner {
  /// How deep lists and objects may nest.
  static let depthMax = 64
  /// How large a document may be.
  static let byteCountMax = 8 << 20
  /// How many problems are listed.
  static let problemsMax = 100

  var cursor: TextCursor

  private var problems: [DocumentProblem] = []
  private var depth = 0

  private init(_ bytes: Bytes) { cursor = TextCursor(bytes) }

  /// Reads a document: its value, nil where it is not well formed, and everything that is wrong with
  /// it, in the order of the text; after a syntax error, nothing further is looked at.
  static func scan(
    _ bytes: Bytes, shape: DocumentShape
  ) -> (value: DocumentValue?, problems: [DocumentProblem]) {
    if let problem = encodingProblem(bytes) { return (nil, [problem]) }
    var scanner = DocumentScanner(bytes)
    var value: DocumentValue?
    do throws(DocumentProblem) {
      value = try scanner.document(shape)
    } catch {
      if scanner.problems.count < problemsMax { scanner.problems.append(error) }
    }
    return (value, scanner.problems.sorted { $0.position < $1.position })
  }

  /// What makes the bytes no text that can be scanned.
  private static func encodingProblem(_ bytes: Bytes) -> DocumentProblem? {
    guard bytes.count <= byteCountMax else {
      return DocumentProblem("the document is larger than \(byteCountMax >> 20) MiB", at: .start)
    }
    let repaired = String(decoding: bytes, as: UTF8.self).utf8
    let different = zip(repaired, bytes).enumerated().first { $0.element.0 != $0.element.1 }
    guard different != nil || repaired.count != bytes.count else { return nil }
    let wrong = different?.offset ?? bytes.count
    var cursor = TextCursor(bytes)
    while cursor.offset < wrong { cursor.advance() }
    return DocumentProblem("the text is not valid UTF-8", at: cursor.position)
  }

  private mutating func document(
    _ shape: DocumentShape
  ) throws(DocumentProblem) -> DocumentValue {
    try skipBlank()
    let value = try value(shape, mayBeNull: false)
    try skipBlank()
    guard cursor.isAtEnd else {
      throw problem("text after the end of the document")
    }
    return value
  }

  // MARK: Values

  private mutating func value(
    _ shape: DocumentShape, mayBeNull: Bool
  ) throws(DocumentProblem) -> DocumentValue {
    let start = cursor.position
    let content: DocumentValue.Content
    switch cursor.byte {
    case UInt8(ascii: "{"):
      check(.object([:]), shape, mayBeNull, start)
      content = .object(try object(shape))
    case UInt8(ascii: "["):
      check(.list([]), shape, mayBeNull, start)
      content = .list(try list(shape))
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      check(.text(""), shape, mayBeNull, start)
      let text = try string()
      if case .words(let words) = shape, !words.contains(text) {
        let hint = NearestWord.hint(for: text, in: words)
        report(
          hint.isEmpty
            ? "expected \(shape.expectation), found \(text.quoted)"
            : "unknown word \(text.quoted)\(hint)",
          at: start)
      }
      content = .text(text)
    default:
      content = try scalar()
      check(content, shape, mayBeNull, start)
    }
    return DocumentValue(content: content, position: start)
  }

  private mutating func check(
    _ content: DocumentValue.Content, _ shape: DocumentShape, _ mayBeNull: Bool,
    _ start: TextPosition
  ) {
    if shape.accepts(content) { return }
    if case .null = content, mayBeNull { return }
    report("expected \(shape.expectation), found \(content.name)", at: start)
  }

  private mutating func object(
    _ shape: DocumentShape
  ) throws(DocumentProblem) -> [String: DocumentValue] {
    let start = cursor.position
    var members: [String: DocumentValue] = [:]
    try items(of: "object", until: UInt8(ascii: "}")) { scanner throws(DocumentProblem) in
      let (key, value) = try scanner.member(of: shape, besides: members)
      members[key] = members[key] ?? value
    }
    if case .object(_, let required) = shape {
      for key in required.subtracting(members.keys).sorted() {
        report("the key \(key.quoted) is missing", at: start)
      }
    }
    return members
  }

  /// Reads a key and its value, and reports a key that is unknown or stands there twice.
  private mutating func member(
    of shape: DocumentShape, besides members: [String: DocumentValue]
  ) throws(DocumentProblem) -> (key: String, value: DocumentValue) {
    let start = cursor.position
    let key = try self.key()
    if members[key] != nil { report("duplicate key \(key.quoted)", at: start) }
    var (element, isRequired) = (DocumentShape.anything, false)
    switch shape {
    case .map(let shape): (element, isRequired) = (shape, true)
    case .object(let known, let required):
      (element, isRequired) = (known[key] ?? .anything, required.contains(key))
      if known[key] == nil {
        let hint = NearestWord.hint(for: key, in: known.keys)
        report("unknown key \(key.quoted)\(hint)", at: start)
      }
    default: break
    }
    try skipBlank()
    guard cursor.byte == UInt8(ascii: ":") else {
      throw problem("expected ':' after the key \(key.quoted)")
    }
    cursor.advance()
    try skipBlank()
    return (key, try value(element, mayBeNull: !isRequired))
  }

  private mutating func list(_ shape: DocumentShape) throws(DocumentProblem) -> [DocumentValue] {
    var elements: [DocumentValue] = []
    try items(of: "list", until: UInt8(ascii: "]")) { scanner throws(DocumentProblem) in
      elements.append(try scanner.value(shape.element, mayBeNull: false))
    }
    return elements
  }

  /// Reads what stands between two brackets: items, with a comma after each but the last, which
  /// may have one.
  private mutating func items(
    of what: String, until bracket: UInt8,
    _ item: (inout DocumentScanner) throws(DocumentProblem) -> Void
  ) throws(DocumentProblem) {
    let start = cursor.position
    guard depth < Self.depthMax else {
      throw problem("lists and objects nest deeper than \(Self.depthMax)")
    }
    depth += 1
    cursor.advance()
    try skipBlank()
    while cursor.byte != bracket {
      if cursor.isAtEnd {
        throw DocumentProblem("the \(what) that starts here is not closed", at: start)
      }
      try item(&self)
      try skipBlank()
      if cursor.byte == UInt8(ascii: ",") {
        cursor.advance()
        try skipBlank()
      } else if cursor.byte != bracket, !cursor.isAtEnd {
        throw problem("expected ',' or '\(Character(Unicode.Scalar(bracket)))'")
      }
    }
    cursor.advance()
    depth -= 1
  }

  // MARK: What is found

  /// Lists a problem, up to a number of problems.
  private mutating func report(_ message: String, at place: TextPosition) {
    guard problems.count < Self.problemsMax else { return }
    let isLast = problems.count == Self.problemsMax - 1
    problems.append(
      DocumentProblem(message + (isLast ? "; further problems are not listed" : ""), at: place))
  }

  /// A problem at this place.
  func problem(_ message: String) -> DocumentProblem {
    DocumentProblem(message, at: cursor.position)
  }
}
