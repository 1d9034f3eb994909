// SPDX-License-Identifier: Apache-2.0
// The scanner of JSON5 documents: what it accepts, what it refuses, and where.

import Foundation
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct `A document scanner` {
  private static let shape = DocumentShape.object(
    [
      "title": .text, "steps": .list(.object(["id": .text, "count": .integer], required: ["id"])),
      "mode": .words(["fast", "full"]), "ratio": .number, "on": .flag, "extra": .anything,
      "names": .map(.text),
    ], required: ["title"])

  private func problems(_ text: String) -> [String] {
    DocumentReader.problems(in: Bytes(text.utf8), shape: Self.shape)
      .map { $0.description(in: "f") }
  }

  @Test(arguments: [
    "{title:'a'}", "{\"title\": \"a\",}",
    "// c\n{ /* c\n*/ title: 'it\\'s', steps: [{id: 'x',},], }",
    "\u{FEFF}{title: 'a'}", "{title:'a', ratio: +.5e-3, steps:[{id:'a',count:-0x1F}]}",
    "{title:'a', ratio: -Infinity}", "{title: 'line \\\n continued \\x41 \\u00e9 \\uD83D\\uDE00'}",
    "{title:'a', steps: null, extra: {$a_1: [null, 1.]}, names: {'any key': 'b'}}",
    "{'ti\\u0074le': 'a'}",
    "{title:'a', mode:'full', on:false}\n\n// end",
  ])
  func `a document as JSON5 allows it has no problems`(text: String) {
    #expect(problems(text) == [])
  }

  @Test(arguments: [
    ("", "f:1:1: the text ends where a value was expected"),
    ("{title: 'a'", "f:1:1: the object that starts here is not closed"),
    ("{title: 'a'} x", "f:1:14: text after the end of the document"),
    ("{title: 'a' 'b'}", "f:1:13: expected ',' or '}'"),
    ("{title 'a'}", "f:1:8: expected ':' after the key 'title'"),
    ("{title: 'a\n'}", "f:1:9: the string that starts here is not closed on its line"),
    (
      "{title: 'a', é: 1}",
      "f:1:14: expected a key; a key of other characters than letters needs quotes"
    ),
    ("{title: 'é', \n  ratio: 01}", "f:2:10: not a number as JSON5 writes it"),
    ("{title: 'a', ratio: 0x}", "f:1:21: not a number as JSON5 writes it"),
    ("{title: 'a', ratio: 1e}", "f:1:21: not a number as JSON5 writes it"),
    ("{title: 'a', ratio: .}", "f:1:21: not a number as JSON5 writes it"),
    ("{title: yes}", "f:1:9: expected a value, found 'yes'; a string needs quotes"),
    ("{title: 'a', on: +true}", "f:1:18: expected a value, found 'true'; a string needs quotes"),
    ("{title: '\\q'}", "f:1:10: unknown escape in a string"),
    ("{title: '\\x00'}", "f:1:10: a NUL in a string"),
    ("{title: '\\u0000'}", "f:1:10: a NUL in a string"),
    ("{title: '\\0'}", "f:1:10: unknown escape in a string"),
    (
      "{title: 'a', steps: [{id: 'a', count: 9223372036854775808}]}",
      "f:1:39: expected a whole number of 64 bits, found a number"
    ),
    ("{title: '\\u12'}", "f:1:10: an escape with fewer than 4 hexadecimal digits"),
    ("{title: '\\uD800x'}", "f:1:10: half of a surrogate pair in a string"),
    (
      "{title: 'a\tb'}",
      "f:1:11: a control character in a string; write it as an escape such as \\u0009"
    ),
    ("{title: 'a'}\r\n/* open", "f:2:1: the comment that starts here is not closed"),
    ("{,}", "f:1:2: expected a key; a key of other characters than letters needs quotes"),
    ("{title: 'a', steps: [,]}", "f:1:22: expected a value"),
  ])
  func `a syntax error is reported at its place`(text: String, problem: String) {
    #expect(problems(text).last == problem)
  }

  @Test func `unknown, duplicate and missing keys and wrong kinds are all listed in order`() {
    let text = """
      {
        titel: "a",
        steps: [
          { id: 1, id: "b" },
          { cuont: 1.5, count: 1.5 },
          null,
        ],
        mode: "ful",
        on: 1,
        names: { a: 1, 'a': 'x' },
      }
      """
    #expect(
      problems(text) == [
        "f:1:1: the key 'title' is missing",
        "f:2:3: unknown key 'titel'; did you mean 'title'?",
        "f:4:11: expected a string, found a number",
        "f:4:14: duplicate key 'id'",
        "f:5:5: the key 'id' is missing",
        "f:5:7: unknown key 'cuont'; did you mean 'count'?",
        "f:5:26: expected a whole number of 64 bits, found a number",
        "f:6:5: expected an object, found null",
        "f:8:9: unknown word 'ful'; did you mean 'full'?",
        "f:9:7: expected true or false, found a number",
        "f:10:15: expected a string, found a number",
        "f:10:18: duplicate key 'a'",
      ])
  }

  @Test func `keys are compared as they are meant, not as they are written`() {
    #expect(problems("{title: 'a', 'titl\\u0065': 'b'}") == ["f:1:14: duplicate key 'title'"])
  }

  @Test func `a hostile key is quoted so that a terminal can show it`() {
    let key = "\u{1B}[31m" + String(repeating: "x", count: 500)
    let shown = problems("{title: 'a', '\\u001b[31m\(key.dropFirst(5))': 1}")
    #expect(shown.count == 1)
    #expect(shown[0].hasPrefix("f:1:14: unknown key '\\u{1b}[31mx"))
    #expect(shown[0].utf8.count < 150)
  }

  @Test(arguments: ["[", "{a:", "[{a:"])
  func `deep nesting is refused`(open: String) {
    let text = "{title: 'a', extra: " + String(repeating: open, count: 200_000)
    let found = problems(text)
    #expect(found.count == 1)
    #expect(found[0].contains("nest deeper than 64"))
  }

  @Test func `bytes that are no text are refused at their place`() {
    let bytes = Bytes("{title: 'é',\n 'x".utf8) + [0xFF] + Bytes("': 1}".utf8)
    let found = DocumentReader.problems(in: bytes, shape: .anything)
    #expect(found.map { $0.description(in: "f") } == ["f:2:4: the text is not valid UTF-8"])
    let cut = DocumentReader.problems(in: Bytes("'a".utf8) + [0xEF, 0xBF], shape: .anything)
    #expect(cut.map(\.message) == ["the text is not valid UTF-8"])
  }

  @Test func `a document too large, and one with too many problems, are cut off`() {
    let large = Bytes(repeating: 0x20, count: DocumentScanner.byteCountMax + 1)
    #expect(
      DocumentReader.problems(in: large, shape: .anything).map(\.message)
        == ["the document is larger than 8 MiB"])
    let many = "{" + String(repeating: "a:1,", count: 10_000) + "}"
    let found = DocumentReader.problems(in: Bytes(many.utf8), shape: .anything)
    #expect(found.count == DocumentScanner.problemsMax)
    #expect(found.last?.message == "duplicate key 'a'; further problems are not listed")
  }

  @Test func `one very long line takes no longer than many`() {
    let long = "[" + String(repeating: "1,", count: 500_000) + "]"
    let (problems, effort) = measured {
      DocumentReader.problems(in: Bytes(long.utf8), shape: .anything)
    }
    #expect(problems == [])
    #expect(effort < .seconds(20))
  }

  @Test func `a value is found by its path, and its nearest ancestor where it is missing`() throws {
    let bytes = Bytes("{title: 'a',\n steps: [{id: 'x'},\n  {id:\n 'y'}]}".utf8)
    let document = try #require(DocumentScanner.scan(bytes, shape: .anything).value)
    func at(_ path: [PathKey]) -> String {
      document.position(of: path.map { $0 as any CodingKey }).description
    }
    #expect(at([]) == "1:1")
    #expect(at(["steps"]) == "2:9")
    #expect(at(["steps", 1]) == "3:3")
    #expect(at(["steps", 1, "id"]) == "4:2")
    #expect(at(["steps", 1, "when"]) == "3:3")
    #expect(at(["steps", 7]) == "2:9")
  }

  @Test func `what the scanner accepts, the decoder accepts`() throws {
    let seed = ProcessInfo.processInfo.environment["DBRESCUE_SEED"].flatMap { UInt64($0) } ?? 1
    var random = SplitMix(state: seed)
    let start = Array(
      """
      {title: 'a\\u0041\\n', "steps": [{id: "x", count: 0x1F}, -1.5e3, +2, .5, 5., true, null,],
       /* c */ 'é': Infinity, // d
      }
      """.utf8)
    let alphabet = Array("{}[]:,'\"\\/*+-.0123456789eExXaunltrfsINy_$ \n\té".utf8)
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = start
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        default: bytes.remove(at: place)
        }
      }
      let (document, problems) = DocumentScanner.scan(Bytes(bytes), shape: .anything)
      guard problems.isEmpty else { continue }
      accepted += 1
      let decoder = JSONDecoder()
      decoder.allowsJSON5 = true
      #expect(throws: Never.self, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))") {
        let decoded = try decoder.decode(Anything.self, from: Data(bytes))
        #expect(document.map { Anything($0) } == decoded)
      }
    }
    #expect(accepted > 1000)
  }
}

extension DocumentReader {
  /// Everything that is wrong with a document, in the order of the text.
  fileprivate static func problems(in bytes: Bytes, shape: DocumentShape) -> [DocumentProblem] {
    DocumentScanner.scan(bytes, shape: shape).problems
  }
}

/// A step of the way to a value, as a decoder tells it.
private struct PathKey: CodingKey, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  let stringValue: String
  var intValue: Int?

  init(stringLiteral key: String) { stringValue = key }
  init(integerLiteral index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// Any document, by the scanner or by the decoder.
private indirect enum Anything: Decodable, Equatable {
  case object([String: Anything])
  case list([Anything])
  case text(String)
  case number(UInt64)
  case flag(Bool)
  case null

  init(_ value: DocumentValue) {
    self =
      switch value.content {
      case .object(let members): .object(members.mapValues { Anything($0) })
      case .list(let elements): .list(elements.map { Anything($0) })
      case .text(let text): .text(text)
      case .number(let number, _): .number((number ?? 0).bitPattern)
      case .flag(let flag): .flag(flag)
      case .null: .null
      }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      self = .object(
        try container.allKeys.reduce(into: [:]) {
          $0[$1.stringValue] = try container.decode(Anything.self, forKey: $1)
        })
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [Anything] = []
      while !list.isAtEnd { elements.append(try list.decode(Anything.self)) }
      self = .list(elements)
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let flag = try? value.decode(Bool.self) {
        self = .flag(flag)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else {
        self = .number(try value.decode(Double.self).bitPattern)
      }
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// A small generator that a printed seed repeats.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
