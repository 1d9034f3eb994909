// SPDX-License-Identifier: Apache-2.0
// Files into which something was put, or of which something was left out.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct MovedPagesTests {
  private static let pageSize = 1024

  /// A database of two tables with an index each, and the number of its pages.
  private func database() throws -> (bytes: Bytes, pages: Int) {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, at INTEGER);
        CREATE INDEX note_at ON note (at);
        CREATE TABLE tag (name TEXT PRIMARY KEY, uses INTEGER) WITHOUT ROWID;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        INSERT INTO note SELECT i, 'body ' || i || hex(zeroblob(i % 40)), i * 7919 % 1000 FROM n;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO tag SELECT 'tag ' || i, i FROM n;
        """
      ]
    ).build(at: path)
    let bytes = try path.contents()
    return (bytes, bytes.count / Self.pageSize)
  }

  private func rows(_ survey: Survey) -> [Int] {
    ["note", "tag"].map { survey.tree(named: $0)?.records ?? 0 }
  }

  @Test(arguments: [1, 3, 77, 512])
  func `what was put in costs no row, leaves one in doubt at most, and is no healthy file`(
    count: Int
  ) throws {
    let (bytes, pages) = try database()
    let isWhole = count < 10
    let length = isWhole ? count * Self.pageSize : count
    let place = pages / 2 * Self.pageSize
    var random = SeededRandom(seed: UInt64(count))
    var moved = bytes
    moved.insert(contentsOf: random.bytes(length), at: place)
    let survey = Survey(main: moved)
    // Of the page in front of what is no page, the last row may have got some of it: it is in doubt,
    // but where blocks were put in, which lie between others.
    let doubtful = try ["note", "tag"].map { try survey.rows(of: $0, inDoubt: true).rows.count }
    #expect(zip(rows(survey), doubtful).map(+) == [600, 300])
    #expect(doubtful.reduce(0, +) == (isWhole || count == 512 ? 0 : 1))
    #expect(survey.findings.contains { $0.code == .pagesMoved })
    #expect(survey.verdict != .healthy)
    let number = try #require(survey.findings.first { $0.code == .pagesMoved }?.place.page).number
    #expect((2...(pages / 2 + 2)).contains(number))
  }

  @Test func `a page that is missing gives no table the entries of an index`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        """
        CREATE TABLE pair (k TEXT PRIMARY KEY, v BLOB, n INT) WITHOUT ROWID;
        CREATE TABLE word (w TEXT PRIMARY KEY, at INT);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO pair SELECT 'a' || (i * 7919 % 10007), zeroblob(i % 20), i FROM n;
        INSERT INTO word SELECT 'k' || k, n FROM pair;
        """
      ]
    ).build(at: path)
    let bytes = try path.contents()
    let pages = try Oracle(path).pages.filter { $0.object == "pair" && $0.kind == "leaf" }
    for page in pages.map(\.number) {
      var moved = bytes
      moved.removeSubrange((page - 1) * Self.pageSize..<page * Self.pageSize)
      let rebuilt = Reconstruction(main: moved)
      let tree = try #require(rebuilt.survey.tree(named: "pair"))
      #expect(rebuilt.rowsFound(in: tree) < 300, "\(page)")
      #expect(rebuilt.loss(of: tree) != .none, "\(page)")
    }
  }

  @Test func `a byte that was put in leaves the rows of tables of one form in their tables`() throws
  {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    let names = (0..<10).map { "t\($0)" }
    let tables = names.map { "CREATE TABLE \($0) (a INTEGER PRIMARY KEY, b TEXT);" }
    let rows = (0..<400).map { "INSERT INTO t\($0 % 10) (b) VALUES ('t\($0 % 10) word \($0)');" }
    try DatabaseBuilder(
      pageSize: 512, [.init((tables + rows).joined(separator: "\n"), [])]
    ).build(at: path)
    var bytes = try path.contents()
    bytes.insert(0x0D, at: 3 * 512 + 250)
    let survey = Survey(main: bytes)
    for (index, name) in names.enumerated() {
      guard let tree = survey.tree(named: Name(name)), let root = tree.root else { continue }
      survey.image?.forEachRecord(ofTree: root, isTable: true) { row in
        let text = row.record.value(1)?.utf8String ?? ""
        if !text.hasPrefix("t\(index) ") { Issue.record("\(name) has \(text)") }
        return true
      }
    }
    #expect(names.dropFirst(3).allSatisfy { survey.tree(named: Name($0))?.records == 40 })
  }

  @Test(arguments: 4...8)
  func `pages that are missing belong to no other place`(after place: Int) throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
        CREATE TABLE pair (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE INDEX note_body ON note (body);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 160)
        INSERT INTO note SELECT i, 'body ' || i || hex(zeroblob(i % 17)) FROM n;
        INSERT INTO pair SELECT id, id * 7 FROM note;
        """
      ]
    ).build(at: path)
    var bytes = try path.contents()
    bytes.removeSubrange((place * Self.pageSize)..<((place + 4) * Self.pageSize))
    let survey = Survey(main: bytes)
    #expect(!survey.hasHeadOfAnother)
    #expect(survey.tree(named: "pair")?.records == 160)
    #expect(survey.tree(named: "note")?.records ?? 0 >= 60)
  }

  @Test func `pages that stand there twice move those behind them, where nothing but values do`()
    throws
  {
    for seed in 1...8 {
      var random = SeededRandom(seed: UInt64(seed))
      let rows = (1...160).map { number in
        let times = [1, 3, 25, 150].randomElement(using: &random) ?? 1
        let value = (0..<times).map { _ in "\(random.next())" }.joined(separator: " ")
        return "('\(random.next())', '\(value)', \(number))"
      }
      let scratch = try ScratchFolder()
      let path = scratch["app.db"]
      try DatabaseBuilder(
        pageSize: 512,
        [
          "CREATE TABLE kv (key TEXT PRIMARY KEY, value TEXT, at INT) WITHOUT ROWID",
          .init("INSERT INTO kv VALUES \(rows.joined(separator: ", "))", []),
        ]
      ).build(at: path)
      var bytes = try path.contents()
      let place = Int.random(in: (bytes.count / 2048)...(bytes.count / 1024), using: &random) * 512
      bytes.insert(contentsOf: Array(bytes[(place - 3 * 512)..<place]), at: place)
      let survey = Survey(main: bytes)
      // The row in front of the place may be in doubt.
      #expect(survey.tree(named: "kv")?.records ?? 0 >= 159, "seed \(seed)")
      #expect(survey.verdict != .healthy)
    }
  }

  @Test func `a file that was cut off inside a page has lost its end, and no page has moved`()
    throws
  {
    let (bytes, pages) = try database()
    for kept in stride(from: pages / 2, to: pages, by: 3) {
      let cut = Bytes(bytes.prefix(kept * Self.pageSize + 700))
      #expect(!Survey(main: cut).findings.contains { $0.code == .pagesMoved }, "\(kept) pages")
    }
  }

  @Test func `of roots that look alike, the pointer map tells which one was left out`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    let names = ["one", "two", "three", "four"]
    try DatabaseBuilder(
      pageSize: Self.pageSize, autoVacuum: .full,
      names.map { .init("CREATE TABLE \($0) (id INTEGER PRIMARY KEY, v TEXT)", []) }
        + names.map {
          .init(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO \($0) SELECT i, 'what \($0) has to say of ' || i FROM n
            """, [])
        }
    ).build(at: path)
    var moved = try path.contents()
    // Pages 3 to 6 are the roots, behind the pointer map; the first three are left out.
    moved.removeSubrange((2 * Self.pageSize)..<(5 * Self.pageSize))
    let rebuilt = Reconstruction(main: moved)
    let four = try #require(rebuilt.survey.tree(named: "four"))
    #expect(four.records == 300 && rebuilt.recordsRegained(by: four) == 0)
    for name in names.dropLast() {
      let tree = try #require(rebuilt.survey.tree(named: Name(name)))
      #expect(rebuilt.recordsRegained(by: tree) == 300 || tree.records == 0)
    }
  }

  @Test func `a root that is a leaf stays in front of pages that were left out`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        "CREATE TABLE loose (a, b, c, d)", "CREATE TABLE small (a, b, c)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO loose SELECT i, 'row ' || i, NULL, i * i FROM n
        """, "INSERT INTO small VALUES (1, 'one', NULL), (2, 'two', NULL)",
      ]
    ).build(at: path)
    var moved = try path.contents()
    // Page 3 is the root of the small table; the first leaf of the other one is behind it.
    moved.removeSubrange((3 * Self.pageSize)..<(4 * Self.pageSize))
    let survey = Survey(main: moved)
    #expect(survey.tree(named: "small")?.records == 2)
    #expect(survey.findings.contains { $0.code == .pagesMoved })
  }

  @Test(arguments: [UInt8(0x00), 0x7F, 0xFF])
  func `a stated number of pages that cannot be is no reason to look for them`(
    first: UInt8
  ) throws {
    let (bytes, pages) = try database()
    var moved = bytes
    moved.removeSubrange((pages / 2 * Self.pageSize)..<((pages / 2 + 2) * Self.pageSize))
    moved.replaceSubrange(28..<32, with: [first, 0xFF, 0xFF, 0xFF])
    let survey = Survey(main: moved)
    #expect(survey.image.map { $0.pageCount <= pages + 2 } ?? false)
    #expect(rows(survey).reduce(0, +) > 600)
  }

  @Test(arguments: [1, 5, 8, 100])
  func `a file that was cut off inside a page is searched to its end`(rest: Int) throws {
    let (bytes, pages) = try database()
    var cut = Bytes(bytes.prefix((pages - 3) * Self.pageSize + rest))
    let start = (pages - 4) * Self.pageSize
    cut.replaceSubrange(start..., with: Bytes(repeating: 0x0D, count: cut.count - start))
    #expect(Survey(main: cut).verdict != .healthy)
  }

  @Test(arguments: [1, 2, 3])
  func `pieces that were joined in another order cost no row`(seed: UInt64) throws {
    let (bytes, _) = try database()
    var random = SeededRandom(seed: seed)
    let count = 8 * Self.pageSize
    var pieces = stride(from: 0, to: bytes.count, by: count).map {
      Bytes(bytes[$0..<min(bytes.count, $0 + count)])
    }
    // The first seed turns the file by its half; the others shuffle it.
    pieces =
      seed == 1
      ? pieces.suffix(pieces.count / 2) + pieces.dropLast(pieces.count / 2)
      : pieces.shuffled(using: &random)
    let survey = Survey(main: Bytes(pieces.joined()))
    #expect(rows(survey) == [600, 300])
    #expect(survey.findings.contains { $0.code == .pagesMoved })
    #expect(survey.verdict != .healthy)
  }

  @Test func `the borders of chunks that were left in cost no row`() throws {
    let (bytes, _) = try database()
    let count = 4 * Self.pageSize
    let chunks = stride(from: 0, to: bytes.count, by: count).map { start in
      let chunk = bytes[start..<min(bytes.count, start + count)]
      return Bytes("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Bytes("\r\n".utf8)
    }
    let survey = Survey(main: Bytes(chunks.joined()) + Bytes("0\r\n\r\n".utf8))
    #expect(rows(survey) == [600, 300])
    #expect(survey.verdict != .healthy)
  }

  @Test func `no page is read in two places`() throws {
    let (bytes, pages) = try database()
    var random = SeededRandom(seed: 11)
    for _ in 0..<20 {
      var moved = bytes
      for _ in 0..<3 {
        let page = 2 + random.below(pages - 8)
        let count = 1 + random.below(4)
        let range = (page * Self.pageSize)..<((page + count) * Self.pageSize)
        if random.below(2) == 0 {
          moved.removeSubrange(range)
        } else {
          moved.insert(contentsOf: random.bytes(count * Self.pageSize), at: range.lowerBound)
        }
      }
      let survey = Survey(main: moved)
      #expect(rows(survey)[0] <= 600 && rows(survey)[1] <= 300)
    }
  }

  @Test(arguments: [1, 2, 4])
  func `pages that were left out cost their own rows`(count: Int) throws {
    let (bytes, pages) = try database()
    let place = pages / 2
    let lost = (place..<(place + count)).map { bytes.rowCount(ofPage: $0, Self.pageSize) }
    var moved = bytes
    moved.removeSubrange((place * Self.pageSize)..<((place + count) * Self.pageSize))
    let survey = Survey(main: moved)
    #expect(rows(survey).reduce(0, +) >= 900 - lost.reduce(0, +))
    #expect(survey.findings.contains { $0.code == .pagesMoved })
  }

  @Test func `a sector that was left out costs the rows of its page`() throws {
    let (bytes, pages) = try database()
    var moved = bytes
    let start = pages / 2 * Self.pageSize
    moved.removeSubrange((start + 256)..<(start + 768))
    let survey = Survey(main: moved)
    #expect(rows(survey).reduce(0, +) >= 900 - bytes.rowCount(ofPage: pages / 2, Self.pageSize))
  }

  @Test func `where parts of two pages were left out, the pages before them stay`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT)",
        "CREATE TABLE tag (id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO event (body) SELECT 'event ' || i || hex(zeroblob(20)) FROM n
        """,
      ]
    ).build(at: path)
    var moved = try path.contents()
    // Page 2 is the root of the events, on page 3 is what counts them, and page 4 is that of the tags.
    moved.removeSubrange((2 * Self.pageSize + 600)..<(3 * Self.pageSize + 570))
    let survey = Survey(main: moved)
    #expect(survey.tree(named: "event")?.records == 400)
    #expect(survey.findings.contains { $0.code == .pagesMoved })
  }

  @Test(arguments: [1, 2, 4])
  func `pages that stand there twice give tables of one form no rows of others`(count: Int) throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    let tables = 0..<6
    let statements = tables.map { table in
      let rows = (0...(7 * table % 5)).map { "('\(table) of \($0)', \($0))" }
      return """
        CREATE TABLE t\(table) (id INTEGER PRIMARY KEY, a TEXT, b INTEGER);
        CREATE INDEX i\(table) ON t\(table) (a);
        INSERT INTO t\(table) (a, b) VALUES \(rows.joined(separator: ", "));
        """
    }
    try DatabaseBuilder(pageSize: 1024, [.init(statements.joined(), [])]).build(at: path)
    let bytes = try path.contents()
    let whole = try tables.map { try rowTexts(of: Name("t\($0)"), of: bytes) }
    for place in 2..<(bytes.count / 1024 - count) {
      var moved = bytes
      let block = ((place - 1) * 1024)..<((place - 1 + count) * 1024)
      moved.insert(contentsOf: bytes[block], at: block.upperBound)
      #expect(Survey(main: moved).verdict == .damagedIntact, "page \(place)")
      let found = try tables.map { try rowTexts(of: Name("t\($0)"), of: moved) }
      #expect(found == whole, "page \(place)")
    }
  }

  @Test func `a block in reverse order takes no pages from tables of its form`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    let years = 0..<4
    let statements = years.map { year in
      """
      CREATE TABLE orders\(year) (id INTEGER PRIMARY KEY, who TEXT, total REAL, at INTEGER);
      CREATE TABLE lines\(year) (number INTEGER, sku TEXT, count INTEGER);
      """
        + (0..<13).map { round in
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
          INSERT INTO orders\(year) (who, total, at)
          SELECT substr(hex(zeroblob(20)), 1, 3 + (i * \(7 + year)) % 21), i / 7.0, 1600000000 + i * i
          FROM n;
          INSERT INTO lines\(year)
          SELECT id, 'SKU ' || (100000 + id), id % 9 FROM orders\(year) WHERE id > \(round * 20);
          """
        }.joined()
    }
    try DatabaseBuilder(pageSize: 1024, [.init(statements.joined(), [])]).build(at: path)
    let bytes = try path.contents()
    let survey = Survey(main: bytes)
    let geometry = try #require(survey.image).geometry
    for place in 3..<50 {
      var moved = bytes
      for index in 0..<8 {
        let (page, other) = ((place + index) * 1024, (place + 7 - index) * 1024)
        moved.replaceSubrange(page..<(page + 1024), with: bytes[other..<(other + 1024)])
      }
      let pages = try MovedPages(
        MemorySource(moved), geometry, start: 0, statedCount: survey.image?.pageCount,
        roots: survey.roots)
      #expect(pages == nil, "page \(place + 1)")
    }
  }

  private func rowTexts(of table: Name, of bytes: Bytes) throws -> [Value?] {
    try placedRows(in: table, of: bytes).map { $0.record.value(1) }
  }

  @Test func `a block that stands there twice is read once`() throws {
    let (bytes, pages) = try database()
    let block = (pages / 3 * Self.pageSize)..<((pages / 3 + 4) * Self.pageSize)
    var moved = bytes
    moved.insert(contentsOf: bytes[block], at: block.upperBound)
    let survey = Survey(main: moved)
    #expect(rows(survey) == [600, 300])
    #expect(survey.image?.pageCount == pages)
  }

  @Test func `behind a block that stands there twice, every value is its own`() throws {
    var random = SeededRandom(seed: 5)
    func values(_ count: Int) -> String {
      (1...count).map { id in
        "(\(id), '\((0..<150).map { _ in "\(random.next())" }.joined(separator: " "))')"
      }.joined(separator: ", ")
    }
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    // The pages of a free list are used in another order than they lie.
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        "CREATE TABLE gone (id INTEGER PRIMARY KEY, body TEXT)",
        .init("INSERT INTO gone VALUES \(values(20))", []),
        "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)", "DROP TABLE gone",
        .init("INSERT INTO note VALUES \(values(20))", []),
      ]
    ).build(at: path)
    let bytes = try path.contents()
    let bodies = try placedRows(in: "note", of: bytes).map { try #require($0.record.value(1)) }
    #expect(bodies.count == 20)
    for place in 6..<(bytes.count / Self.pageSize - 2) {
      var moved = bytes
      let block = ((place - 3) * Self.pageSize)..<(place * Self.pageSize)
      moved.insert(contentsOf: bytes[block], at: block.upperBound)
      let found = try placedRows(in: "note", of: moved).map { try #require($0.record.value(1)) }
      let strange = found.count { !bodies.contains($0) }
      #expect(strange == 0, "in front of page \(place + 1)")
    }
  }

  @Test func `a byte in the last page of a table is found by the indexes behind it`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["small.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      ["CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, at INTEGER)"]
        + (1...6).map { DatabaseBuilder.Step(stringLiteral: "CREATE INDEX i\($0) ON note (at)") }
        + ["INSERT INTO note VALUES (1, 'first', 1000), (2, 'second', 2000), (3, 'third', 3000)"]
    ).build(at: path)
    var bytes = try path.contents()
    // Inside the last row that was written to the page of the table: the first one, at its end.
    bytes.insert(0x0A, at: 2 * Self.pageSize - 4)
    let survey = Survey(main: bytes)
    #expect(survey.findings.contains { $0.code == .pagesMoved })
    #expect(survey.tree(named: "note")?.records == 2)
  }

  @Test func `a page count of another moment moves no page`() throws {
    var (bytes, pages) = try database()
    bytes.replaceSubrange(28..<32, with: [0, 0, 0, UInt8(pages - 1)])
    let leaf = (pages / 2) * Self.pageSize
    bytes.replaceSubrange(leaf..<(leaf + 8), with: Bytes(repeating: 0, count: 8))
    #expect(!Survey(main: bytes).findings.contains { $0.code == .pagesMoved })
  }

  @Test func `what a transaction wrote twice is taken back by its journal`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO note SELECT i, 'body ' || i FROM n;
        """
      ],
      leftover: .hotJournal([
        "UPDATE note SET body = upper(body)",
        "INSERT INTO note SELECT id + 300, zeroblob(900) FROM note LIMIT 4",
      ])
    ).build(at: path)
    var bytes = try path.contents()
    let journal = try path.adding(suffix: "-journal").contents()
    // As many pages came as lie between a page and its copy: a spilled cache leaves such.
    let stated = try #require(Survey(main: bytes, journal: journal).image).pageCount
    let count = bytes.count / Self.pageSize - stated
    #expect(count > 0 && count < stated - 2)
    for page in (stated - 1)..<(stated - 1 + count) {
      let twin = (page - count) * Self.pageSize
      bytes.replaceSubrange(
        (page * Self.pageSize)..<((page + 1) * Self.pageSize),
        with: Bytes(bytes[twin..<(twin + Self.pageSize)]))
    }
    let survey = Survey(main: bytes, journal: journal)
    #expect(survey.verdict == .healthy)
    #expect(survey.tree(named: "note")?.records == 300)
  }

  @Test func `pages that are only destroyed stay where they are`() throws {
    let (bytes, pages) = try database()
    var random = SeededRandom(seed: 3)
    var damaged = bytes
    for page in [pages / 3, pages / 2, pages / 2 + 1] {
      let start = page * Self.pageSize
      damaged.replaceSubrange(start..<(start + Self.pageSize), with: random.bytes(Self.pageSize))
    }
    let survey = Survey(main: damaged)
    #expect(!survey.findings.contains { $0.code == .pagesMoved })
    #expect(survey.image?.pageCount == pages)
  }
}

extension Bytes {
  /// How many cells the page at a position says it has.
  fileprivate func rowCount(ofPage position: Int, _ pageSize: Int) -> Int {
    let start = position * pageSize
    return Int(self[start + 3]) << 8 | Int(self[start + 4])
  }
}
