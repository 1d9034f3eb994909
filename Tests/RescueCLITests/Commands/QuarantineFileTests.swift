// SPDX-License-Identifier: Apache-2.0
// The quarantine file: what it says of itself, of rows that were not placed, and of what is left of
// lost ones.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct QuarantineFileTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// Builds a database, damages it, salvages it; gives the new file, its quarantine and the ending.
  private func salvage(
    pageSize: Int = 512, _ steps: [DatabaseBuilder.Step], relabeled changes: [String] = [],
    _ damage: (Oracle) throws -> [Damage], more words: [any Word] = []
  ) throws -> (new: Oracle, quarantine: Oracle, ending: Ending) {
    let file = bench["app.db"]
    try DatabaseBuilder(pageSize: pageSize, steps).build(at: file)
    for change in changes {
      let connection = try Connection(file, mode: .readWrite)
      connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
      try connection.execute("PRAGMA writable_schema = ON; \(change)")
    }
    var bytes = try file.contents()
    for damage in try damage(Oracle(file)) {
      let damaged = damage.applied(to: bytes, pageSize: pageSize)
      #expect(damaged != bytes, "\(damage)")
      bytes = damaged
    }
    try file.replaceContents(with: bytes)
    let output = bench["new.db"]
    let ending = try bench.run(["salvage", file, "--output", output, "--json"] + words)
    let quarantine = output.adding(suffix: ".quarantine.db")
    return (try Oracle(output), try Oracle(quarantine), ending)
  }

  private static let numbers = """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    """

  /// The leaves of a table, in order.
  private func leaves(of table: String, _ oracle: Oracle) throws -> [Int] {
    try oracle.pages.filter { $0.object == table && $0.kind == "leaf" }.map(\.number)
  }

  @Test func `it says what it is and how it came about`() throws {
    let (_, quarantine, ending) = try salvage(
      ["CREATE TABLE t (a)", "\(Self.numbers) INSERT INTO t SELECT hex(zeroblob(20)) FROM n"]
    ) { [.zeroPage(try leaves(of: "t", $0)[3])] }
    let code = try #require(ending.json["code"]?.text)
    func meta(_ key: String) throws -> String? {
      try quarantine.value("SELECT value FROM meta WHERE key = ?", [.text(key)])?.utf8String
    }
    #expect(try meta("tool") == "dbrescue")
    #expect(try meta("version") == Rescue.version)
    #expect(try meta("layout") == "1")
    #expect(try meta("support_code") == code)
    #expect(try meta("encoding") == "UTF-8")
    #expect(try meta("schema_source") == "the damaged file")
    #expect(try meta("created") == "2026-11-21T00:00:00Z")
    let digest = try #require(ending.json["inputs"]?.elements.first?["sha256"]?.text)
    #expect(try meta("input.1") == "app.db \(digest)")
    let sql = try quarantine.value("SELECT sql FROM sqlite_schema WHERE name = 'partial_rows'")
    #expect(sql?.utf8String?.contains("-- which of c0, c1") == true)
  }

  @Test func `a page that was not understood is listed with what leads to it`() throws {
    var lost = 0
    let (_, quarantine, _) = try salvage(
      ["CREATE TABLE t (a)", "\(Self.numbers) INSERT INTO t SELECT hex(zeroblob(20)) FROM n"]
    ) {
      lost = try leaves(of: "t", $0)[3]
      return [.zeroPage(lost)]
    }
    #expect(try quarantine.value("SELECT group_concat(page) FROM pages") == .text("\(lost)"))
    #expect(
      try quarantine.value(
        """
        SELECT source || ' ' || file_offset || ' ' || size || ' ' || kind || ' '
          || owner_candidates || ' ' || reason FROM pages
        """) == .text("main \((lost - 1) * 512) 512 zero t unreadable"))
  }

  @Test func `of a row with a broken chain the fields before the break are kept`() throws {
    let (new, quarantine, ending) = try salvage([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, size REAL, body TEXT, note TEXT)",
      "INSERT INTO t VALUES (1, 'one', 1.5, 'short', 'n')",
      "INSERT INTO t VALUES (2, 'two', 2.5, hex(zeroblob(900)), 'the end')",
    ]) {
      let last = try #require(try $0.pages.last { $0.kind == "overflow" }).number
      return [.cutOverflow(page: last - 1), .zeroPage(last)]
    }
    #expect(ending.status == 14)
    #expect(try new.count(of: "t") == 1)
    #expect(try quarantine.count(of: "partial_rows") == 1)
    #expect(
      try quarantine.value(
        """
        SELECT "table" || ' ' || "rowid" || ' ' || reason || ' ' || known || ' ' || nfield || ' '
          || c1 || ' ' || c2 || ' ' || typeof(c2) FROM partial_rows
        """) == .text("t 2 broken-chain 0,1,2 5 two 2.5 real"))
    #expect(try quarantine.columns(of: "partial_rows").contains("c3") == false)
    let table = try #require(try ending.json["tables"]?.elements.first)
    #expect(table["partial"]?.number == 1)
    #expect(table["lost"]?["kind"]?.text == "exactly")
    #expect(table["missing"]?.elements.first?["first"]?.number == 2)
  }

  @Test func `a small table that breaks its own rules keeps its rows beside damage`() throws {
    let (new, quarantine, _) = try salvage(
      [
        "CREATE TABLE a (id INTEGER PRIMARY KEY, n TEXT, g INT)", "CREATE INDEX a_g ON a (g)",
        "\(Self.numbers) INSERT INTO a SELECT i, hex(zeroblob(20)), i FROM n",
        "CREATE TABLE s (i, t)", "INSERT INTO s VALUES (1, 'x'), ('abc', 1.5), (NULL, x'00')",
      ],
      relabeled: [
        """
        UPDATE sqlite_schema SET sql = 'CREATE TABLE s (i INT NOT NULL, t TEXT) STRICT'
        WHERE name = 's'
        """
      ]
    ) { [.zeroPage(try leaves(of: "a_g", $0)[1])] }
    #expect(try new.count(of: "s") == 1)
    #expect(try quarantine.value("SELECT count(*) FROM rows") == .integer(0))
    #expect(
      try quarantine.value(#"SELECT count(*) FROM conflicts WHERE "table" = 's'"#) == .integer(2))
  }

  @Test func `entries of an index for rows that a whole table has not are no loss for sure`() throws
  {
    let (_, _, ending) = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, k INT)",
        "\(Self.numbers) INSERT INTO t SELECT i, i % 7 FROM n", "CREATE INDEX t_k ON t (k)",
      ],
      relabeled: [
        "UPDATE sqlite_schema SET sql = 'CREATE INDEX t_k ON t (k) WHERE id < 0' WHERE name = 't_k'",
        """
        DELETE FROM t WHERE id % 11 = 0;
        UPDATE sqlite_schema SET sql = 'CREATE INDEX t_k ON t (k)' WHERE name = 't_k'
        """,
      ]
    ) { _ in [] }
    let table = try #require(try ending.json["tables"]?.elements.first)
    #expect(table["lost"]?["kind"]?.text == "unknown")
  }

  @Test(arguments: [0, 1])
  func `of a row with a blank overflow page the text before that page is kept`(_ place: Int) throws
  {
    // As long as this, each row has a leaf of its own.
    let text = "'Dear diary, ' || replace(hex(zeroblob(1663)), '00', 'ü.')"
    let (_, quarantine, ending) = try salvage(
      pageSize: 1024,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, body TEXT, note INT)",
        "\(Self.numbers) INSERT INTO t SELECT i, 'row ' || i, \(text), i FROM n WHERE i < 9",
      ]
    ) {
      let chain = try $0.pages.filter { $0.kind == "overflow" }.map(\.number)
      try #require(chain.count % 8 == 0)
      return [.zeroPage(chain[chain.count / 8 * 3 + place])]
    }
    #expect(ending.status == 14)
    #expect(
      try quarantine.value(
        """
        SELECT "rowid" || ' ' || reason || ' ' || known || ' ' || cut || ' ' || c1 || ' ' ||
          (beginning GLOB 'Dear diary, ü.ü.*') || ' ' || typeof(beginning) || ' ' ||
          trim(substr(beginning, 13), 'ü.') || (length(beginning) BETWEEN 500 AND 700)
        FROM partial_rows
        """) == .text("4 broken-chain 0,1 2 row 4 1 text 1"))
    let table = try #require(try ending.json["tables"]?.elements.first)
    #expect(table["partial"]?.number == 1)
    #expect(table["lost"]?["kind"]?.text == "exactly" && table["lost"]?["rows"]?.number == 1)
  }

  @Test func `rows of a lost leaf come back in part from the indexes, one for each`() throws {
    let (new, quarantine, ending) = try salvage([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INT, c TEXT)",
      "\(Self.numbers) INSERT INTO t SELECT i * 2, 'a' || i, 1000 - i, hex(zeroblob(9)) FROM n",
      "CREATE INDEX t_a ON t (a)", "CREATE INDEX t_b ON t (b, a)",
    ]) { [.zeroPage(try leaves(of: "t", $0)[2])] }
    let lost = 200 - (try new.count(of: "t"))
    #expect(lost > 3)
    #expect(try quarantine.count(of: "partial_rows") == lost)
    let wrong = try quarantine.value(
      """
      SELECT count(*) FROM partial_rows
      WHERE known <> '0,1,2' OR witnesses NOT IN ('t_a, t_b', 't_b, t_a') OR nfield <> 4
        OR c1 <> 'a' || ("rowid" / 2) OR c2 <> 1000 - "rowid" / 2 OR c0 IS NOT NULL
      """)
    #expect(wrong == .integer(0))
    let table = try #require(try ending.json["tables"]?.elements.first)
    #expect(table["lost"]?["kind"]?.text == "exactly" && table["lost"]?["rows"]?.number == lost)
    let first = try #require(
      try quarantine.value(#"SELECT min("rowid") FROM partial_rows"#)?.integerValue)
    let stretch = try #require(table["missing"]?.elements.first)
    #expect(table["missing"]?.elements.count == 1)
    #expect(stretch["first"]?.number == Int(first))
    #expect(stretch["last"]?.number == Int(first) + 2 * (lost - 1))
    #expect(stretch["rows"]?.number == lost)
  }

  @Test func `an index with a lost leaf of its own still tells of some rows`() throws {
    let (new, quarantine, ending) = try salvage([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, c TEXT)",
      "\(Self.numbers) INSERT INTO t SELECT i, printf('a%03d', i), hex(zeroblob(9)) FROM n",
      "CREATE INDEX t_a ON t (a)",
    ]) {
      let (table, index) = (try leaves(of: "t", $0), try leaves(of: "t_a", $0))
      return [.zeroPage(table[1]), .zeroPage(table[4]), .zeroPage(try #require(index.last))]
    }
    let known = try quarantine.count(of: "partial_rows")
    let gone = 200 - (try new.count(of: "t"))
    #expect(known > 0 && known <= gone)
    let table = try #require(try ending.json["tables"]?.elements.first)
    #expect(table["lost"]?["kind"]?.text == "at-least")
    #expect(table["lost"]?["rows"]?.number == known)
    #expect(table["missing"]?.elements.count == 2)
    for stretch in table["missing"]?.elements ?? [] {
      let (first, last) = (stretch["first"]?.number ?? 0, stretch["last"]?.number ?? 0)
      let present = try new.value(
        "SELECT count(*) FROM t WHERE id BETWEEN ? AND ?",
        [.integer(Int64(first)), .integer(Int64(last))])
      #expect(first <= last && present == .integer(0))
    }
  }

  @Test func `an index over a table without rowids holds the key of a lost row`() throws {
    let (new, quarantine, _) = try salvage([
      "CREATE TABLE t (x TEXT, k TEXT, n INT, y TEXT, PRIMARY KEY (k, n)) WITHOUT ROWID",
      """
      \(Self.numbers)
      INSERT INTO t SELECT 'x' || i, printf('k%03d', i), i % 7, hex(zeroblob(9)) FROM n
      """, "CREATE INDEX t_x ON t (x)", "CREATE INDEX t_yx ON t (y, x)",
    ]) { [.zeroPage(try leaves(of: "t", $0)[2])] }
    let lost = 200 - (try new.count(of: "t"))
    #expect(lost > 3)
    #expect(try quarantine.count(of: "partial_rows") == lost)
    // Stored order: the key comes first.
    let wrong = try quarantine.value(
      """
      SELECT count(*) FROM partial_rows
      WHERE known <> '0,1,2,3' OR c2 <> 'x' || CAST(substr(c0, 2) AS INT)
        OR c1 <> substr(c2, 2) % 7 OR "rowid" IS NOT NULL
      """)
    #expect(wrong == .integer(0))
  }

  @Test func `damage to an index alone loses nothing and leaves no quarantine`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      pageSize: 512,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "CREATE INDEX t_a ON t (a)",
        "\(Self.numbers) INSERT INTO t SELECT i, 'a' || i FROM n",
      ]
    ).build(at: file)
    let page = try leaves(of: "t_a", Oracle(file))[2]
    try file.replaceContents(
      with: Damage.zeroPage(page).applied(to: file.contents(), pageSize: 512))
    let output = bench["new.db"]
    let ending = try bench.run("salvage", file, "--output", output)
    #expect(ending.status == 0)
    #expect(ending.output.contains("'t_a'") && ending.output.contains("no row"), "\(ending.all)")
    #expect(try Oracle(output).count(of: "t") == 200)
    #expect(try !output.adding(suffix: ".quarantine.db").exists)
  }
}
