// SPDX-License-Identifier: Apache-2.0
// Leaves to which their table leads and that have lost their head, with rows that were deleted still
// in them: what the indexes know tells these apart.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LeafHeadTests {
  /// Mail of which two indexes, each with few different values, know every row.
  private static let filled: DatabaseBuilder.Step = """
    PRAGMA secure_delete = 0;
    CREATE TABLE mail (id INTEGER PRIMARY KEY, box INT, sort TEXT, body TEXT);
    CREATE INDEX boxes ON mail (box);
    CREATE INDEX sorts ON mail (sort);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
    INSERT INTO mail SELECT i, i % 50, 'sort ' || i % 9, 'body ' || (i * i) FROM n;
    """
  /// Runs of three rows, the last one first: of the others, the cells stay whole.
  private static let deleted: DatabaseBuilder.Step = """
    DELETE FROM mail WHERE id % 20 = 3; DELETE FROM mail WHERE id % 20 = 2;
    DELETE FROM mail WHERE id % 20 = 1;
    """
  private static let live = (1...900).filter { !(1...3).contains($0 % 20) }.map(Int64.init)

  /// The rowids that a salvage puts into the table.
  private func placed(_ bytes: Bytes) throws -> [Int64] {
    try placedRows(in: "mail", of: bytes).compactMap(\.rowID)
  }

  @Test func `rows that coarse indexes know come back where the pointers are whole`() throws {
    let specimen = try Specimen(Self.filled, Self.deleted)
    for leaf in specimen.pages(of: "mail", "leaf").dropFirst(4).prefix(8) {
      let start = specimen[page: leaf].lowerBound
      let bytes = specimen.with(.zeroRange(offset: start, count: 8)).bytes
      #expect(try placed(bytes).sorted() == Self.live, "page \(leaf)")
    }
  }

  @Test func `rows that no index knows stay out where the head is no zeros`() throws {
    let specimen = try Specimen(
      Self.filled, Self.deleted, "CREATE UNIQUE INDEX bodies_of_mail ON mail (body)")
    let live = Set(Self.live)
    for leaf in specimen.pages(of: "mail", "leaf").dropFirst(2) {
      var bytes = specimen.bytes
      let start = specimen[page: leaf].lowerBound
      bytes.replaceSubrange(start..<start + 48, with: Bytes(repeating: 0xFF, count: 48))
      #expect(try placed(bytes).filter { !live.contains($0) } == [], "page \(leaf)")
    }
  }

  @Test(arguments: 1...3)
  func `a row that an index alone proves is not lost`(_ position: Int) throws {
    let specimen = try Specimen()
    let leaf = specimen.pages(of: "note", "leaf")[position]
    let start = specimen[page: leaf].lowerBound
    let bytes = specimen.with(.zeroRange(offset: start, count: 14)).bytes
    let rebuilt = Reconstruction(main: bytes)
    #expect(try placedRows(in: "note", of: bytes).count == 301)
    #expect(rebuilt.loss(of: try #require(rebuilt.survey.tree(named: "note"))) == .none)
  }
}
