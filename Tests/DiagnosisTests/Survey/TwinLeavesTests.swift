// SPDX-License-Identifier: Apache-2.0
// Leaves that were written over those of another table of their form.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

struct TwinLeavesTests {
  /// `one` and `other` of one form, with texts of other lengths.
  private static let tables: DatabaseBuilder.Step = """
    CREATE TABLE one (id INTEGER PRIMARY KEY, body TEXT);
    CREATE TABLE other (id INTEGER PRIMARY KEY, body TEXT);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO one SELECT i * 3, substr('some text of one', 1, 9 + i * 7919 % 7) || i FROM n;
    INSERT INTO other SELECT id, substr('other', 1, 1 + id * 7907 % 4) || id FROM one;
    """

  /// The findings, and the pages of both tables, of a database in which a leaf of `one` was written
  /// over a page of `other`.
  private func look(
    _ specimen: Specimen, _ source: Int, over victim: Int
  ) throws -> (isSound: Bool, one: [PageNumber], other: [PageNumber]) {
    let specimen = specimen.with(.copyPage(from: source, to: victim))
    let rebuilt = Reconstruction(main: specimen.bytes)
    func pages(_ table: Name) throws -> [PageNumber] {
      let tree = try #require(rebuilt.survey.tree(named: table))
      let position = try #require(rebuilt.survey.position(of: tree))
      return rebuilt.reassembly.assignments[position]?.pages
        ?? specimen.pages(of: table.text, "leaf").compactMap { PageNumber($0) }
    }
    return (
      Survey(main: specimen.bytes).verdict == .healthy, try pages("one"), try pages("other")
    )
  }

  @Test func `a root over which another table's was written holds none of its rows`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE a (x INT, y TEXT, q INT, r TEXT);
      CREATE TABLE b (id INTEGER PRIMARY KEY, x REAL, y TEXT NOT NULL, z BLOB);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
      INSERT INTO b SELECT i, i * 1.5, 'name ' || i, zeroblob(20 + i) FROM n;
      INSERT INTO a SELECT id, 'row ' || id, 42, 'r' FROM b WHERE id < 6;
      """)
    let (victim, source) = (specimen.pages(of: "a", "leaf")[0], specimen.pages(of: "b", "leaf")[0])
    let rebuilt = Reconstruction(main: specimen.with(.copyPage(from: source, to: victim)).bytes)
    let rows = ["a", "b"].map { name in
      rebuilt.survey.tree(named: Name(name)).map { rebuilt.rowsFound(in: $0) }
    }
    #expect(rows == [0, 8])
    #expect(rebuilt.survey.verdict == .damagedLossy)
  }

  @Test func `a root over which a leaf with fewer columns was written has lost its rows`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE narrow (a TEXT, b INT, c INT);
      CREATE TABLE wide (x TEXT, y TEXT, p, q, r);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
      INSERT INTO narrow SELECT 'name ' || i, i, i * 2 FROM n;
      INSERT INTO wide (x, y) SELECT 'w' || b, 'y' || b FROM narrow WHERE b < 9;
      """)
    let (source, root) = (specimen.pages(of: "narrow", "leaf")[1], try specimen.root(of: "wide"))
    let rebuilt = Reconstruction(main: specimen.with(.copyPage(from: source, to: root)).bytes)
    let rows = ["narrow", "wide"].map { name in
      rebuilt.survey.tree(named: Name(name)).map { rebuilt.rowsFound(in: $0) }
    }
    #expect(rows == [90, 0])
    #expect(rebuilt.survey.verdict == .damagedLossy)
  }

  /// A leaf of `one` and the one of `other` in whose place its rows fit.
  private func likePlaces(in specimen: Specimen) throws -> (Int, Int) {
    let image = try #require(Survey(main: specimen.bytes).image)
    func spans(_ table: String) -> [(page: Int, first: Int64, last: Int64)] {
      specimen.pages(of: table, "leaf").compactMap { page in
        guard let number = PageNumber(page),
          let rowIDs = (try? image.btreePage(number))?.soundCells?.compactMap(\.rowID),
          let first = rowIDs.first, let last = rowIDs.last
        else { return nil }
        return (page, first, last)
      }
    }
    let others = spans("other")
    for leaf in spans("one").dropFirst().dropLast() {
      let place = others.indices.dropFirst().first { index in
        others[index - 1].last < leaf.first && leaf.last <= others[index].last
      }
      if let place, place < others.count - 1 { return (leaf.page, others[place].page) }
    }
    throw FormatError(.noCell)
  }

  @Test func `a root that is a copy of an index of another table is not the table's`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE daily (day TEXT PRIMARY KEY, sum INT);
      CREATE TABLE sample (key TEXT PRIMARY KEY, at INT, v) WITHOUT ROWID;
      INSERT INTO daily VALUES ('mon', 1), ('tue', 2), ('wed', 3);
      INSERT INTO sample VALUES ('a', 1, 'x'), ('b', 2, 'y');
      """)
    let index = specimen.pages(of: "sqlite_autoindex_daily_1", "leaf")[0]
    let victim = specimen.pages(of: "sample", "leaf")[0]
    let rebuilt = Reconstruction(main: specimen.with(.copyPage(from: index, to: victim)).bytes)
    #expect(rebuilt.survey.tree(named: "sample").map { rebuilt.rowsFound(in: $0) } == 0)
    #expect(rebuilt.survey.verdict == .damagedLossy)
    #expect(Survey(main: specimen.bytes).verdict == .healthy)
  }

  @Test func `a keyed table that a trigger fills with what an index has is sound`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder([
      """
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE lookup (name TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
      CREATE TRIGGER fill AFTER INSERT ON tag
        BEGIN INSERT INTO lookup VALUES (new.name, new.id); END;
      INSERT INTO tag (name) VALUES ('red'), ('blue'), ('green'), ('black');
      """
    ]).build(at: path)
    let survey = try Survey(path)
    let roots = ["lookup", "sqlite_autoindex_tag_1"].compactMap {
      survey.tree(named: Name($0))?.root
    }
    #expect(try survey.image?.bytes(of: roots[0]) == survey.image?.bytes(of: roots[1]))
    #expect(survey.verdict == .healthy)
  }

  @Test func `a leaf that fits between the keys of another table is not that table's`() throws {
    let specimen = try Specimen(Self.tables)
    let (source, victim) = try likePlaces(in: specimen)
    let (isSound, one, other) = try look(specimen, source, over: victim)
    #expect(!isSound)
    #expect(one.contains { $0.number == source })
    #expect(!other.contains { $0.number == victim })
  }

  @Test func `a root that is a copy of another table's leaf is not the table's`() throws {
    let specimen = try Specimen(Self.tables)
    let source = specimen.pages(of: "one", "leaf")[5]
    let root = try specimen.root(of: "other")
    let (isSound, one, other) = try look(specimen, source, over: root)
    #expect(!isSound)
    #expect(one.contains { $0.number == source })
    #expect(Set(other.map(\.number)) == Set(specimen.pages(of: "other", "leaf")))
  }

  @Test func `a leaf whose rowids a table never gave out is not that table's`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);
      CREATE TABLE b (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO b SELECT i, 'row ' || i FROM n;
      INSERT INTO a SELECT id, 'own ' || id FROM b WHERE id < 4;
      """)
    let (victim, source) = (specimen.pages(of: "a", "leaf")[0], specimen.pages(of: "b", "leaf")[2])
    let damaged = specimen.with(.copyPage(from: source, to: victim))
    let rebuilt = Reconstruction(main: damaged.bytes)
    let a = try #require(rebuilt.survey.tree(named: "a"))
    let b = try #require(rebuilt.survey.tree(named: "b"))
    #expect(rebuilt.rowsFound(in: a) == 0)
    #expect(rebuilt.rowsFound(in: b) == 300)
    #expect(rebuilt.survey.verdict == .damagedLossy)
  }

  @Test func `the page of a small table over a leaf of another one is no leaf of that`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE small (at INTEGER, msg TEXT);
      CREATE TABLE large (at INTEGER, msg TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO large SELECT i, 'large ' || i FROM n;
      INSERT INTO small SELECT at, 'small ' || at FROM large WHERE at < 6;
      """)
    let root = try specimen.root(of: "small")
    let damaged = specimen.with(
      .copyPage(from: root, to: specimen.pages(of: "large", "leaf")[0]))
    let rebuilt = Reconstruction(main: damaged.bytes)
    let small = try #require(rebuilt.survey.tree(named: "small"))
    #expect(rebuilt.rowsFound(in: small) == 5)
    #expect(rebuilt.survey.verdict == .damagedLossy)
  }

  @Test func `tables that an app has copied are sound`() throws {
    for change in [
      "DELETE FROM other WHERE id < 200", "UPDATE other SET body = body || id WHERE id % 7 = 0",
      "UPDATE one SET body = '' WHERE id BETWEEN 300 AND 900",
    ] {
      let specimen = try Specimen(
        Self.tables, "DELETE FROM other", "INSERT INTO other SELECT * FROM one", .init(change, []))
      #expect(Survey(main: specimen.bytes).verdict == .healthy)
    }
  }

  /// `slim` has the first columns of `wide`, and other rows; `keyed` has what an index over `slim` has.
  private static let forms: DatabaseBuilder.Step = """
    CREATE TABLE wide (id INTEGER PRIMARY KEY, body TEXT, n INT, more TEXT);
    CREATE TABLE slim (id INTEGER PRIMARY KEY, body TEXT);
    CREATE INDEX slim_body ON slim (body);
    CREATE TABLE keyed (body TEXT, id INT, more TEXT, PRIMARY KEY (body, id)) WITHOUT ROWID;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO wide SELECT i * 3, 'wide ' || i, i, 'more of ' || i FROM n;
    INSERT INTO slim SELECT id / 3, 'slim ' || n FROM wide;
    INSERT INTO keyed SELECT 'key ' || body, id, 'more' FROM slim;
    """

  @Test(arguments: [0, 2])
  func `a leaf with fewer columns over one of a wider table is none of its pages`(
    _ victim: Int
  ) throws {
    let specimen = try Specimen(Self.forms)
    for (source, table) in [("slim", "wide"), ("slim_body", "keyed")] {
      let leaf = specimen.pages(of: table, "leaf")[victim]
      let damaged = specimen.with(
        .copyPage(from: specimen.pages(of: source, "leaf")[1], to: leaf))
      let rebuilt = Reconstruction(main: damaged.bytes)
      #expect(rebuilt.survey.verdict == .damagedLossy, "\(table)")
      let placed = try placedRows(in: Name(table), of: damaged.bytes)
      #expect(placed.allSatisfy { $0.page.number != leaf }, "\(table)")
      let others = try placedRows(in: "slim", of: damaged.bytes)
      #expect(others.count == 300, "\(table)")
    }
  }

  @Test func `a table that was copied before it got more columns is sound`() throws {
    let specimen = try Specimen(
      Self.forms, "CREATE TABLE copy (id INTEGER PRIMARY KEY, body TEXT)",
      "INSERT INTO copy SELECT * FROM slim", "DELETE FROM copy WHERE id % 50 = 7",
      "ALTER TABLE copy ADD COLUMN more TEXT",
      "INSERT INTO copy SELECT id + 300, body, 'more' FROM slim")
    #expect(Survey(main: specimen.bytes).verdict == .healthy)
  }
}
