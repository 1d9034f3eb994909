// SPDX-License-Identifier: Apache-2.0
// Pages whose owner the pointer map knows better than what leads to them.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PointerMapTests {
  private static let filled: DatabaseBuilder.Step = """
    PRAGMA secure_delete = 0;
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
    INSERT INTO person SELECT i, 'person ' || (i * i) FROM n;
    """
  private static let moved: DatabaseBuilder.Step = """
    DELETE FROM person WHERE id > 700;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
    INSERT INTO event SELECT 5000 + i, 'event ' || (i * i) FROM n;
    """

  /// The names that a salvage puts into a table.
  private func names(in table: Name, _ bytes: Bytes) throws -> [String] {
    try placedRows(in: table, of: bytes).map { $0.record.value(1)?.utf8String ?? "" }
  }

  @Test func `pages that another table has got since are not those of an older root`() throws {
    let older = try Specimen(Self.filled, autoVacuum: .incremental)
    var specimen = try Specimen(Self.filled, Self.moved, autoVacuum: .incremental)
    for table in ["person", "event"] {
      let root = try specimen.root(of: table)
      #expect(try older.root(of: table) == root)
      specimen.bytes.replaceSubrange(older[page: root], with: older.bytes[older[page: root]])
    }
    let persons = try names(in: "person", specimen.bytes)
    #expect(persons.count >= 600)
    #expect(persons.allSatisfy { $0.hasPrefix("person") })
  }

  @Test func `the map tells the pages that are free`() throws {
    let specimen = try Specimen(
      Self.filled, "DELETE FROM person WHERE id > 700", autoVacuum: .incremental)
    let survey = Survey(main: specimen.bytes)
    let free = try #require(survey.freelist)
    let map = PointerMapTrail(try #require(survey.image), roots: survey)
    #expect(free.leaves.count > 3)
    #expect((free.leaves + free.trunks).allSatisfy(map.isFree))
    let leaves = specimen.pages(of: "person", "leaf").compactMap { PageNumber($0) }
    #expect(leaves.count > 3)
    #expect(!leaves.contains(where: map.isFree))
  }
}
