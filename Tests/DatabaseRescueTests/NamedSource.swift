// SPDX-License-Identifier: Apache-2.0
// The names that one file of the sources declares and uses, as far as its lines tell.
//
//   extension Survey {                     a scope: what lies deeper is of `Survey`
//     func isWhole(_ tree: Tree) -> Bool { declared: isWhole, of Survey; a value: tree, a Tree
//       tree.isSound && claims.isEmpty     used: isSound, of a Tree; claims, of Survey or of nobody
//
// `swift format` has set the lines: what belongs to a declaration lies deeper than it does.

import SQLiteFormat

/// The names that one file declares and uses.
struct NamedSource {
  /// A type, or a member of one.
  struct Declaration: Hashable {
    /// Its name; that of an initializer is its type with the first label, as in `Name(text`.
    let name: String
    /// The type that it is declared in; nil at the top of a file.
    let type: String?
    /// The folder of its file.
    let folder: String
    /// Whether it is declared in an extension.
    var isAdded = false
    /// Whether no value has it: it stands behind a type, or behind nothing but a dot.
    var isStatic = false
    /// Whether other files do not see it.
    var isPrivate = false
  }

  /// A name where it is used.
  struct Use: Hashable {
    /// What stands before it.
    enum Place: Hashable {
      /// No dot: what it names is of one of these types, in whose braces it stands, or of none.
      case within([String])
      /// The value or type of this name, as in `survey.trees`.
      case behind(String)
      /// A value without a name, as in `tokens[0].text`, or nothing but the dot.
      case behindOther
    }

    let name: String
    let place: Place
    /// Whether it is the name of a type, or that of an initializer.
    var isType: Bool { name.isOfType }
  }

  /// The folder that the file lies in.
  let folder: String
  private(set) var declarations: Set<Declaration> = []
  private(set) var uses: Set<Use> = []
  /// What values are, by their names, where the file says it: `survey: Survey`.
  private(set) var types: [String: Set<String>] = [:]
  /// The names of values in bodies, parameters and labels.
  private(set) var locals: Set<String> = []

  /// A type, an extension or a body.
  private struct Scope {
    /// How many spaces stand before the line that begins it.
    let depth: Int
    /// The type; nil of a body.
    let type: String?
    var isExtension = false
    var isPrivate = false
  }

  /// Reads a file.
  init(_ text: Bytes, in folder: String) {
    self.folder = folder
    var scopes: [Scope] = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let depth = line.prefix { $0 == UInt8(ascii: " ") }.count
      let rest = line.dropFirst(depth)
      if rest.isEmpty || rest.first == UInt8(ascii: "/") { continue }
      // A parenthesis ends the parameters of a declaration, and its body follows.
      if rest.first != UInt8(ascii: ")") { scopes.removeAll { $0.depth >= depth } }
      let words = Word.words(of: Bytes(rest))
      use(words, within: scopes.compactMap(\.type))
      declare(words, at: depth, in: &scopes)
    }
  }

  private static let typeWords: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
  private static let valueWords: Set = ["func", "var", "let", "case"]
  private static let bodyWords: Set = ["func", "var", "let", "init", "deinit", "subscript"]
  private static let allWords = typeWords.union(valueWords).union(bodyWords).union([
    "extension", "in",
  ])

  private mutating func declare(_ words: [Word], at depth: Int, in scopes: inout [Scope]) {
    guard words.contains(where: { Self.allWords.contains($0.name) }) else { return }
    let around = scopes.last
    let isPrivate =
      scopes.contains(where: \.isPrivate)
      || words.contains { $0.name.hasSuffix("private") && !$0.isCalled }
    func declaration(_ name: String, isStatic: Bool = false) -> Declaration {
      Declaration(
        name: name, type: scopes.last { $0.type != nil }?.type, folder: folder,
        isAdded: around?.isExtension ?? false, isStatic: isStatic, isPrivate: isPrivate)
    }
    for (keyword, word) in zip(words, words.dropFirst()) where keyword.before == nil {
      if keyword.name == "extension" {
        scopes.append(Scope(depth: depth, type: word.name, isExtension: true, isPrivate: isPrivate))
      } else if Self.typeWords.contains(keyword.name), word.name.isOfType {
        declarations.insert(declaration(word.name))
        scopes.append(Scope(depth: depth, type: word.name, isPrivate: isPrivate))
      } else if keyword.name == "init", keyword.isCalled, let type = around?.type {
        declarations.insert(declaration("\(type)(\(word.name)"))
      } else if Self.valueWords.contains(keyword.name), word.before == nil {
        if around?.type == nil {
          locals.insert(word.name)
        } else if keyword.name == "case" {
          // One line may have several; what stands in parentheses is no name of one.
          for word in words where word.before == nil && word.depth == 0 {
            declarations.insert(declaration(word.name, isStatic: true))
          }
        } else {
          let isStatic = words.contains { $0.name == "static" }
          declarations.insert(declaration(word.name, isStatic: isStatic))
        }
      }
    }
    if let end = words.firstIndex(where: { $0.name == "in" }), end > 0 {
      let start = words[..<end].lastIndex { !$0.isBehindComma } ?? 0
      locals.formUnion(words[start..<end].map(\.name))
    }
    if words.contains(where: { Self.bodyWords.contains($0.name) }) {
      scopes.append(Scope(depth: depth, type: nil))
    }
  }

  private mutating func use(_ words: [Word], within types: [String]) {
    var isDeclared = false
    for (word, next) in zip(words, words.dropFirst() + [Word()]) {
      defer { isDeclared = Self.valueWords.contains(word.name) }
      if word.isLabel {
        if next.isBehindColon, next.name.isOfType {
          self.types[word.name, default: []].insert(next.name)
        }
        if !isDeclared { locals.insert(word.name) }
      } else if let before = word.before {
        uses.insert(Use(name: word.name, place: before.isEmpty ? .behindOther : .behind(before)))
      } else if !isDeclared {
        uses.insert(Use(name: word.name, place: .within(types)))
        if word.name.isOfType, word.isCalled, next.isLabel {
          uses.insert(Use(name: "\(word.name)(\(next.name)", place: .within(types)))
        }
      }
    }
  }
}

/// A word of a line that is neither text nor comment.
private struct Word {
  var name = ""
  /// Where it ends.
  private var end = 0
  /// The name before the dot that stands before it; empty where there is only the dot, nil without.
  var before: String?
  /// In how many parentheses it stands.
  var depth = 0
  /// Whether a colon and a space stand before it.
  var isBehindColon = false
  /// Whether a comma and a space do.
  var isBehindComma = false
  /// Whether a colon follows.
  var isLabel = false
  /// Whether a parenthesis follows.
  var isCalled = false

  init() {}

  private init(_ range: Range<Int>, of line: Bytes, behind last: Word?) {
    name = String(decoding: line[range], as: UTF8.self)
    end = range.upperBound
    let gap = line[(last?.end ?? 0)..<range.lowerBound]
    depth =
      (last?.depth ?? 0) + gap.count { $0 == UInt8(ascii: "(") }
      - gap.count { $0 == UInt8(ascii: ")") }
    if gap.last == UInt8(ascii: ".") {
      let isDirect = gap.count == 1 || gap.count == 2 && gap.first == UInt8(ascii: "?")
      before = isDirect ? last?.name ?? "" : ""
    }
    isBehindColon = gap.count == 2 && gap.first == UInt8(ascii: ":")
    isBehindComma = gap.count == 2 && gap.first == UInt8(ascii: ",")
    isLabel = end < line.count && line[end] == UInt8(ascii: ":")
    // `init?(` is one as well.
    isCalled = line[end...].first { $0 != UInt8(ascii: "?") } == UInt8(ascii: "(")
  }

  static func words(of line: Bytes) -> [Word] {
    var words: [Word] = []
    var (start, end, isText) = (0, 0, false)
    while end < line.count {
      let byte = line[end]
      if isOfName(byte) {
        start = end
        repeat { end += 1 } while end < line.count && isOfName(line[end])
        if !isText {
          words.append(Word(start..<end, of: line, behind: words.last))
        }
      } else {
        if byte == UInt8(ascii: "\""), end == 0 || line[end - 1] != UInt8(ascii: "\\") {
          isText.toggle()
        }
        if byte == UInt8(ascii: "/"), end > 0, line[end - 1] == byte, !isText { break }
        end += 1
      }
    }
    return words
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
      || byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}

extension String {
  /// Whether it is a name as types have.
  var isOfType: Bool {
    utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? false
  }
}
