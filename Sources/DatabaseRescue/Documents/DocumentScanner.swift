// SPDX-License-Identifier: Apache-2.0
// One pass over the text of a JSON5 document: whether it is well formed, and where what is.

import SQLiteFormat

/// One pass over a JSON5 text, which finds problems and gives positions, and decodes nothing.
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
  /// How many problems are listed; the scan stops there.
  static let problemsMax = 100

  var cursor: TextCursor
  private(set) var problems: [DocumentProblem] = []

  private var depth = 0
  private let target: DocumentPath?
  private var path = DocumentPath()
  private var found: (length: Int, position: TextPosition) = (-1, .start)

  private init(_ bytes: Bytes, target: DocumentPath?) {
    cursor = TextCursor(bytes)
    self.target = target
  }

  /// Everything that is wrong with a document; after a syntax error, nothing further is looked at.
  static func problems(in bytes: Bytes, shape: DocumentShape) -> [DocumentProblem] {
    if let problem = encodingProblem(bytes) { return [problem] }
    var scanner = DocumentScanner(bytes, target: nil)
    do throws(DocumentProblem) {
      try scanner.document(shape)
    } catch {
      scanner.problems.append(error)
    }
    return scanner.problems
  }

  /// Whether the text is JSON5 at all, whatever its keys and values.
  static func isWellFormed(_ bytes: Bytes) -> Bool {
    var scanner = DocumentScanner(bytes, target: nil)
    return encodingProblem(bytes) == nil && (try? scanner.document(.anything)) != nil
  }

  /// Where a value stands; where there is none, the nearest value above it.
  ///
  /// The text is scanned anew: positions are wanted when something is wrong, and
  /// a table of them all would be larger than the document.
  static func position(of path: DocumentPath, in bytes: Bytes) -> TextPosition {
    var scanner = DocumentScanner(bytes, target: path)
    // The syntax was judged before; what a text that is not well formed has, is found all the same.
    try? scanner.document(.anything)
    return scanner.found.position
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

  private mutating func document(_ shape: DocumentShape) throws(DocumentProblem) {
    try skipBlank()
    try value(shape, mayBeNull: false)
    try skipBlank()
    guard cursor.isAtEnd else {
      throw problem("text after the end of the document")
    }
  }

  // MARK: Values

  private mutating func value(_ shape: DocumentShape, mayBeNull: Bool) throws(DocumentProblem) {
    noteIfTarget()
    let start = cursor
    switch cursor.byte {
    case UInt8(ascii: "{"):
      try check(.object, shape, mayBeNull, start)
      try object(shape)
    case UInt8(ascii: "["):
      try check(.list, shape, mayBeNull, start)
      try list(shape)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      try check(.text, shape, mayBeNull, start)
      let text = try string()
      if case .words(let words) = shape, !words.contains(text) {
        let hint = NearestWord.hint(for: text, in: words)
        try report(
          hint.isEmpty
            ? "expected \(shape.expectation), found \(text.quoted)"
            : "unknown word \(text.quoted)\(hint)",
          at: start)
      }
    default: try check(try scalar(), shape, mayBeNull, start)
    }
  }

  private mutating func check(
    _ kind: DocumentValueKind, _ shape: DocumentShape, _ mayBeNull: Bool, _ start: TextCursor
  ) throws(DocumentProblem) {
    if shape.accepts(kind) || kind == .null && mayBeNull { return }
    try report("expected \(shape.expectation), found \(kind.name)", at: start)
  }

  private mutating func object(_ shape: DocumentShape) throws(DocumentProblem) {
    let start = cursor
    try enter()
    var seen: Set<String> = []
    while try !closes(UInt8(ascii: "}"), of: "object", openedAt: start) {
      let keyStart = cursor
      let key = try self.key()
      if !seen.insert(key).inserted {
        try report("duplicate key \(key.quoted)", at: keyStart)
      }
      let member = try self.member(key, of: shape, at: keyStart)
      try skipBlank()
      guard cursor.byte == UInt8(ascii: ":") else {
        throw problem("expected ':' after the key \(key.quoted)")
      }
      cursor.advance()
      try skipBlank()
      path.components.append(.key(key))
      try value(member.shape, mayBeNull: !member.isRequired)
      path.components.removeLast()
      try separator(before: UInt8(ascii: "}"), of: "object", openedAt: start)
    }
    if case .object(_, let required) = shape {
      for key in required.subtracting(seen).sorted() {
        try report("the key \(key.quoted) is missing", at: start)
      }
    }
  }

  /// The shape of the value of a key, and whether it must be there; reports a key that is unknown.
  private mutating func member(
    _ key: String, of shape: DocumentShape, at place: TextCursor
  ) throws(DocumentProblem) -> (shape: DocumentShape, isRequired: Bool) {
    switch shape {
    case .map(let shape): return (shape, true)
    case .object(let members, let required):
      guard let shape = members[key] else {
        let hint = NearestWord.hint(for: key, in: members.keys)
        try report("unknown key \(key.quoted)\(hint)", at: place)
        return (.anything, false)
      }
      return (shape, required.contains(key))
    default: return (.anything, false)
    }
  }

  private mutating func list(_ shape: DocumentShape) throws(DocumentProblem) {
    let start = cursor
    try enter()
    var index = 0
    while try !closes(UInt8(ascii: "]"), of: "list", openedAt: start) {
      path.components.append(.index(index))
      try value(shape.element, mayBeNull: false)
      path.components.removeLast()
      try separator(before: UInt8(ascii: "]"), of: "list", openedAt: start)
      index += 1
    }
  }

  /// Moves over an opening bracket.
  private mutating func enter() throws(DocumentProblem) {
    guard depth < Self.depthMax else {
      throw problem("lists and objects nest deeper than \(Self.depthMax)")
    }
    depth += 1
    cursor.advance()
  }

  /// Whether the closing bracket comes next; moves over it.
  private mutating func closes(
    _ bracket: UInt8, of what: String, openedAt start: TextCursor
  ) throws(DocumentProblem) -> Bool {
    try skipBlank()
    if cursor.isAtEnd {
      throw DocumentProblem("the \(what) that starts here is not closed", at: start.position)
    }
    guard cursor.byte == bracket else { return false }
    cursor.advance()
    depth -= 1
    return true
  }

  /// Moves over a comma, which only a closing bracket can replace.
  private mutating func separator(
    before bracket: UInt8, of what: String, openedAt start: TextCursor
  ) throws(DocumentProblem) {
    try skipBlank()
    if cursor.byte == UInt8(ascii: ",") {
      cursor.advance()
    } else if cursor.byte != bracket, !cursor.isAtEnd {
      throw problem("expected ',' or '\(Character(Unicode.Scalar(bracket)))'")
    }
  }

  // MARK: What is found

  private mutating func noteIfTarget() {
    guard let target, path.components.count > found.length,
      target.components.starts(with: path.components)
    else { return }
    found = (path.components.count, cursor.position)
  }

  /// Lists a problem and goes on, up to a number of problems.
  private mutating func report(
    _ message: String, at place: TextCursor
  ) throws(DocumentProblem) {
    guard problems.count < Self.problemsMax - 1 else {
      throw DocumentProblem("\(message); further problems are not listed", at: place.position)
    }
    problems.append(DocumentProblem(message, at: place.position))
  }

  /// A problem at this place.
  func problem(_ message: String) -> DocumentProblem {
    DocumentProblem(message, at: cursor.position)
  }
}
