// SPDX-License-Identifier: Apache-2.0
// Texts into whose overflow pages something was written that is not their own.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct OverwrittenTextTests {
  private static let pageSize = 4096
  /// A text of which so little is in its cell that three of them are on one leaf.
  private static let lines = """
    (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
      SELECT substr(
        group_concat('Zeile ' || (i * 7919 % 10007) || ' ist größer', char(10)), 1, 26500) FROM n)
    """

  /// A database with three long values, and the place of an overflow page in the midst of the second.
  private func build(
    _ value: String = lines, encoding: TextEncoding = .utf8
  ) throws -> (bytes: Bytes, page: PageNumber) {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize, encoding: encoding,
      [
        "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, n INT)",
        "INSERT INTO note SELECT i.column1, \(value), i.column1 FROM (VALUES (1), (2), (3)) AS i",
      ]
    ).build(at: path)
    let bytes = try path.contents()
    let image = try #require(Survey(main: bytes).image)
    for number in image.pages {
      guard let page = try? image.btreePage(number), page.kind == .tableLeaf else { continue }
      for cell in page.soundCells ?? [] where cell.rowID == 2 {
        let pages = try image.overflowChain(of: cell, on: number).pages
        return (bytes, try #require(pages.dropFirst(2).first))
      }
    }
    throw UnfitFixture("there is no second value")
  }

  @Test func `a few controls near the end of a text are its own, wherever it ends`() throws {
    for place in stride(from: 1, to: 64, by: 7) {
      let value = """
        (SELECT substr(replace(hex(zeroblob(13200)), '00', 'ab'), 1, 25900 + \(place))
          || char(1) || substr(hex(zeroblob(30)), 1, 10 + \(place % 9) * 5))
        """
      let (bytes, _) = try build(value)
      let survey = Survey(main: bytes)
      #expect(survey.findings.allSatisfy { $0.severity < .damage }, "\(place)")
      #expect(survey.userRows == 3)
    }
  }

  /// What is written over sectors: bytes of other contents, in whole sectors.
  static let others: [(name: String, content: Bytes)] = [
    ("zeros", Bytes(repeating: 0, count: 512)),
    ("zeros in two sectors", Bytes(repeating: 0, count: 1024)),
    ("an erased block", Bytes(repeating: 0xFF, count: 512)),
    ("rows of another page", rows),
    ("compressed data", noise),
    ("a page with next to nothing", Bytes(repeating: 0, count: 506) + [5, 1, 9, 1, 0x73, 0x27]),
    ("a pattern of bytes", Bytes((0..<128).flatMap { _ in [0xDE, 0xAD, 0xBE, 0xEF] as [UInt8] })),
  ]

  /// The end of a page with rows of a few words.
  private static var rows: Bytes {
    var bytes = Bytes()
    for row: UInt8 in 0..<40 {
      bytes.append(contentsOf: [12, row, 4, 0, 21, 1])
      bytes.append(contentsOf: Array("word".utf8))
      bytes.append(contentsOf: [row, 7])
    }
    return bytes + Bytes(repeating: 5, count: 32)
  }

  private static var noise: Bytes {
    var random = SeededRandom(seed: 7)
    return Bytes((0..<512).map { _ in UInt8.random(in: 0...255, using: &random) })
  }

  @Test(arguments: others.indices, [1, 3, 6])
  func `a text with a sector of something else is set aside`(_ kind: Int, _ sector: Int) throws {
    var (bytes, page) = try build()
    let content = Self.others[kind].content
    let start = (page.number - 1) * Self.pageSize + 512 * sector
    bytes.replaceSubrange(start..<(start + content.count), with: content)
    let survey = Survey(main: bytes)
    let finding = try #require(survey.findings.first { $0.code == .overflowBroken })
    #expect(finding.place.page == page && finding.severity == .loss)
    #expect(survey.verdict == .damagedLossy)
    let found = try SalvagedRows(of: "note", in: survey)
    #expect(found.placed == [1, 3])
    #expect(found.doubts == [2: .chain(.overwritten)])
  }

  /// Values that hold in the midst of their texts what most do not, and are sound.
  static let sound = [
    "CAST(zeroblob(20000) AS TEXT)", "CAST(randomblob(20000) AS TEXT)", "randomblob(20000)",
    "\(lines) || CAST(zeroblob(3000) AS TEXT)", "CAST(zeroblob(9000) AS TEXT) || \(lines)",
    "\(lines) || CAST(zeroblob(512) AS TEXT) || \(lines)",
    "\(lines) || CAST(randomblob(700) AS TEXT) || \(lines)",
    "\(lines) || char(0) || \(lines)",
    "replace(\(lines), 'ö', CAST(x'F6' AS TEXT))",
    "\(lines) || replace(hex(zeroblob(250)), '0', CAST(x'E4' AS TEXT)) || \(lines)",
  ]

  @Test(arguments: sound, TextEncoding.allCases)
  func `texts that are so are sound`(_ value: String, _ encoding: TextEncoding) throws {
    #expect(Survey(main: try build(value, encoding: encoding).bytes).verdict == .healthy)
  }

  /// A database with three texts that each lie on a leaf of their own, and where the second lies.
  private func buildShort(
    _ value: String = "substr(\(lines), 1, 3500)", encoding: TextEncoding = .utf8
  ) throws -> (bytes: Bytes, page: Int) {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize, encoding: encoding,
      [
        "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, n INT)",
        "INSERT INTO note SELECT i.column1, \(value), i.column1 FROM (VALUES (1), (2), (3)) AS i",
      ]
    ).build(at: path)
    let leaves = try Oracle(path).pages.filter { $0.object == "note" && $0.kind == "leaf" }
    try #require(leaves.count == 3)
    return (try path.contents(), (leaves[1].number - 1) * Self.pageSize)
  }

  @Test(arguments: [2, 4]) func `a text with a blank sector on its leaf is set aside`(
    _ sector: Int
  ) throws {
    var (bytes, page) = try buildShort()
    for place in 0..<512 { bytes[page + 512 * sector + place] = 0 }
    let survey = Survey(main: bytes)
    let finding = try #require(survey.findings.first { $0.code == .overflowBroken })
    #expect(finding.place.page?.number == page / Self.pageSize + 1)
    #expect(survey.verdict == .damagedLossy)
    let found = try SalvagedRows(of: "note", in: survey)
    #expect(found.placed == [1, 3] && found.doubts.keys.map(\.self) == [2])
  }

  /// Texts of a leaf: one that lies there, all of it, and one that goes on elsewhere.
  static let ofLeaves = [
    "substr(\(lines), 1, 3500)",
    "substr(replace(replace(\(lines), 'ö', 'oe'), 'ß', 'ss'), 1, 7075)",
  ]

  @Test(arguments: others.indices, ofLeaves.indices)
  func `a text with a sector of something else on its leaf is set aside`(
    _ kind: Int, _ text: Int
  ) throws {
    var (bytes, page) = try buildShort(Self.ofLeaves[text])
    let content = Self.others[kind].content
    bytes.replaceSubrange((page + 2048)..<(page + 2048 + content.count), with: content)
    let survey = Survey(main: bytes)
    #expect(survey.findings.contains { $0.code == .overflowBroken && $0.severity == .loss })
    #expect(survey.verdict == .damagedLossy)
    let found = try SalvagedRows(of: "note", in: survey)
    #expect(found.placed == [1, 3])
    #expect(found.doubts == [2: .chain(.overwritten)])
  }

  @Test(arguments: [(2, 0xFF), (4, 0xF6), (7, 0xFF)] as [(Int, UInt8)], TextEncoding.allCases)
  func `a text with a sector of its leaf that is filled with one byte is set aside`(
    _ sector: (number: Int, fill: UInt8), _ encoding: TextEncoding
  ) throws {
    let half = "substr(\(Self.lines), 1, \(encoding == .utf8 ? 3500 : 1750))"
    for fill in sector.number == 7 ? [sector.fill] : [sector.fill, 0] {
      var (bytes, page) = try buildShort(half, encoding: encoding)
      for place in 0..<512 { bytes[page + 512 * sector.number + place] = fill }
      let survey = Survey(main: bytes)
      #expect(survey.findings.contains { $0.code == .overflowBroken })
      #expect(survey.verdict == .damagedLossy)
    }
  }

  @Test(arguments: [TextEncoding.utf16le, .utf16be])
  func `a text in UTF-16 with a blank sector on an overflow page is set aside`(
    _ encoding: TextEncoding
  ) throws {
    var (bytes, page) = try build(encoding: encoding)
    let start = (page.number - 1) * Self.pageSize + 1024
    for place in 0..<512 { bytes[start + place] = 0 }
    #expect(Survey(main: bytes).verdict == .damagedLossy)
  }

  @Test(arguments: [600..<1112, 1024..<1500, 1024..<1537, 1024..<1025])
  func `other zeros of a text on its leaf are its own`(_ zeros: Range<Int>) throws {
    var (bytes, page) = try buildShort()
    for place in zeros { bytes[page + place] = 0 }
    #expect(Survey(main: bytes).verdict == .healthy)
  }

  @Test func `zeros at places where no sector begins are a text's own`() throws {
    var (bytes, page) = try build()
    let start = (page.number - 1) * Self.pageSize + 700
    for place in 0..<600 { bytes[start + place] = 0 }
    #expect(Survey(main: bytes).verdict == .healthy)
  }

  @Test func `controls at one end of a sector alone are a text's own`() throws {
    var (bytes, page) = try build()
    let start = (page.number - 1) * Self.pageSize + 1024
    for place in 0..<200 { bytes[start + place] = 2 }
    #expect(Survey(main: bytes).verdict == .healthy)
  }
}
