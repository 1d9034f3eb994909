// SPDX-License-Identifier: Apache-2.0
// A first page that is that of another database.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct HeadOfAnotherTests {
  private static let pageSize = 1024

  private func database(_ sql: String, pageSize: Int = Self.pageSize) throws -> Bytes {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: pageSize, ["\(sql)"]).build(at: path)
    return try path.contents()
  }

  private func notes(_ count: Int = 300, pageSize: Int = Self.pageSize) throws -> Bytes {
    try database(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
      CREATE TABLE tag (name TEXT PRIMARY KEY, uses INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE use (note INTEGER NOT NULL, tag TEXT NOT NULL);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO note SELECT i, 'body ' || hex(zeroblob(i % 40)) FROM n;
      INSERT INTO tag SELECT 'tag ' || id, id FROM note;
      INSERT INTO use SELECT id, 'tag ' || id FROM note;
      """, pageSize: pageSize)
  }

  /// Trees that are deep, and whose roots are among the first pages; nothing is told of their columns.
  private func deepOthers(_ count: Int, pageSize: Int) throws -> Bytes {
    try database(
      """
      CREATE TABLE p (x, y, z);
      CREATE TABLE q (x, y);
      CREATE TABLE r (x, y, z);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO p SELECT 7 * i, hex(zeroblob(60)), NULL FROM n;
      INSERT INTO q SELECT x, y FROM p;
      INSERT INTO r SELECT x, y, z FROM p;
      """, pageSize: pageSize)
  }

  /// Small, with trees of other kinds at the same pages.
  private func others() throws -> Bytes {
    try database(
      """
      CREATE TABLE a (x TEXT PRIMARY KEY, y) WITHOUT ROWID;
      CREATE TABLE b (id INTEGER PRIMARY KEY, u INTEGER NOT NULL, v INTEGER NOT NULL);
      CREATE TABLE c (z TEXT PRIMARY KEY, w) WITHOUT ROWID;
      CREATE INDEX b_u ON b (u, v);
      """)
  }

  @Test func `its schema is not believed, and its tables are not there`() throws {
    var bytes = try notes()
    bytes.replaceSubrange(0..<Self.pageSize, with: try others().prefix(Self.pageSize))
    let rebuilt = Reconstruction(main: bytes)
    #expect(rebuilt.survey.findings.contains { $0.code == .headOfAnother })
    #expect(rebuilt.survey.trees.isEmpty)
    #expect(rebuilt.rowsWithoutTable.rows >= 900)
  }

  @Test func `one of the same schema in another encoding is told by the texts`() throws {
    func tables(_ count: Int, _ encoding: String) throws -> Bytes {
      try database(
        """
        PRAGMA encoding = '\(encoding)';
        CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
        CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO note SELECT i, 'the body ' || i FROM n;
        INSERT INTO tag SELECT id, 'tag ' || id FROM note;
        """)
    }
    var bytes = try tables(300, "UTF-16be")
    bytes.replaceSubrange(0..<Self.pageSize, with: try tables(20, "UTF-8").prefix(Self.pageSize))
    let rebuilt = Reconstruction(main: bytes)
    #expect(rebuilt.survey.findings.contains { $0.code == .headOfAnother })
    #expect(rebuilt.rowsWithoutTable.rows == 600)
  }

  @Test func `what is known from outside names the tables again`() throws {
    let whole = try notes()
    let entries = Survey(main: whole).schema?.entries ?? []
    var bytes = whole
    bytes.replaceSubrange(0..<Self.pageSize, with: try others().prefix(Self.pageSize))
    let rebuilt = try Reconstruction(
      FileSet(main: MemorySource(bytes)), parser: SandboxParser(),
      known: OutsideKnowledge(schema: { entries }))
    let rows = ["note", "tag", "use"].map { name in
      rebuilt.survey.tree(named: Name(name)).map { rebuilt.rowsFound(in: $0) }
    }
    #expect(rows == [300, 300, 300])
  }

  @Test(arguments: [0, 2])
  func `values of other types than declared speak of no other database`(_ missing: Int) throws {
    // As drivers store identifiers: bytes in a column whose type says nothing of them.
    let tables = (1...4).map { number in
      """
      CREATE TABLE t\(number) (id UNIQUEIDENTIFIER NOT NULL PRIMARY KEY, name TEXT NOT NULL,
        \((1...number).map { "c\($0) INTEGER" }.joined(separator: ", ")));
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO t\(number) (id, name) SELECT CAST(printf('%016d', i * 7) AS BLOB), 'n' || i FROM n;
      """
    }
    let bytes = try database(tables.joined())
    let survey = Survey(main: Bytes(bytes.prefix(bytes.count - missing * Self.pageSize)))
    #expect(!survey.speaksOfAnother)
    let sound = survey.trees.count { $0.entry.kind == .table && $0.isReadable }
    #expect(sound >= 4 - missing)
  }

  @Test func `leaves that lost the byte with which they begin speak of no other database`() throws {
    let tables = (1...4).map { number in
      """
      CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, body TEXT NOT NULL, c\(number) REAL);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO t\(number) SELECT i, 'the body of ' || i, i * 0.5 FROM n;
      """
    }
    let bytes = try database(tables.joined())
    let survey = Survey(main: Bytes(bytes.map { $0 == 0x0D ? 0x0A : $0 }))
    #expect(!survey.hasHeadOfAnother)
    #expect(survey.replacedByte != nil)
    #expect(survey.trees.map { $0.records > 250 } == [true, true, true, true])
  }

  @Test func `damaged roots alone speak of no other database`() throws {
    let whole = try notes()
    let roots = Survey(main: whole).trees.compactMap(\.root)
    var bytes = whole
    for root in roots {
      let start = (root.number - 1) * Self.pageSize
      bytes.replaceSubrange(start..<(start + 64), with: Bytes(repeating: 0xA5, count: 64))
    }
    let survey = Survey(main: bytes)
    #expect(!survey.hasHeadOfAnother)
    #expect(!survey.trees.isEmpty)
  }

  @Test(arguments: [(1024, 4096), (4096, 1024), (512, 2048), (4096, 512)])
  func `where its pages are of another size, those behind it are read in their own`(
    _ pageSize: Int, _ ofHead: Int
  ) throws {
    let head = 16 << 10
    var bytes = try notes(2000, pageSize: pageSize)
    bytes.replaceSubrange(0..<head, with: try deepOthers(600, pageSize: ofHead).prefix(head))
    let rebuilt = Reconstruction(main: bytes)
    #expect(rebuilt.survey.geometry?.geometry.pageSize == pageSize)
    #expect(rebuilt.survey.findings.contains { $0.code == .headOfAnother })
    #expect(rebuilt.survey.trees.isEmpty)
    #expect(rebuilt.rowsWithoutTable.rows > 5600)
  }

  @Test func `a header of another size refutes no log that goes on from the schema of the file`()
    throws
  {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    func filled(_ name: String) -> DatabaseBuilder.Step {
      .init(
        stringLiteral: """
          CREATE TABLE \(name) (id INTEGER PRIMARY KEY, body TEXT);
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
          INSERT INTO \(name) SELECT i, '\(name) ' || i FROM n;
          """)
    }
    // No table of the file is there any more.
    try DatabaseBuilder(
      pageSize: 512, [filled("january")],
      leftover: .wal([filled("february"), "DROP TABLE january"])
    ).build(at: path)
    var main = try path.contents()
    main.replaceSubrange(0..<100, with: try notes(pageSize: 4096).prefix(100))
    let survey = Survey(main: main, wal: try path.adding(suffix: "-wal").contents())
    #expect(survey.tree(named: "february")?.records == 200)
    #expect(!survey.hasForeignLog)
  }

  @Test(arguments: [250, 500])
  func `it is not believed for the roots that it brought along, above pages of others`(
    _ rows: Int
  ) throws {
    let head = 16 << 10
    var bytes = try notes(2000)
    let others = try deepOthers(rows, pageSize: Self.pageSize)
    bytes.replaceSubrange(0..<head, with: others.prefix(head))
    let rebuilt = Reconstruction(main: bytes)
    #expect(rebuilt.survey.hasHeadOfAnother)
    #expect(rebuilt.survey.trees.isEmpty)
    #expect(rebuilt.rowsWithoutTable.rows > 5600)
  }

  @Test func `a root that leads to itself ends no survey, where the header counts other pages`()
    throws
  {
    var bytes = try notes()
    let root = try #require(Survey(main: bytes).tree(named: "note")?.root)
    let start = (root.number - 1) * Self.pageSize
    let page = try BTreePage(
      bytes.slice(start..<(start + Self.pageSize)), number: root,
      geometry: #require(Geometry(pageSize: Self.pageSize)))
    try #require(page.kind == .tableInterior && page.cellCount > 3)
    for index in 0..<page.cellCount {
      let cell = try #require(bytes.big16(at: start + 12 + 2 * index))
      bytes.setBigEndian(UInt32(root.number), at: start + cell)
    }
    bytes.setBigEndian(UInt32(bytes.count / Self.pageSize + 1), at: 28)
    #expect(Survey(main: bytes).tree(named: "note") != nil)
  }
}
