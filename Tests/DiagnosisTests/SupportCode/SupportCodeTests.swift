// SPDX-License-Identifier: Apache-2.0
// Support codes: their layout never changes, and what was misheard is never accepted.

import Testing

@testable import Diagnosis

@Suite struct SupportCodeTests {
  typealias Content = SupportCode.Content

  /// Codes that were worked out by another program from the layout table; they never change.
  struct Vector: Sendable, CustomTestStringConvertible {
    let text: String
    let content: Content
    let random: UInt64
    var testDescription: String { text }
  }

  static let vectors = [
    Vector(
      text: "DBR-870J0-007ZW-00000-000G1",
      content: Content(
        operation: .check, stage: .done, outcome: .succeeded, day: 0, verdict: .healthy),
      random: 0),
    Vector(
      text: "DBR-931CS-04G54-ARDAN-F6Y6J",
      content: Content(
        operation: .salvage, stage: .done, outcome: .succeededWithLoss, day: 688,
        verdict: .damagedLossy, finding: .rowsLost, framework: .room, relation: .older,
        found: 41, expected: 42, hasWAL: true, unsynced: .some(3), hasVerifiedBackup: true,
        rowsLost: true),
      random: 0x2ABCDE),
    Vector(
      text: "DBR-ATMF8-CEFZV-ZZZZZ-ZZZQY",
      content: Content(
        operation: .playbook, stage: .install, outcome: .interrupted, day: 1_000_000,
        verdict: .unreadable, finding: .unsyncedUnknown, framework: .anki, relation: .newer,
        found: 20_240_101, expected: 2045, hasWAL: true, unsynced: .cannotTell,
        hasVerifiedBackup: true, restored: true, rowsLost: true, unattended: true
      ).of(operation: 22),
      random: .max),
    Vector(
      text: "DBR-531CS-060MG-RRNGT-PNWK2",
      content: Content(
        operation: .salvage, stage: .done, outcome: .succeededWithLoss, day: 688,
        verdict: .damagedLossy, finding: .rowsLost, framework: .room, relation: .older,
        found: 41, expected: 99, hasWAL: true, unsynced: .some(3), hasVerifiedBackup: true,
        rowsLost: true),
      random: 0x1ABC),
  ]

  /// Codes that were given out before layout 2.
  static let layout1Vectors = [
    Vector(
      text: "DBR-470J0-00ZZZ-ZR000-000DP",
      content: Content(
        operation: .check, stage: .done, outcome: .succeeded, day: 0, verdict: .healthy),
      random: 0),
    Vector(
      text: "DBR-531CS-060MG-AGNGT-PNWRY",
      content: Content(
        operation: .salvage, stage: .done, outcome: .succeededWithLoss, day: 688,
        verdict: .damagedLossy, finding: .rowsLost, framework: .room, relation: .older,
        found: 41, expected: 42, hasWAL: true, unsynced: .some(3), hasVerifiedBackup: true,
        rowsLost: true),
      random: 0x1ABC),
    Vector(
      text: "DBR-6TMF8-CFZZF-ZFZZZ-ZZZFW",
      content: Content(
        operation: .playbook, stage: .install, outcome: .interrupted, day: 1_000_000,
        verdict: .unreadable, finding: .unsyncedUnknown, framework: .anki, relation: .newer,
        found: 20_240_101, expected: 2045, hasWAL: true, unsynced: .cannotTell,
        hasVerifiedBackup: true, restored: true, rowsLost: true, unattended: true
      ).of(operation: 22),
      random: .max),
  ]

  @Test(arguments: vectors)
  func `a known code is written and read as ever`(_ vector: Vector) throws {
    let code = SupportCode(vector.content, random: vector.random)
    #expect(code.description == vector.text)
    #expect(try SupportCode(parsing: vector.text) == code)
    #expect(code.content == vector.content)
    #expect(code.layout == (vector.content.expected.value == 99 ? 1 : 2))
  }

  @Test(arguments: layout1Vectors)
  func `a code of the first layout is read as ever`(_ vector: Vector) throws {
    let code = try SupportCode(parsing: vector.text)
    #expect(code.layout == 1 && code.content == vector.content)
  }

  @Test func `a hundred runs of a day that are alike have codes of their own`() {
    let content = Content(
      operation: .restore, stage: .done, outcome: .succeeded, day: 688, verdict: .healthy,
      relation: .older, found: 4, expected: 5)
    var collisions = 0
    for seed in UInt64(0)..<100 {
      var generator = SupportCodeGenerator(seed: seed)
      let codes = Set((0..<100).map { _ in SupportCode(content, random: generator.next()) })
      if codes.count < 100 { collisions += 1 }
    }
    #expect(collisions <= 1)
  }

  @Test func `numbers that this version does not know are shown as unknown`() throws {
    let code = try SupportCode(parsing: "DBR-BZZKZ-ZW7ZW-00000-0002J")
    let content = try #require(code.content)
    #expect(content.operation.value == nil)
    #expect(content.stage.value == nil)
    #expect(content.outcome.value == nil)
    #expect(content.finding?.value == nil)
    #expect(content.framework.value == nil)
    #expect(content.operation.text(\.name) == "unknown (31)")
    #expect(content.finding?.text(\.name) == "unknown (255)")
    let text = code.explanation.map(\.text).joined(separator: "\n")
    for number in [31, 15, 255, 63] { #expect(text.contains("unknown (\(number))")) }
  }

  @Test func `a code of another layout is read but not interpreted`() throws {
    let code = try SupportCode(parsing: "DBR-G0000-00000-03ZZZ-ZZZX0")
    #expect(code.layout == 4)
    #expect(code.content == nil)
    #expect(code.description == "DBR-G0000-00000-03ZZZ-ZZZX0")
    #expect(code.explanation.map(\.label) == ["code", "next"])
  }

  // MARK: Round trips

  @Test func `any content comes back`() throws {
    for seed in UInt64(0)..<3000 {
      var generator = SupportCodeGenerator(seed: seed)
      let content = Content.random(using: &generator)
      let code = SupportCode(content, random: generator.next())
      let read = try SupportCode(parsing: code.description)
      #expect(read == code, "seed \(seed)")
      #expect(read.content == content, "seed \(seed)")
    }
  }

  @Test func `every member of every enumeration has a code of its own`() throws {
    var contents: [Content] = []
    func add(_ change: (inout Content) -> Void) {
      var content = Content(operation: .check, stage: .done, outcome: .succeeded, day: 1)
      change(&content)
      contents.append(content)
    }
    for operation in SupportCode.Operation.allCases { add { $0.operation = Coded(operation) } }
    for stage in SupportCode.Stage.allCases { add { $0.stage = Coded(stage) } }
    for outcome in SupportCode.Outcome.allCases { add { $0.outcome = Coded(outcome) } }
    for verdict in Verdict.allCases { add { $0.verdict = verdict } }
    for finding in FindingCode.allCases { add { $0.finding = Coded(finding) } }
    for framework in Framework.allCases { add { $0.framework = Coded(framework) } }
    for relation in VersionRelation.allCases { add { $0.relation = relation } }
    for unsynced in SupportCode.Unsynced.allCases { add { $0.unsynced = unsynced } }
    for content in contents {
      #expect(SupportCode(content, random: 5).content == content)
    }
  }

  @Test(arguments: [(0, "0"), (2045, "2045"), (2046, "2046 or later"), (Int.max, "2046 or later")])
  func `a version is held up to the largest that fits`(_ version: Int, _ text: String) throws {
    let content = Content(
      operation: .check, stage: .done, outcome: .succeeded, day: 1, found: version,
      expected: version)
    let read = try #require(SupportCode(content, random: 0).content)
    #expect(read.found.description == text)
    #expect(read.expected.description == text)
  }

  @Test(arguments: [nil, -1, Int.min])
  func `a version that cannot be held is unknown`(_ version: Int?) throws {
    let content = Content(
      operation: .check, stage: .done, outcome: .succeeded, day: 1, found: version)
    let read = try #require(SupportCode(content, random: 0).content)
    #expect(read.found.value == nil)
    #expect(read.found.description == "unknown")
  }

  @Test(arguments: [
    (1_735_689_599.0, 0), (1_735_689_600.0, 0), (1_735_776_000.0, 1), (-1e300, 0), (1e300, 8191),
    (.infinity, 8191), (-.infinity, 0), (.nan, 0),
  ])
  func `a time gives its day, and a wrong clock the nearest`(_ seconds: Double, _ day: Int) {
    #expect(Content.day(secondsSince1970: seconds) == day)
  }

  @Test(arguments: [
    (0, "2025-01-01"), (58, "2025-02-28"), (59, "2025-03-01"), (364, "2025-12-31"),
    (365, "2026-01-01"), (1154, "2028-02-29"), (1460, "2028-12-31"), (1461, "2029-01-01"),
    (8191, "2047-06-06"),
  ])
  func `a day is shown as a date`(_ day: Int, _ date: String) {
    let content = Content(operation: .check, stage: .done, outcome: .succeeded, day: day)
    #expect(content.date == date)
  }

  // MARK: Forgiveness

  @Test(arguments: [
    "DBR-531CS-060MG-AGNGT-PNWRY", "dbr-531cs-060mg-agngt-pnwry", "531CS060MGAGNGTPNWRY",
    "DBR531CS060MGAGNGTPNWRY", " 531cs 060mg\tagngt pnwry\r\n", "D B R 5 3 1 C S-060MGAGNGTPNWRY",
    "DBR-53ICS-O6OMG-AGNGT-PNWRY", "dbr-53lcs-o6omg-agngt-pnwry",
    "DBR\u{2013}531CS\u{2014}060MG\u{2011}AGNGT\u{2212}PNWRY",
    "DBR\u{A0}531CS\u{AD}060MGAGNGTPNWRY",
  ])
  func `a code is read as people write it`(_ text: String) throws {
    #expect(try SupportCode(parsing: text).description == "DBR-531CS-060MG-AGNGT-PNWRY")
  }

  @Test(arguments: [
    ("", 0), ("DBR", 0), ("DBR-531CS-060MG-AGNGT-PNWR", 19), ("DBR-531CS-060MG-AGNGT-PNWRYY", 21),
    ("531CS-060MG", 10), ("DBR-531CS-060MG-AGNGT", 15),
  ])
  func `a wrong length is reported`(_ text: String, _ count: Int) {
    let error = #expect(throws: SupportCode.ParseError.length(count)) {
      try SupportCode(parsing: text)
    }
    #expect(error?.message.hasSuffix("this one has \(count)") == true)
    #expect(error?.advice == "ask the user to read it again, group by group")
  }

  @Test(arguments: [
    ("DBR-531CS-060MG-AGNGT-PNWRU", Character("U"), 20, "'U' cannot occur in a support code"),
    ("531CS-06?MG-AGNGT-PNWRY", "?", 8, "(symbol 3 of group 2)"),
    ("DBR-\u{1B}31CS-060MG-AGNGT-PNWRY", "\u{1B}", 1, "the character U+001B cannot"),
    ("DBR-ß31CS-060MG-AGNGT-PNWRY", "ß", 1, "the character U+00DF cannot"),
    ("DBR-531CS-060MG-AGNGT-PNWR\u{1F600}", "\u{1F600}", 20, "the character U+1F600 cannot"),
  ])
  func `a wrong symbol is reported with its place`(
    _ text: String, _ symbol: Character, _ position: Int, _ part: String
  ) {
    let error = #expect(throws: SupportCode.ParseError.symbol(symbol, position: position)) {
      try SupportCode(parsing: text)
    }
    #expect(error?.message.contains(part) == true)
  }

  @Test func `zeros are no code`() {
    #expect(throws: SupportCode.ParseError.check) {
      try SupportCode(parsing: "DBR-00000-00000-00000-00000")
    }
  }

  // MARK: The check

  /// Every substitution of one symbol and every swap of neighbours, of 4000 codes.
  @Test func `no wrong symbol and no swap of neighbours passes the check`() {
    var generator = SupportCodeGenerator(seed: 20_250_101)
    var accepted = 0
    var swaps = 0
    for _ in 0..<4000 {
      let carried = (0..<18).map { _ in UInt8(generator.next() & 31) }
      var word = carried + SymbolCheck.symbols(for: carried)
      #expect(SymbolCheck.holds(for: word))
      for place in word.indices {
        let right = word[place]
        for wrong in UInt8(0)..<32 where wrong != right {
          word[place] = wrong
          if SymbolCheck.holds(for: word) { accepted += 1 }
        }
        word[place] = right
      }
      for place in 0..<19 where word[place] != word[place + 1] {
        word.swapAt(place, place + 1)
        if SymbolCheck.holds(for: word) { accepted += 1 }
        word.swapAt(place, place + 1)
        swaps += 1
      }
    }
    #expect(accepted == 0)
    #expect(swaps > 70_000)
  }

  /// The code is linear, so two wrong symbols pass in one word exactly if they do in all.
  @Test func `no two wrong symbols pass the check`() {
    var accepted = 0
    let carried = [UInt8](repeating: 7, count: 18)
    var word = carried + SymbolCheck.symbols(for: carried)
    for first in 0..<19 {
      for second in (first + 1)..<20 {
        let right = (word[first], word[second])
        for difference in 1..<1024 where difference & 31 != 0 && difference >> 5 != 0 {
          word[first] = right.0 ^ UInt8(difference & 31)
          word[second] = right.1 ^ UInt8(difference >> 5)
          if SymbolCheck.holds(for: word) { accepted += 1 }
        }
        (word[first], word[second]) = right
      }
    }
    #expect(accepted == 0)
  }

  @Test func `a misheard code is refused as text too`() throws {
    let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    let right = Array("531CS060MGAGNGTPNWRY")
    for place in right.indices {
      for symbol in alphabet where symbol != right[place] {
        var wrong = right
        wrong[place] = symbol
        #expect(throws: SupportCode.ParseError.check) { try SupportCode(parsing: String(wrong)) }
      }
    }
  }

  @Test func `no noise makes the parser crash`() {
    var generator = SupportCodeGenerator(seed: 99)
    for _ in 0..<2000 {
      let count = Int(generator.next() % 40)
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      do {
        _ = try SupportCode(parsing: String(decoding: bytes, as: UTF8.self)).explanation
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
  }
}

/// A small generator of numbers that are the same in every run.
struct SupportCodeGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension SupportCode.Content {
  static func random(using generator: inout SupportCodeGenerator) -> Self {
    func pick<Value>(_ values: [Value], _ generator: inout SupportCodeGenerator) -> Value {
      values[Int(generator.next() % UInt64(values.count))]
    }
    let bits = generator.next()
    let unsynced: [UnsyncedRows?] = [nil, UnsyncedRows.none, .some(7), .cannotTell]
    return Self(
      operation: pick(SupportCode.Operation.allCases, &generator),
      stage: pick(SupportCode.Stage.allCases, &generator),
      outcome: pick(SupportCode.Outcome.allCases, &generator),
      day: Int(generator.next() % 8192),
      verdict: pick([nil] + Verdict.allCases, &generator),
      finding: pick([nil] + FindingCode.allCases, &generator),
      framework: pick(Framework.allCases, &generator),
      relation: pick(VersionRelation.allCases, &generator),
      found: pick([nil, 0, 1, 2045, 2046, 9999], &generator),
      expected: pick([nil, 0, 1, 2045, 2046, 9999], &generator),
      hasWAL: bits & 1 != 0, unsynced: pick(unsynced, &generator),
      hasVerifiedBackup: bits & 2 != 0, restored: bits & 4 != 0, rowsLost: bits & 8 != 0,
      unattended: bits & 16 != 0)
  }
}

extension SupportCode.Content {
  /// The same of an operation that only its number tells.
  fileprivate func of(operation number: UInt8) -> SupportCode.Content {
    var content = self
    content.operation = Coded(number: number)
    return content
  }
}
