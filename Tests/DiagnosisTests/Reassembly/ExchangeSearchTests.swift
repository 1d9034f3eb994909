// SPDX-License-Identifier: Apache-2.0
// Pages of tables of one form that have changed places come back to their own.

import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

struct ExchangeSearchTests {
  /// `one` and `other` of one form, with as many rows, of which no index knows one; `lone` has one
  /// leaf, `book` and `copy` are WITHOUT ROWID.
  private let specimen: Specimen

  init() throws {
    specimen = try Specimen(
      """
      CREATE TABLE one (id INTEGER PRIMARY KEY, body TEXT);
      CREATE TABLE other (id INTEGER PRIMARY KEY, body TEXT);
      CREATE TABLE book (word TEXT PRIMARY KEY, day INT) WITHOUT ROWID;
      CREATE TABLE copy (word TEXT PRIMARY KEY, day INT) WITHOUT ROWID;
      CREATE INDEX days ON copy (day);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO one SELECT i, 'a text of one ' || i FROM n;
      INSERT INTO other SELECT id, 'a longer text of the other one ' || id FROM one;
      INSERT INTO book SELECT 'word ' || (id * 7919 % 10007), id FROM one;
      INSERT INTO copy SELECT 'word ' || (id * 6007 % 10007), -id FROM one;
      """)
  }

  /// What is wrong with the rows of a table when two pages have changed places.
  private func faults(in table: Name, swapping one: Int, _ other: Int) throws -> String {
    try faults(
      in: table, of: specimen, specimen.with(.swapPages(one, other)).bytes, one, other)
  }

  private func faults(
    in table: Name, of specimen: Specimen, _ bytes: Bytes, _ one: Int, _ other: Int
  ) throws -> String {
    let rebuilt = Reconstruction(main: bytes)
    let tree = try #require(rebuilt.survey.tree(named: table))
    let position = try #require(rebuilt.survey.position(of: tree))
    let pages = rebuilt.reassembly.assignments[position]?.pages ?? []
    let own = specimen.pages(of: table.text, "leaf") + specimen.pages(of: table.text, "internal")
    let moved = own.map { $0 == one ? other : $0 == other ? one : $0 }
    let strange = pages.filter { !moved.contains($0.number) }
    return pages.isEmpty || !strange.isEmpty
      ? "\(pages.count) pages, of another table \(strange)"
      : rebuilt.rowsWithoutTable.rows > 0 ? "rows without table" : ""
  }

  @Test func `roots that have changed places in a round are where the pointer map has them`() throws
  {
    let specimen = try Specimen(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, body TEXT);
      CREATE TABLE b (name TEXT, amount INTEGER);
      CREATE TABLE c (id INTEGER PRIMARY KEY, body TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO a SELECT i, 'a text of a ' || i FROM n;
      INSERT INTO b SELECT 'a name of b ' || id, id * 3 FROM a;
      INSERT INTO c SELECT id, 'a text of c ' || id FROM a;
      """, autoVacuum: .full)
    let roots = try ["a", "b", "c"].map { try specimen.root(of: $0) }
    let damaged = specimen.with(.swapPages(roots[0], roots[1]))
      .with(.swapPages(roots[1], roots[2]))
    let rebuilt = Reconstruction(main: damaged.bytes)
    for (table, root) in zip(["a", "b", "c"], roots) {
      let tree = try #require(rebuilt.survey.tree(named: Name(table)))
      let position = try #require(rebuilt.survey.position(of: tree))
      let pages = Set(rebuilt.reassembly.assignments[position]?.pages.map(\.number) ?? [])
      #expect(pages == Set(specimen.pages(of: table, "leaf")), "\(table) at \(root)")
    }
  }

  @Test(arguments: ["", "CREATE INDEX oi ON other (b);"])
  func `an index without entries gives no table without rows those of its own`(
    more: String
  ) throws {
    let specimen = try Specimen(
      """
      CREATE TABLE one (id INTEGER PRIMARY KEY, a INT, b TEXT);
      CREATE INDEX i ON one (b);
      CREATE TABLE other (id INTEGER PRIMARY KEY, a INT, b TEXT);
      \(more)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
      INSERT INTO one SELECT i, i * i, 'row ' || i FROM n;
      """)
    var bytes = specimen.bytes
    let page = specimen[page: try specimen.root(of: "i")]
    // An index leaf without cells.
    let empty = Bytes([10, 0, 0, 0, 0, UInt8(page.count >> 8), UInt8(page.count & 0xFF), 0])
    bytes.replaceSubrange(
      page, with: empty + Bytes(repeating: 0, count: page.count - empty.count))
    #expect(try placedRows(in: "one", of: bytes).count == 30)
    #expect(try placedRows(in: "other", of: bytes).isEmpty)
  }

  @Test func `where tables or their only indexes have changed places, nothing is complete`() throws
  {
    let specimen = try Specimen(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT, c INT);
      CREATE TABLE z (id INTEGER PRIMARY KEY, b TEXT, c INT);
      CREATE INDEX ai ON a (c);
      CREATE INDEX zi ON z (c);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
      INSERT INTO a SELECT i, 'row ' || i, 3 * i FROM n;
      INSERT INTO z SELECT id, 'other ' || id, 3 * id + 1 FROM a WHERE id < 20;
      """)
    let (one, other) = (specimen.pages(of: "ai", "leaf")[0], specimen.pages(of: "zi", "leaf")[0])
    let rebuilt = Reconstruction(main: specimen.with(.swapPages(one, other)).bytes)
    #expect(rebuilt.undecidedTables.count == 1)
    #expect(rebuilt.findings.contains { $0.code == .orphanRows && $0.severity == .loss })
  }

  @Test func `an index of expressions tells nothing of another table's rows`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT);
      CREATE INDEX words ON a (b);
      CREATE INDEX low ON a (lower(b));
      CREATE TABLE z (id INTEGER PRIMARY KEY, size BLOB);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
      INSERT INTO a SELECT i, 'Text ' || i FROM n;
      INSERT INTO z SELECT id, x'01' FROM a;
      """)
    var bytes = specimen.with(.zeroPage(specimen.pages(of: "words", "leaf")[0])).bytes
    bytes[specimen.pages(of: "low", "leaf")[0] * Specimen.pageSize - 2] ^= 0x01
    let rebuilt = Reconstruction(main: bytes)
    #expect(rebuilt.undecidedTables.isEmpty)
    #expect(rebuilt.survey.tree(named: "a").map { rebuilt.rowsFound(in: $0) } == 30)
    #expect(rebuilt.survey.tree(named: "z").map { rebuilt.rowsFound(in: $0) } == 30)
  }

  @Test(arguments: [true, false])
  func `indexes that have changed places leave their tables alone`(bySwap: Bool) throws {
    let specimen = try Specimen(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, n INT);
      CREATE INDEX names ON a (name);
      CREATE TABLE s (id INTEGER PRIMARY KEY, k TEXT UNIQUE);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 35)
      INSERT INTO a SELECT i, 'name ' || i, i * 5 FROM n;
      INSERT INTO s SELECT id, 'k' || id FROM a WHERE id < 10;
      """)
    let names = specimen.pages(of: "names", "leaf")[0]
    let keys = specimen.pages(of: "sqlite_autoindex_s_1", "leaf")[0]
    let bytes = specimen.with(
      bySwap ? .swapPages(names, keys) : .copyPage(from: names, to: keys)
    ).bytes
    let rebuilt = Reconstruction(main: bytes)
    let rows = ["a", "s"].map { name in
      rebuilt.survey.tree(named: Name(name)).map { rebuilt.rowsFound(in: $0) }
    }
    #expect(rows == [35, 9])
    #expect(rebuilt.rowsWithoutTable.rows == 0)
    #expect(Survey(main: bytes).verdict == .damagedIntact)
  }

  @Test(arguments: [(0, 0), (5, 3), (-1, -1), (0, 4)])
  func `leaves of tables of one form that have changed places`(_ one: Int, _ other: Int) throws {
    let ones = specimen.pages(of: "one", "leaf")
    let others = specimen.pages(of: "other", "leaf")
    let pages = (
      ones[one < 0 ? ones.count - 1 : one], others[other < 0 ? others.count - 1 : other]
    )
    #expect(try faults(in: "one", swapping: pages.0, pages.1) == "")
    #expect(try faults(in: "other", swapping: pages.0, pages.1) == "")
  }

  @Test func `leaves of tables WITHOUT ROWID of one form that have changed places`() throws {
    let pages = (specimen.pages(of: "book", "leaf")[4], specimen.pages(of: "copy", "leaf")[2])
    #expect(try faults(in: "book", swapping: pages.0, pages.1) == "")
    #expect(try faults(in: "copy", swapping: pages.0, pages.1) == "")
  }

  @Test(arguments: [("one", "other"), ("book", "copy")])
  func `a root that has changed places with a leaf of another table of its form`(
    _ one: Name, _ other: Name
  ) throws {
    let root = try specimen.root(of: one.text)
    let leaf = specimen.pages(of: other.text, "leaf")[3]
    #expect(try faults(in: one, swapping: root, leaf) == "")
    #expect(try faults(in: other, swapping: root, leaf) == "")
  }

  @Test func `roots WITHOUT ROWID that have changed places, as keys and types tell`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE kv (key TEXT PRIMARY KEY, value BLOB, at INT) WITHOUT ROWID;
      CREATE TABLE counters (day INT, metric TEXT, n INT, PRIMARY KEY (metric, day)) WITHOUT ROWID;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO kv SELECT 'key ' || i, zeroblob(i % 90), i * 7919 FROM n;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO counters SELECT i, 'metric ' || (i % 9), i * 31 FROM n;
      """)
    let (one, other) = (try specimen.root(of: "kv"), try specimen.root(of: "counters"))
    let bytes = specimen.with(.swapPages(one, other)).bytes
    for table in ["kv", "counters"] as [Name] {
      #expect(try faults(in: table, of: specimen, bytes, one, other) == "")
    }
  }

  @Test func `roots that have changed places, where an index knows the rows of one`() throws {
    let roots = (try specimen.root(of: "book"), try specimen.root(of: "copy"))
    #expect(try faults(in: "book", swapping: roots.0, roots.1) == "")
    #expect(try faults(in: "copy", swapping: roots.0, roots.1) == "")
  }

  /// Tables of other columns, in which what is declared a BLOB is none.
  private func others() throws -> Specimen {
    try Specimen(
      """
      CREATE TABLE small (a INT, b TEXT);
      CREATE TABLE wide (a TEXT, b BLOB, c INT, d TEXT);
      CREATE TABLE large (a REAL, b BLOB, c TEXT);
      CREATE TABLE loose (a, b);
      CREATE TABLE empty (a TEXT, b INT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
      INSERT INTO small SELECT i, 'small ' || i FROM n;
      INSERT INTO wide SELECT 'wide ' || a, a, a * a, 'text of ' || a FROM small;
      INSERT INTO large SELECT a / 2.0, a, 'large ' || a || hex(zeroblob(200)) FROM small;
      INSERT INTO large SELECT * FROM large;
      INSERT INTO loose SELECT 'loose', a FROM small;
      """)
  }

  @Test(arguments: [("small", "wide"), ("wide", "large"), ("small", "large"), ("large", "loose")])
  func `roots of tables of other columns that have changed places`(
    _ one: Name, _ other: Name
  ) throws {
    let specimen = try others()
    let pages = (try specimen.root(of: one.text), try specimen.root(of: other.text))
    let swapped = specimen.with(.swapPages(pages.0, pages.1)).bytes
    #expect(try faults(in: one, of: specimen, swapped, pages.0, pages.1) == "")
    #expect(try faults(in: other, of: specimen, swapped, pages.0, pages.1) == "")
  }

  @Test func `a root that has changed places with a leaf of a table of other columns`() throws {
    let specimen = try others()
    let pages = (try specimen.root(of: "wide"), specimen.pages(of: "large", "leaf")[1])
    let swapped = specimen.with(.swapPages(pages.0, pages.1)).bytes
    #expect(try faults(in: "wide", of: specimen, swapped, pages.0, pages.1) == "")
    #expect(try faults(in: "large", of: specimen, swapped, pages.0, pages.1) == "")
  }

  @Test func `the root of the sequences that has changed places with a leaf`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, body TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO counted (kind, body) SELECT 'kind', 'a text ' || i FROM n;
      """)
    let leaf = specimen.pages(of: "counted", "leaf")[4]
    let root = try specimen.root(of: "sqlite_sequence")
    let swapped = specimen.with(.swapPages(root, leaf)).bytes
    #expect(try faults(in: "counted", of: specimen, swapped, root, leaf) == "")
    #expect(try faults(in: "sqlite_sequence", of: specimen, swapped, root, leaf) == "")
  }

  @Test(arguments: [20, 500])
  func `the root of a table WITHOUT ROWID and that of an index over another one`(
    _ count: Int
  ) throws {
    let specimen = try Specimen(
      """
      CREATE TABLE large (id INTEGER PRIMARY KEY, name TEXT, body TEXT);
      CREATE INDEX names ON large (name);
      CREATE TABLE words (word TEXT PRIMARY KEY, day INT, lang TEXT) WITHOUT ROWID;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO large SELECT i, 'a name ' || (i * 7919 % 10007), 'a text ' || i FROM n;
      INSERT INTO words SELECT 'a word ' || (id * 6007 % 10007), id, 'en' FROM large;
      """)
    let pages = (try specimen.root(of: "words"), try specimen.root(of: "names"))
    let swapped = specimen.with(.swapPages(pages.0, pages.1)).bytes
    #expect(try faults(in: "words", of: specimen, swapped, pages.0, pages.1) == "")
    let rebuilt = Reconstruction(main: swapped)
    for table: Name in ["words", "large"] {
      #expect(rebuilt.rowsFound(in: try #require(rebuilt.survey.tree(named: table))) == count)
    }
  }

  @Test func `a table of which nothing is left has not the entries of its index`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE words (word TEXT, day INT, lang TEXT, PRIMARY KEY (word)) WITHOUT ROWID;
      CREATE INDEX langs ON words (lang);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
      INSERT INTO words SELECT 'a word ' || i, i, 'en' FROM n;
      """)
    let lost = specimen.with(.zeroPage(try specimen.root(of: "words")))
    let rebuilt = Reconstruction(main: lost.bytes)
    let words = try #require(rebuilt.survey.tree(named: "words"))
    #expect(rebuilt.rowsFound(in: words) == 0)
  }

  @Test(arguments: [true, false])
  func `a page of an index that has changed places with one of rows`(isRoot: Bool) throws {
    let specimen = try Specimen(
      """
      CREATE TABLE deep (
        word TEXT, lang TEXT, day INT, PRIMARY KEY (word, lang)) WITHOUT ROWID;
      CREATE INDEX deep_days ON deep (day);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO deep SELECT 'a word ' || (i * 7919 % 10007), 'en', i FROM n;
      """)
    let kind = isRoot ? "internal" : "leaf"
    let rows = specimen.pages(of: "deep", kind)[1]
    // Behind all integers, texts are in order.
    let own =
      try isRoot
      ? specimen.root(of: "deep_days") : #require(specimen.pages(of: "deep_days", kind).last)
    let rebuilt = Reconstruction(main: specimen.with(.swapPages(own, rows)).bytes)
    let deep = try #require(rebuilt.survey.tree(named: "deep"))
    #expect(rebuilt.rowsFound(in: deep) + rebuilt.rowsWithoutTable.rows >= 1000)
    #expect(rebuilt.rowsFound(in: deep) == 1000)
  }

  @Test(arguments: [("one", 0), ("one", 4), ("copied", 3), ("copied", -1)])
  func `a root whose number leads to a leaf of its own tree is the page above`(
    _ table: Name, _ leaf: Int
  ) throws {
    // Of `copied`, no index knows the rows, and the one of `one` knows others like them.
    let specimen = try Specimen(
      """
      CREATE TABLE one (id INTEGER PRIMARY KEY, body TEXT);
      CREATE INDEX one_body ON one (body);
      CREATE TABLE copied (id INTEGER PRIMARY KEY, body TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
      INSERT INTO one SELECT i, 'a text of one ' || i FROM n;
      INSERT INTO copied SELECT * FROM one;
      """)
    let leaves = specimen.pages(of: table.text, "leaf")
    let row = "table\(table.text)\(table.text)"
    var bytes = specimen.bytes
    let root = try specimen.root(of: table.text)
    // Where a page was full, what it held before is there besides.
    for place in specimen.places(of: row).map({ $0 + row.utf8.count })
    where Int(bytes[place]) == root {
      bytes[place] = UInt8(leaves[leaf < 0 ? leaves.count - 1 : leaf])
    }
    let rebuilt = Reconstruction(main: bytes)
    let tree = try #require(rebuilt.survey.tree(named: table))
    #expect(rebuilt.rowsFound(in: tree) == 150)
    #expect(rebuilt.rowsWithoutTable.rows == 0)
    #expect(rebuilt.survey.verdict != .healthy)
  }

  @Test func `roots that have changed places, where the last rows of leaves were deleted`() throws {
    let tables: DatabaseBuilder.Step =
      """
      CREATE TABLE loose (a, b, c, d);
      CREATE TABLE lone (v);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO loose SELECT i, 'a text of ' || i, i * 0.5, NULL FROM n;
      INSERT INTO lone VALUES (1), ('two'), (3.5);
      """
    let whole = try Specimen(tables)
    let image = try #require(Survey(main: whole.bytes).image)
    let last = try whole.pages(of: "loose", "leaf").map { leaf in
      let number = try #require(PageNumber(leaf))
      return try #require(image.btreePage(number).soundCells?.last?.rowID)
    }
    #expect(last.count > 2)
    let list = last.dropLast().map(String.init).joined(separator: ", ")
    let specimen = try Specimen(tables, "DELETE FROM loose WHERE rowid IN (\(list))")
    let bytes = try specimen.with(
      .swapPages(specimen.root(of: "loose"), specimen.root(of: "lone"))
    ).bytes
    let rebuilt = Reconstruction(main: bytes)
    let rows = ["loose", "lone"].map { name in
      rebuilt.survey.tree(named: Name(name)).map { rebuilt.rowsFound(in: $0) }
    }
    #expect(rows == [60 - last.count + 1, 3])
    #expect(rebuilt.rowsWithoutTable.rows == 0)
  }

  @Test func `of two tables with one root, the rows tell whose it is`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE counted (id INTEGER PRIMARY KEY, v TEXT);
      CREATE TABLE named (name TEXT, amount INT);
      CREATE TABLE pairs (a, b);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
      INSERT INTO counted SELECT i, 'a text of ' || i FROM n;
      INSERT INTO named SELECT 'a name ' || id, id * 7 FROM counted;
      INSERT INTO pairs SELECT id % 3, 'ab' FROM counted;
      """)
    let statement = "tablecountedcounted"
    let (root, other) = try (specimen.root(of: "counted"), specimen.root(of: "named"))
    var bytes = specimen.bytes
    for place in specimen.places(of: statement).map({ $0 + statement.utf8.count })
    where Int(bytes[place]) == root {
      bytes[place] = UInt8(other)
    }
    let rebuilt = Reconstruction(main: bytes)
    let rows = ["counted", "named", "pairs"].map { name in
      rebuilt.survey.tree(named: Name(name)).map { rebuilt.rowsFound(in: $0) }
    }
    #expect(rows == [90, 90, 90])
    #expect(rebuilt.rowsWithoutTable.rows == 0)
    #expect(rebuilt.survey.verdict != .healthy)
  }

  @Test func `a sound database has none`() throws {
    let rebuilt = Reconstruction(main: specimen.bytes)
    #expect(rebuilt.reassembly.assignments.isEmpty)
  }
}
