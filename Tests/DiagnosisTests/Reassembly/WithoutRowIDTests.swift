// SPDX-License-Identifier: Apache-2.0
// Entries of indexes that could be taken for rows of a table WITHOUT ROWID.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct WithoutRowIDTests {
  /// A table whose rows look like the entries of its index, from back to front.
  private func mirrored(key: String) throws -> Specimen {
    try Specimen(
      """
      CREATE TABLE mirror (id INTEGER PRIMARY KEY \(key), tag TEXT NOT NULL, ref INTEGER)
        WITHOUT ROWID;
      CREATE INDEX refs ON mirror (ref, tag);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO mirror SELECT i, 'w' || i, i * 7919 % 100003 FROM n;
      """)
  }

  /// How many of the rows that a table is given were never in it, by their first two values.
  private func invented(in table: Name, of specimen: Specimen, losing lost: [Int]) throws -> Int {
    let truth = Reconstruction(main: specimen.bytes)
    let damaged = lost.reduce(specimen) { $0.with(.zeroPage($1)) }
    return try rows(in: table, of: Reconstruction(main: damaged.bytes))
      .subtracting(rows(in: table, of: truth)).count
  }

  private func rows(in table: Name, of rebuilt: Reconstruction) throws -> Set<[Value?]> {
    let survey = rebuilt.survey
    let (tree, image) = (try #require(survey.tree(named: table)), try #require(survey.image))
    let position = try #require(survey.position(of: tree))
    var rows: Set<[Value?]> = []
    guard let assignment = rebuilt.reassembly.assignments[position] else {
      image.forEachRecord(ofTree: try #require(tree.root), isTable: false) { row in
        rows.insert([row.record.value(0), row.record.value(1)])
        return true
      }
      return rows
    }
    for number in assignment.pages {
      let page = try image.btreePage(number)
      for cell in page.soundCells ?? [] {
        let record = try image.record(of: cell, on: page).record
        rows.insert([record.value(0), record.value(1)])
      }
    }
    return rows
  }

  @Test(arguments: ["", "DESC"])
  func `entries that are rows from back to front are not given to the table`(key: String) throws {
    let specimen = try mirrored(key: key)
    let roots = try ["mirror", "refs"].map(specimen.root)
    #expect(try invented(in: "mirror", of: specimen, losing: roots) == 0)
  }

  @Test func `rows come back where only the root of the table is gone`() throws {
    let specimen = try mirrored(key: "")
    let damaged = specimen.with(.zeroPage(try specimen.root(of: "mirror")))
    #expect(try rows(in: "mirror", of: Reconstruction(main: damaged.bytes)).count > 480)
  }

  @Test func `a leaf of an index of another database is none of the table`() throws {
    func specimen(_ factor: Int) throws -> Specimen {
      try Specimen(
        """
        CREATE TABLE wide (id TEXT PRIMARY KEY, n INT, r REAL) WITHOUT ROWID;
        CREATE TABLE other (id INTEGER PRIMARY KEY, tag TEXT);
        CREATE INDEX tags ON other (tag);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO wide SELECT 'd' || (i * \(factor) % 100003), i, i / 7.0 FROM n;
        INSERT INTO other SELECT n, 'b' || (n * \(factor) % 100019) FROM wide;
        """)
    }
    let (own, strange) = (try specimen(7919), try specimen(6841))
    let truth = try rows(in: "wide", of: Reconstruction(main: own.bytes))
    for (place, leaf) in zip(
      own.pages(of: "wide", "leaf").dropFirst(), strange.pages(of: "tags", "leaf").dropFirst())
    {
      var damaged = own
      damaged.bytes.replaceSubrange(own[page: place], with: strange.bytes[strange[page: leaf]])
      let found = try rows(in: "wide", of: Reconstruction(main: damaged.bytes))
      #expect(found.isSubset(of: truth), "page \(place)")
    }
  }

  @Test func `a leaf with values that the table cannot hold is not the table's`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE plain (id TEXT PRIMARY KEY, tag TEXT, ref INTEGER) WITHOUT ROWID;
      CREATE TABLE other (id INTEGER PRIMARY KEY, tag TEXT);
      CREATE INDEX tags ON other (tag);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO plain SELECT 'k' || i, 'w' || i, i FROM n;
      INSERT INTO other SELECT ref, 'k' || ref || 'y' FROM plain;
      """)
    let leaves = [specimen.pages(of: "plain", "leaf")[3], specimen.pages(of: "tags", "leaf")[3]]
    let truth = try rows(in: "plain", of: Reconstruction(main: specimen.bytes))
    let rebuilt = Reconstruction(main: specimen.with(.swapPages(leaves[0], leaves[1])).bytes)
    #expect(try rows(in: "plain", of: rebuilt).subtracting(truth).isEmpty)
  }
}
