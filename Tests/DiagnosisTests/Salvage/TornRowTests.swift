// SPDX-License-Identifier: Apache-2.0
// Rows whose end lies in a part of their page that was lost.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct TornRowTests {
  /// A database in pages of 2,048 bytes, and where a leaf of the table `note` starts.
  private func database(_ text: String) throws -> (bytes: Bytes, leaf: Int) {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: 2048,
      [
        "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, n INT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO note SELECT i, \(text), i FROM n
        """,
      ]
    ).build(at: path)
    let leaf = try #require(
      try Oracle(path).pages.filter { $0.object == "note" && $0.kind == "leaf" }.dropFirst().first)
    return (try path.contents(), (leaf.number - 1) * 2048)
  }

  /// The database, of which the leaf lost a sector.
  private func torn(
    _ sector: Int, _ text: String = "'note of ' || hex(i * i * 7919)", filler: Bytes = [0]
  ) throws -> Survey {
    var (bytes, leaf) = try database(text)
    let start = leaf + sector * 512
    let range = start..<(start + (sector == 0 ? 0 : 512))
    bytes.replaceSubrange(range, with: Bytes(range.indices.map { filler[$0 % filler.count] }))
    return Survey(main: bytes)
  }

  /// How many rows of the table a salvage places, and the reasons of the others.
  private func read(_ survey: Survey) throws -> (placed: [StoredRecord], doubts: [Doubt: Int]) {
    let reader = try #require(SalvageReader(Reconstruction(survey)))
    let tree = try #require(survey.tree(named: "note"))
    var claims = reader.startingClaims
    var (placed, doubts): ([StoredRecord], [Doubt: Int]) = ([], [:])
    reader.read(tree, &claims) { item in
      switch item {
      case .row(_, let row): placed.append(row)
      case .doubtful(_, _, let doubt): doubts[doubt, default: 0] += 1
      default: break
      }
    }
    return (placed, doubts)
  }

  @Test(arguments: [2, 3], [UInt8(0), 0xFF, 0x41])
  func `a row that ends in a lost sector is set aside`(
    _ sector: Int, _ filler: UInt8
  ) throws {
    let found = try read(try torn(sector, filler: [filler]))
    #expect(found.doubts[.torn] == 1)
    let texts = found.placed.compactMap { $0.record.value(1)?.utf8String }
    #expect(texts.count > 200)
    #expect(texts.allSatisfy { $0.hasPrefix("note of ") && !$0.contains("\u{0}") })
  }

  @Test(arguments: [UInt8(0), 0xFF], [1024, 1100, 1333])
  func `so is one over whose midst a copy broke off, wherever that was`(
    _ filler: UInt8, _ place: Int
  ) throws {
    var (bytes, leaf) = try database("'note of ' || hex(i * i * 7919)")
    let lost = leaf + place..<leaf + place + 400
    bytes.replaceSubrange(lost, with: repeatElement(filler, count: lost.count))
    let found = try read(Survey(main: bytes))
    #expect(found.placed.count > 200)
    for row in found.placed {
      let digits = "\((row.rowID ?? 0) * (row.rowID ?? 0) * 7919)".map { "3\($0)" }.joined()
      #expect(row.record.value(1)?.utf8String == "note of \(digits)")
    }
  }

  @Test(arguments: [2, 3], ["another file, ", "{\"id\": 7, \"text\": 1}\n"])
  func `a row that ends in a sector of something else is set aside`(
    _ sector: Int, _ filler: String
  ) throws {
    let found = try read(try torn(sector, filler: Bytes(filler.utf8)))
    #expect(found.doubts[.torn] == 1)
    #expect(found.placed.count > 200)
    for row in found.placed {
      let digits = "\((row.rowID ?? 0) * (row.rowID ?? 0) * 7919)".map { "3\($0)" }.joined()
      #expect(row.record.value(1)?.utf8String == "note of \(digits)")
    }
  }

  @Test func `where pointers into a sector were lost, and not the sector, no row is`() throws {
    var (bytes, leaf) = try database("'note of ' || hex(i * 7919) || hex(randomblob(90))")
    let count = Int(bytes[leaf + 3]) << 8 | Int(bytes[leaf + 4])
    for place in (0..<count).map({ leaf + 8 + 2 * $0 }) where (4..<6).contains(bytes[place]) {
      bytes[place + 1] ^= 0x2A
    }
    let found = try read(Survey(main: bytes))
    #expect(found.placed.count == 300 && found.doubts.isEmpty)
  }

  @Test(arguments: [1, 2, 3]) func `so is one with zeros before the sector, where others began`(
    _ sector: Int
  ) throws {
    let found = try read(try torn(sector, "zeroblob(60)"))
    #expect(found.placed.count > 200)
    #expect(found.placed.allSatisfy { $0.record.value(2)?.integerValue == $0.rowID })
  }

  @Test(arguments: ["zeroblob(700)", "replace(hex(zeroblob(350)), '0', 'a')"])
  func `values full of one byte are no loss`(_ value: String) throws {
    let found = try read(try torn(0, value))
    #expect(found.placed.count == 300 && found.doubts.isEmpty)
  }

  /// Why rows with long values are set aside, in a specimen.
  private func doubts(_ specimen: Specimen) throws -> [Doubt] {
    let reader = try #require(SalvageReader(Reconstruction(main: specimen.bytes)))
    let letter = try #require(reader.tables.first { $0.entry.name == "letter" })
    #expect(letter.isReadable)
    var doubts: [Doubt] = []
    var claims = reader.startingClaims
    reader.read(letter, &claims) { item in
      if case .doubtful(_, _, let doubt) = item { doubts.append(doubt) }
    }
    return doubts
  }

  @Test func `a page of zeros in a chain is a lost one where others were lost`() throws {
    // Of a blob, zeros tell nothing by themselves.
    let specimen = try Specimen(
      "INSERT INTO letter SELECT 3, CAST(page AS BLOB) FROM letter WHERE id = 2")
    let last = try #require(specimen.pages(of: "letter", "overflow").last)
    let blank = specimen.with(.zeroPage(last))
    #expect(try doubts(blank) == [])
    let leaf = try #require(specimen.pages(of: "note", "leaf").first)
    #expect(try doubts(blank.with(.zeroPage(leaf))) == [.chain(.zeroed)])
  }
}
