// SPDX-License-Identifier: Apache-2.0
// What is said of indexes.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct IndexCheckTests {
  @Test func `an index with a page that is gone is damaged, and no row depends on it`() throws {
    let specimen = try Specimen()
    let leaf = specimen.pages(of: "bodies", "leaf")[2]
    let finding = try #require(specimen.with(.zeroPage(leaf)).said(.indexDamaged).first)
    #expect(
      finding.message
        == "index 'bodies' is damaged: page \(leaf) of 'bodies': it does not begin as a page of a "
        + "table or index does")
    #expect(finding.place == .init(page: PageNumber(leaf), object: "bodies"))
    #expect(finding.severity == .damage)
  }

  @Test func `rows with the same key by a UNIQUE index are not called misplaced`() throws {
    var specimen = try Specimen(
      """
      CREATE TABLE tag (name TEXT); CREATE INDEX tags        ON tag (name);
      INSERT INTO tag VALUES ('a'), ('b'), ('b'), (NULL), (NULL)
      """)
    #expect(specimen.said(.indexDamaged).isEmpty)
    let (plain, unique) = ("CREATE INDEX tags        ON", "CREATE UNIQUE INDEX tags ON")
    let place = try #require(specimen.places(of: plain).first)
    specimen.bytes.replaceSubrange(place..<place + plain.utf8.count, with: unique.utf8)
    let finding = try #require(specimen.said(.indexDamaged).first)
    #expect(
      finding.message.hasPrefix(
        "index 'tags' is UNIQUE, and rows of 'tag' have the same key by it"))
    #expect(finding.place.object == "tags" && finding.severity == .damage)
    let cause = try #require(
      Examination(Reconstruction(Survey(main: specimen.bytes))).causes.leading)
    #expect(cause.kind == .indexesOnly && !cause.now.contains("built anew, queries may miss"))
    #expect(cause.happened.hasPrefix("rows have the same key by 1 UNIQUE index"))
  }

  @Test func `a key that a UNIQUE index has twice, and its table once, is not the rows'`() throws {
    var specimen = try Specimen(
      """
      CREATE TABLE tag (name TEXT); CREATE UNIQUE INDEX tags ON tag (name);
      INSERT INTO tag VALUES ('one A'), ('one B'), ('one C')
      """)
    let leaf = specimen[page: try specimen.root(of: "tags")]
    let place = try #require(specimen.places(of: "one B").first { leaf.contains($0) })
    specimen.bytes.replaceSubrange(place..<place + 5, with: "one A".utf8)
    let finding = try #require(specimen.said(.indexDamaged).first)
    #expect(
      finding.message
        == "index 'tags' is damaged: entries have the same key, which is to be UNIQUE")
  }

  @Test func `an index with another key than its table disagrees`() throws {
    var specimen = try Specimen()
    let leaf = specimen[page: specimen.pages(of: "note", "leaf")[2]]
    let text = Bytes("note of".utf8)
    let start = try #require(leaf.first { specimen.bytes.matches(text, at: $0) })
    specimen.bytes[start] = UInt8(ascii: "N")
    let finding = try #require(specimen.said(.indexMismatch).first)
    #expect(finding.message == "index 'bodies' holds other keys than its table")
    #expect(finding.place.object == "bodies")
  }

  @Test func `what is left of a damaged index names a row that is gone`() throws {
    let whole = try Specimen()
    let short = try withoutRow(whole)
    let leaves = whole.pages(of: "bodies", "leaf")
    let losses = leaves.map { short.with(.zeroPage($0)).said(.rowsLost) }
    // The one leaf that has the entry says nothing any more.
    #expect(losses.count(where: \.isEmpty) <= 1)
    #expect(
      losses.joined().allSatisfy { $0.message.hasPrefix("an unknown number of rows of 'note'") })
    let root = try whole.root(of: "bodies")
    #expect(short.with(.zeroPage(root)).said(.rowsLost).count == 1)
    for page in leaves + [root] { #expect(whole.with(.zeroPage(page)).said(.rowsLost).isEmpty) }
  }

  @Test func `an index that names a row too many says so`() throws {
    let specimen = try withoutRow(Specimen())
    let finding = try #require(specimen.said(.indexMismatch).first)
    #expect(finding.message == "index 'bodies' names 1 row that the table lacks")
    #expect(finding.place.object == "bodies")
    // Nothing tells whether it was deleted or is lost.
    #expect(finding.severity == .loss)
  }

  /// The same with a leaf of `note` that has a row less than its index.
  private func withoutRow(_ specimen: Specimen) throws -> Specimen {
    var specimen = specimen
    // One cell less on a leaf of the table: the row that was written last lies first in the page.
    let leaf = specimen[page: specimen.pages(of: "note", "leaf")[2]].lowerBound
    let count = specimen.bytes.bigEndian16(at: leaf + 3)
    let cells = (0..<count).map { specimen.bytes.bigEndian16(at: leaf + 8 + 2 * $0) }
    try #require(cells.last == specimen.bytes.bigEndian16(at: leaf + 5))
    specimen.bytes[leaf + 4] -= 1
    specimen.bytes[leaf + 5] = UInt8(cells[count - 2] >> 8)
    specimen.bytes[leaf + 6] = UInt8(cells[count - 2] & 0xFF)
    return specimen
  }
}
