// SPDX-License-Identifier: Apache-2.0
// What is said of rows that are lost.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LostRowsCheckTests {
  @Test(
    arguments: [
      (.exactly(1), "exactly 1 row"), (.atLeast(3), "at least 3 rows"),
      (.unknown, "an unknown number of rows"),
    ] as [(Loss, String)])
  func `a loss is said in its own words`(_ loss: Loss, _ words: String) {
    let findings = LostRowsCheck.findings(in: .table(loss: loss) { _ in })
    #expect(findings.map(\.code) == [.rowsLost])
    #expect(findings.first?.message == "\(words) of 't' cannot be read")
    #expect(findings.first?.place == .init(object: "t"))
  }

  @Test func `a table that lost nothing is not named`() {
    #expect(LostRowsCheck.findings(in: .table { _ in }).isEmpty)
  }

  @Test func `the rows of a leaf that an index still counts are known exactly`() throws {
    let specimen = try Specimen()
    let leaf = specimen.pages(of: "note", "leaf")[3]
    let count = specimen.bytes.bigEndian16(at: specimen[page: leaf].lowerBound + 3)
    #expect(
      specimen.with(.zeroPage(leaf)).said(.rowsLost).map(\.message)
        == ["exactly \(count) rows of 'note' cannot be read"])
  }

  /// A root of a time when its table was empty leads to nothing, and nothing in it is damaged.
  private static func specimenWithEmptiedRoot(_ more: DatabaseBuilder.Step) throws -> Specimen {
    var specimen = try Specimen(
      """
      CREATE TABLE draft (id INTEGER PRIMARY KEY, body TEXT);
      INSERT INTO draft (body) SELECT 'draft of the ' || word FROM word
      """, more)
    let root = specimen[page: try specimen.root(of: "draft")]
    let emptyLeaf: [UInt8] = [13, 0, 0, 0, 0, 2, 0, 0]
    specimen.bytes =
      Bytes(specimen.bytes[..<root.lowerBound]) + Bytes(emptyLeaf)
      + Bytes(specimen.bytes[(root.lowerBound + 8)...])
    return specimen
  }

  @Test func `rows that no table leads to may be those of a table whose root has lost them`() throws
  {
    let specimen = try Self.specimenWithEmptiedRoot("SELECT 1")
    #expect(
      specimen.said(.rowsLost).map(\.message)
        == ["rows that no table leads to can be of 'draft': how many it has lost is not known"])
    #expect(specimen.said(.orphanRows).count == 1)
  }

  @Test func `rows that no table leads to are not those of a table that has them`() throws {
    var specimen = try Self.specimenWithEmptiedRoot(
      """
      CREATE TABLE sketch (id INTEGER PRIMARY KEY, body TEXT);
      INSERT INTO sketch SELECT id, 'sketch of ' || body FROM draft
      """)
    let names = specimen.said(.rowsLost).map(\.place.object)
    #expect(names == ["draft"])
    specimen = specimen.with(.zeroPage(try specimen.root(of: "sketch")))
    #expect(specimen.said(.rowsLost).map(\.place.object).contains("draft"))
  }
}
