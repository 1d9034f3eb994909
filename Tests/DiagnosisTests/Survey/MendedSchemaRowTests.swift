// SPDX-License-Identifier: Apache-2.0
// Rows of the schema table with one wrong letter in what they say besides their statements.

@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct MendedSchemaRowTests {
  private let specimen: Specimen
  init() throws {
    specimen = try Specimen(
      "CREATE TABLE mark (name TEXT UNIQUE); INSERT INTO mark SELECT word FROM word;",
      "CREATE VIEW short AS SELECT id FROM note;",
      "CREATE TRIGGER wrote AFTER INSERT ON note BEGIN SELECT 1; END;")
  }

  /// Where a row begins, the letter of it that is another one, and the bits that have turned.
  struct Case: CustomTestStringConvertible {
    let row: String
    let letter: Int
    let bits: UInt8
    let testDescription: String

    init(_ row: String, _ letter: Int, _ bits: UInt8) {
      (self.row, self.letter, self.bits) = (row, letter, bits)
      testDescription = "letter \(letter) of \(row), \(bits)"
    }
  }

  static let cases = [4, 0x80].flatMap { bits in
    [
      Case("tablenotenote", 1, bits), Case("tablenotenote", 5, bits),
      Case("tablenotenote", 10, bits), Case("indexbodiesnote", 2, bits),
      Case("indexbodiesnote", 7, bits), Case("indexbodiesnote", 12, bits),
      Case("indexsqlite_autoindex_mark_1mark", 29, bits), Case("viewshortshort", 0, bits),
      Case("viewshortshort", 4, bits), Case("triggerwrotenote", 3, bits),
      Case("triggerwrotenote", 13, bits),
    ]
  }

  @Test(arguments: cases)
  func `a row with a wrong letter is that of its statement, and damaged`(_ wrong: Case) throws {
    let sound = Survey(main: specimen.bytes)
    var bytes = specimen.bytes
    // Where a page was full, what it held before is there besides.
    for place in specimen.places(of: wrong.row) { bytes[place + wrong.letter] ^= wrong.bits }
    let rebuilt = Reconstruction(main: bytes)
    let survey = rebuilt.survey
    let named = try #require(survey.schema).entries.map { "\($0.key) \($0.table)" }
    #expect(named == sound.schema?.entries.map { "\($0.key) \($0.table)" })
    #expect(survey.trees.map(\.records) == sound.trees.map(\.records))
    #expect(rebuilt.rowsWithoutTable.rows == 0)
    #expect(survey.schema?.parsed.refused.isEmpty == true)
    #expect(
      rebuilt.findings([], []).contains {
        $0.code == .schemaDamaged && $0.message.contains("the schema row of")
      })
  }

  @Test func `a name that a row says twice stays, whatever its statement says`() throws {
    var bytes = specimen.bytes
    for place in specimen.places(of: "CREATE TABLE note") { bytes[place + 14] ^= 4 }
    let survey = Survey(main: bytes)
    #expect(survey.schema?.entries.contains { $0.key == "table note" } == true)
    #expect(survey.trees.first { $0.entry.name == "note" }?.records == 301)
  }
}
