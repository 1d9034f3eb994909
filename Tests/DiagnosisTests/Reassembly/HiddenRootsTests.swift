// SPDX-License-Identifier: Apache-2.0
// Trees whose roots are destroyed in a file whose list of free pages is lost.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct HiddenRootsTests {
  private static let pageSize = 1024

  private func database(_ sql: String) throws -> Bytes {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: Self.pageSize, ["\(sql)"]).build(at: path)
    return try path.contents()
  }

  private static let tables = """
    CREATE TABLE product (id INTEGER PRIMARY KEY, net REAL, label TEXT NOT NULL, kind TEXT);
    CREATE TABLE cell (x INTEGER, y INTEGER, v BLOB, PRIMARY KEY (y DESC, x)) WITHOUT ROWID;
    CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
    """
  private static let rows = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
    INSERT INTO product SELECT i, i / 2.0, 'label ' || i, 'kind' FROM n;
    INSERT INTO cell SELECT id, id % 7, x'00ff' FROM product;
    INSERT INTO note SELECT id, 'body ' || id FROM product;
    """

  /// A database without its first page and its roots, with the schema from outside.
  private func rebuilt(_ sql: String, also pages: [Int] = []) throws -> Reconstruction {
    var bytes = try database(sql)
    let whole = Survey(main: bytes)
    let entries = whole.schema?.entries ?? []
    for number in [1] + whole.trees.compactMap(\.root?.number) + pages {
      let start = (number - 1) * Self.pageSize
      bytes.replaceSubrange(
        start..<(start + Self.pageSize), with: Bytes(repeating: 0, count: Self.pageSize))
    }
    return try Reconstruction(
      FileSet(main: MemorySource(bytes)), parser: SandboxParser(),
      known: OutsideKnowledge(schema: { entries }))
  }

  /// Exchanges two pages.
  private func exchange(_ left: PageNumber, _ right: PageNumber, in bytes: inout Bytes) {
    let places = [left, right].map { page in
      let start = (page.number - 1) * Self.pageSize
      return start..<(start + Self.pageSize)
    }
    let pages = places.map { Bytes(bytes[$0]) }
    bytes.replaceSubrange(places[0], with: pages[1])
    bytes.replaceSubrange(places[1], with: pages[0])
  }

  private func found(_ rebuilt: Reconstruction, _ name: Name) -> Int? {
    rebuilt.survey.tree(named: name).map { rebuilt.rowsFound(in: $0) }
  }

  @Test func `leaves get their table where as many roots are hidden as pages are destroyed`() throws
  {
    let rebuilt = try rebuilt(Self.tables + Self.rows)
    #expect(found(rebuilt, "product") == 400)
    #expect(found(rebuilt, "note") == 400)
    // Rows of a table WITHOUT ROWID lie in its root, too.
    #expect(try #require(found(rebuilt, "cell")) >= 370)
    #expect(rebuilt.rowsWithoutTable.rows == 0)
  }

  @Test func `rows of free pages stay without a table where a trunk may be destroyed`() throws {
    let gone = """
      CREATE TABLE gone (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
      WITH RECURSIVE n (i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < 1400)
      INSERT INTO gone SELECT i, 'gone ' || i FROM n;
      DROP TABLE gone;
      """
    let bytes = try database(Self.tables + Self.rows + gone)
    let trunk = try #require(bytes.big32(at: 32))
    let rebuilt = try rebuilt(Self.tables + Self.rows + gone, also: [Int(trunk)])
    #expect(try #require(found(rebuilt, "note")) <= 400)
    #expect(rebuilt.rowsWithoutTable.rows >= 350)
  }

  @Test func `a page of longer rows where an index leads is given back to its table`() throws {
    var bytes = try database(
      """
      CREATE TABLE word (word TEXT PRIMARY KEY, n INTEGER NOT NULL, twice INTEGER NOT NULL)
        WITHOUT ROWID;
      CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT);
      WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
      INSERT INTO word SELECT 'word ' || i, i, 2 * i FROM n;
      INSERT INTO item SELECT n, 'label ' || n FROM word;
      CREATE INDEX item_label ON item (upper(label));
      """)
    let survey = Survey(main: bytes)
    let image = try #require(survey.image)
    func root(_ name: Name) throws -> BTreePage {
      try image.btreePage(try #require(survey.tree(named: name)?.root))
    }
    // The page of the index above its leaves is none that its root is at, either.
    let leaf = try #require(PageNumber(try root("item").cell(2).leftChild))
    exchange(
      try #require(root("word").rightChild), try #require(root("item_label").rightChild), in: &bytes
    )
    exchange(leaf, try root("item_label").number, in: &bytes)
    let damaged = Reconstruction(main: bytes)
    #expect(found(damaged, "word") == 601)
    #expect(found(damaged, "item") == 601)
  }

  @Test func `a table whose root changed places with a leaf of other types has its own rows`()
    throws
  {
    var bytes = try database(
      """
      CREATE TABLE small (id INTEGER PRIMARY KEY, price REAL, weight REAL, label TEXT);
      CREATE TABLE large (id INTEGER PRIMARY KEY, body TEXT NOT NULL, n INTEGER NOT NULL);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO large SELECT i, 'body ' || i, i FROM n;
      INSERT INTO small SELECT id, id / 2.0, id / 4.0, 'label' FROM large LIMIT 10;
      """)
    let survey = Survey(main: bytes)
    let image = try #require(survey.image)
    let small = try #require(survey.tree(named: "small")?.root)
    let large = try image.btreePage(try #require(survey.tree(named: "large")?.root))
    let leaf = try #require(PageNumber(try large.cell(3).leftChild))
    exchange(small, leaf, in: &bytes)
    let damaged = Reconstruction(main: bytes)
    #expect(found(damaged, "large") == 400)
    #expect(try #require(found(damaged, "small")) <= 10)
  }

  @Test func `a root of which some rows cannot be is that of the table that can have all`() throws {
    var bytes = try database(
      """
      CREATE TABLE twice (a INTEGER, b INTEGER AS (a * 2) STORED, c TEXT);
      CREATE TABLE late (id INTEGER PRIMARY KEY, c TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO late SELECT i, 'body ' || i FROM n;
      ALTER TABLE late ADD COLUMN n INTEGER DEFAULT 12;
      UPDATE late SET n = id WHERE id % 5 = 0;
      INSERT INTO twice (a, c) SELECT id, c FROM late LIMIT 10;
      """)
    let survey = Survey(main: bytes)
    let image = try #require(survey.image)
    let twice = try #require(survey.tree(named: "twice")?.root)
    let late = try image.btreePage(try #require(survey.tree(named: "late")?.root))
    exchange(twice, try #require(PageNumber(try late.cell(3).leftChild)), in: &bytes)
    let damaged = Reconstruction(main: bytes)
    #expect(found(damaged, "late") == 400)
    #expect(try #require(found(damaged, "twice")) <= 10)
  }
}
