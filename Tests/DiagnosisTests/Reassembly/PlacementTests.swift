// SPDX-License-Identifier: Apache-2.0
// By which evidence pages come back to their tables.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PlacementTests {
  /// Why pages are held to be a table's whose root is gone.
  private func evidence(for table: Name, in specimen: Specimen) throws -> [PlacementEvidence] {
    let root = try specimen.root(of: table.text)
    let rebuilt = Reconstruction(main: specimen.with(.zeroPage(root)).bytes)
    let tree = try #require(rebuilt.survey.tree(named: table))
    #expect(tree.records == 0)
    #expect(rebuilt.recordsRegained(by: tree) > 0)
    return rebuilt.reassembly.evidence(for: try #require(rebuilt.survey.position(of: tree))).map(
      \.kind)
  }

  @Test func `rows that an index knows come back by its word`() throws {
    #expect(try evidence(for: "note", in: Specimen()) == [.index])
  }

  @Test func `rows that only one tree can have come back to it`() throws {
    #expect(try evidence(for: "word", in: Specimen()) == [.elimination])
  }

  @Test func `a pointer map names the tree`() throws {
    let specimen = try Specimen(
      "CREATE TABLE copy (word TEXT PRIMARY KEY) WITHOUT ROWID",
      "INSERT INTO copy SELECT * FROM word",
      autoVacuum: .full)
    #expect(try evidence(for: "copy", in: specimen) == [.pointerMap])
  }

  /// Posts of which no index knows one, and some of which were deleted.
  private func posts() throws -> (specimen: Specimen, live: [Int64]) {
    let specimen = try Specimen(
      "PRAGMA secure_delete = 0", "CREATE TABLE post (id INTEGER PRIMARY KEY, body TEXT, at INT)",
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO post SELECT i, 'body ' || (i * i), i * 7919 FROM n
      """, "DELETE FROM post WHERE id BETWEEN 200 AND 400")
    return (specimen, (1...600).filter { !(200...400).contains($0) }.map(Int64.init))
  }

  /// A database in which the pointer to a leaf of the posts leads to another page.
  private func leading(to other: Int, from leaf: Int, in specimen: Specimen) throws -> Bytes {
    var bytes = specimen.bytes
    let place = try #require(
      specimen.pages(of: "post", "internal").flatMap { specimen[page: $0] }
        .last { bytes.big32(at: $0) == UInt32(leaf) })
    bytes.replaceSubrange(
      place..<(place + 4), with: [0, 0, UInt8(other >> 8), UInt8(other & 0xFF)])
    return bytes
  }

  @Test func `a leaf comes back where its tree leads to the next one instead`() throws {
    let (specimen, live) = try posts()
    let leaves = specimen.pages(of: "post", "leaf")
    for (leaf, next) in zip(leaves, leaves.dropFirst()).prefix(6) {
      let bytes = try leading(to: next, from: leaf, in: specimen)
      let placed = try placedRows(in: "post", of: bytes).compactMap(\.rowID)
      #expect(placed.sorted() == live, "page \(leaf)")
    }
  }

  @Test func `a tree that leads to a free page instead of a leaf gets no deleted rows`() throws {
    let (specimen, live) = try posts()
    let free = try #require(Survey(main: specimen.bytes).freelist?.leaves)
    for (leaf, other) in zip(specimen.pages(of: "post", "leaf").dropFirst(2), free).prefix(6) {
      let bytes = try leading(to: other.number, from: leaf, in: specimen)
      let placed = try placedRows(in: "post", of: bytes).compactMap(\.rowID)
      #expect(placed.sorted() == live, "page \(leaf) to \(other)")
    }
  }

  @Test func `a sound database needs none of it`() throws {
    let rebuilt = Reconstruction(main: try Specimen().bytes)
    #expect(rebuilt.reassembly.assignments.isEmpty)
    #expect(rebuilt.reassembly.orphans.isEmpty)
  }

  @Test func `a root that has changed places with a leaf below it is found there`() throws {
    let specimen = try Specimen("CREATE TABLE small (a)", "INSERT INTO small VALUES (1), (2)")
    let leaves = specimen.pages(of: "note", "leaf")
    let root = try specimen.root(of: "note")
    #expect(!leaves.contains(root))
    let rebuilt = Reconstruction(main: specimen.with(.swapPages(root, leaves[3])).bytes)
    let note = try #require(rebuilt.survey.tree(named: "note"))
    #expect(rebuilt.recordsRegained(by: note) > 0 && rebuilt.rowsWithoutTable.rows == 0)
    let assignment = try rebuilt.reassembly.assignments[#require(rebuilt.survey.position(of: note))]
    #expect(
      assignment?.pages.map(\.number).sorted()
        == ([root] + leaves).filter { $0 != leaves[3] }.sorted())
  }

  @Test func `rows of a table that is not known are no entries of the index over it`() throws {
    var specimen = try Specimen(
      """
      CREATE TABLE ledger (account TEXT, day INT, PRIMARY KEY (account, day)) WITHOUT ROWID;
      CREATE INDEX days ON ledger (day);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO ledger SELECT 'account ' || i, i * 7 FROM n;
      """)
    specimen.bytes = try specimen.bytes.replacing(text: "tableledger", with: "t??leledger")
    let rebuilt = Reconstruction(
      main: specimen.with(.zeroPage(try specimen.root(of: "days"))).bytes)
    #expect(rebuilt.rowsWithoutTable.rows >= 300)
  }

  @Test(arguments: [
    ("x INT, y INT, words TEXT", "i * i, 'what these two have to do with each other'"),
    ("x INT, words TEXT, z INT", "'what these two have to do with each other', 'n'"),
  ])
  func `rows that lack columns or the declared types drive no others out`(
    _ columns: String, _ values: String
  ) throws {
    let specimen = try Specimen(
      """
      CREATE TABLE sum (\(columns));
      CREATE TABLE label (id INTEGER PRIMARY KEY, label TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO sum SELECT i, \(values) FROM n;
      INSERT INTO label SELECT rowid, 'what a label has to say of them' FROM sum;
      """)
    let sums = specimen.pages(of: "sum", "leaf")
    // It has more rows than the leaf behind the one that it displaces, and takes up its rowids.
    let (one, other) = (sums[4], specimen.pages(of: "label", "leaf")[3])
    let rebuilt = Reconstruction(main: specimen.with(.swapPages(one, other)).bytes)
    let position = try #require(rebuilt.survey.tree(named: "sum").flatMap(rebuilt.survey.position))
    let pages = rebuilt.reassembly.assignments[position]?.pages.map(\.number)
    #expect(try Set(#require(pages)) == Set(sums.map { $0 == one ? other : $0 }))
  }

  @Test func `a sound table whose types are not kept to loses no row to a table that lost its own`()
    throws
  {
    let specimen = try Specimen(
      "CREATE TABLE odd (id INTEGER PRIMARY KEY, v REAL)",
      "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, x TEXT)",
      "INSERT INTO odd (v) VALUES ('2026-01-26'), (''), ('2026-01-15')",
      "INSERT INTO counted (x) VALUES ('x')")
    let sequence = try specimen.root(of: "sqlite_sequence")
    let rebuilt = Reconstruction(main: specimen.with(.zeroPage(sequence)).bytes)
    let odd = try #require(rebuilt.survey.tree(named: "odd").flatMap(rebuilt.survey.position))
    #expect(rebuilt.reassembly.assignments[odd]?.pages.count ?? 1 == 1)
    let other = try #require(rebuilt.survey.tree(named: "sqlite_sequence"))
    #expect(rebuilt.recordsRegained(by: other) == 0)
  }

  @Test func `nor to one of the types that its values have`() throws {
    let specimen = try Specimen(
      "CREATE TABLE odd (id INTEGER PRIMARY KEY, v INT)",
      "CREATE TABLE text (id INTEGER PRIMARY KEY, v TEXT)",
      "INSERT INTO odd (v) VALUES ('one'), ('two'), ('three')",
      "INSERT INTO text (v) VALUES ('four')")
    let rebuilt = Reconstruction(
      main: specimen.with(.zeroPage(try specimen.root(of: "text"))).bytes)
    let odd = try #require(rebuilt.survey.tree(named: "odd"))
    #expect(rebuilt.rowsFound(in: odd) == 3 && rebuilt.loss(of: odd) == .none)
  }

  @Test func `a page that was also written over another table's gives it no rows`() throws {
    var specimen = try Specimen(
      "CREATE TABLE one (name TEXT); CREATE INDEX one_name ON one (name)",
      "CREATE TABLE two (name TEXT); CREATE INDEX two_name ON two (name)",
      "INSERT INTO one VALUES ('a'), ('b'), ('c')", "INSERT INTO two VALUES ('d'), ('e'), ('f')")
    let (one, two) = (try specimen.root(of: "one"), try specimen.root(of: "two"))
    specimen.bytes.replaceSubrange(
      specimen[page: one], with: specimen.bytes[specimen[page: two]])
    let rebuilt = Reconstruction(main: specimen.bytes)
    let trees = try ["one", "two"].map { try #require(rebuilt.survey.tree(named: $0)) }
    #expect(trees.map(rebuilt.rowsFound) == [0, 3])
    #expect(trees.map(rebuilt.loss) == [.unknown, .none])
    #expect(rebuilt.rowsWithoutTable.rows == 3)
  }

  @Test func `a page that was also written over an empty table's gives it no rows`() throws {
    var specimen = try Specimen("CREATE TABLE empty (a, b)", "CREATE INDEX i ON empty (b)")
    let leaf = specimen.pages(of: "note", "leaf")[2]
    let root = specimen[page: try specimen.root(of: "empty")]
    specimen.bytes.replaceSubrange(root, with: specimen.bytes[specimen[page: leaf]])
    let rebuilt = Reconstruction(main: specimen.bytes)
    let empty = try #require(rebuilt.survey.tree(named: "empty"))
    #expect(rebuilt.rowsFound(in: empty) == 0 && rebuilt.loss(of: empty) == .unknown)
    #expect(rebuilt.survey.tree(named: "note").map(rebuilt.loss) == Loss.none)
  }

  @Test func `a leaf that is lost is told of where the root was found elsewhere`() throws {
    let specimen = try Specimen(
      "CREATE TABLE long (id INTEGER PRIMARY KEY, v BLOB)",
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
      INSERT INTO long SELECT i, zeroblob(200) FROM n
      """)
    let (root, leaves) = (try specimen.root(of: "long"), specimen.pages(of: "long", "leaf"))
    let rebuilt = Reconstruction(
      main: specimen.with(.zeroPage(leaves[1])).with(.swapPages(root, leaves[3])).bytes)
    let long = try #require(rebuilt.survey.tree(named: "long"))
    #expect(rebuilt.rowsFound(in: long) < 12 && rebuilt.loss(of: long) != .none)
  }

  /// A table of which some rows were deleted by whole pages, and one leaf is destroyed; the list of
  /// free pages is.
  @Test func `a free page is none of the leaves that were destroyed where they lay`() throws {
    var specimen = try Specimen(
      """
      DROP INDEX bodies;
      CREATE TABLE visit (at INTEGER, place TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO visit SELECT i, 'a place of many, the ' || i || 'th' FROM n;
      """, "DELETE FROM visit WHERE at BETWEEN 300 AND 600")
    let kept = specimen.pages(of: "visit", "leaf")
    let place = kept.count / 2
    let trunk = try #require(specimen.bytes.big32(at: 32))
    let known = Survey(main: specimen.with(.zeroPage(kept[place])).bytes)
    specimen = specimen.with(.zeroPage(kept[place])).with(.zeroPage(Int(trunk)))
    let rebuilt = Reconstruction(main: specimen.bytes)
    let visit = try #require(rebuilt.survey.tree(named: "visit"))
    #expect(rebuilt.recordsRegained(by: visit) == 0)
    #expect(visit.records == known.tree(named: "visit")?.records)
    #expect(rebuilt.rowsWithoutTable.rows >= 200)
  }

  @Test func `an index that misses no page but a destroyed one vouches for no other table`() throws
  {
    var specimen = try Specimen(
      """
      CREATE TABLE one (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE two (id INTEGER PRIMARY KEY, name TEXT);
      CREATE INDEX one_name ON one (name);
      CREATE INDEX two_name ON two (name);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
      INSERT INTO one SELECT i, 'one is called ' || i FROM n;
      INSERT INTO two SELECT id + 60, 'another one is called ' || id FROM one;
      """)
    for page in try [
      #require(specimen.pages(of: "one", "leaf").last),
      #require(specimen.pages(of: "one_name", "leaf").last),
      specimen.root(of: "two"), specimen.root(of: "two_name"),
    ] {
      specimen = specimen.with(.zeroPage(page))
    }
    specimen.bytes = try specimen.bytes.replacing(text: "tabletwo", with: "t??letwo")
      .replacing(text: "indextwo_name", with: "i??extwo_name")
    let rebuilt = Reconstruction(main: specimen.bytes)
    #expect(rebuilt.survey.tree(named: "one").map(rebuilt.recordsRegained) == 0)
    #expect(rebuilt.rowsWithoutTable.rows >= 80)
  }

  @Test func `rows and entries of an unknown table are none of one that is lost whole`() throws {
    var specimen = try Specimen(
      """
      CREATE TABLE one (id INTEGER PRIMARY KEY, name TEXT);
      CREATE INDEX one_name ON one (name);
      CREATE TABLE two (id INTEGER PRIMARY KEY, name TEXT);
      CREATE INDEX two_name ON two (name);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
      INSERT INTO one SELECT i, 'one is called ' || i FROM n;
      INSERT INTO two SELECT id + 60, 'another is ' || id FROM one;
      """)
    for page in [try specimen.root(of: "one"), try specimen.root(of: "one_name")] {
      specimen = specimen.with(.zeroPage(page))
    }
    specimen.bytes = try specimen.bytes.replacing(text: "tabletwo", with: "t??letwo")
      .replacing(text: "indextwo_name", with: "i??extwo_name")
    let rebuilt = Reconstruction(main: specimen.bytes)
    #expect(rebuilt.survey.tree(named: "one").map(rebuilt.recordsRegained) == 0)
    #expect(rebuilt.rowsWithoutTable.rows >= 12)
  }

  /// Why pages are held to be those of a table whose rows have its declared types, and whose form
  /// another one has, too; beside a third one, of which an index knows the rows.
  private func evidenceByTypes(besides values: String) throws -> [PlacementEvidence] {
    var specimen = try Specimen(
      """
      CREATE TABLE sum (x TEXT, y INT);
      CREATE TABLE product (x INT, y INT);
      CREATE TABLE known (x INT, y TEXT);
      CREATE INDEX known_y ON known (y);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO sum SELECT 'summand ' || i, i FROM n;
      INSERT INTO product SELECT y * y, y FROM sum;
      INSERT INTO known SELECT \(values), 'text ' || y FROM sum;
      """)
    for table in ["sum", "product", "known"] {
      specimen = specimen.with(.zeroPage(try specimen.root(of: table)))
    }
    let rebuilt = Reconstruction(main: specimen.bytes)
    let position = try #require(rebuilt.survey.tree(named: "sum").flatMap(rebuilt.survey.position))
    return rebuilt.reassembly.evidence(for: position).map(\.kind)
  }

  @Test func `declared types tell where the rows that are known keep to them`() throws {
    #expect(try evidenceByTypes(besides: "y") == [.declaredTypes])
  }

  @Test func `declared types tell nothing where the rows that are known are of any`() throws {
    #expect(try !evidenceByTypes(besides: "x").contains(.declaredTypes))
  }
}
