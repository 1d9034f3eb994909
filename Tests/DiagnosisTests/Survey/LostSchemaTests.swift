// SPDX-License-Identifier: Apache-2.0
// Where the schema comes from when the first page is lost.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LostSchemaTests {
  @Test func `frames that nothing vouches for still name the tables`() throws {
    let scratch = try ScratchFolder()
    let path = try Recipe.named("wal-committed").build(in: scratch.path)
    let whole = try Survey(path)
    let pageSize = try #require(whole.geometry).geometry.pageSize
    var wal = try path.adding(suffix: "-wal").contents()
    let frames = stride(from: 32, to: wal.count, by: pageSize + 24)
    try #require(frames.contains { wal[$0..<($0 + 4)].elementsEqual([0, 0, 0, 1]) })
    // Every checksum breaks in more than one byte, and the first page of the file is gone.
    for frame in frames {
      wal[frame + 16] ^= 1
      wal[frame + 21] ^= 1
    }
    let main = Damage.zeroPage(1).applied(to: try path.contents(), pageSize: pageSize)
    let schema = try #require(Survey(main: main, wal: wal).schema)
    #expect(schema.sources[.otherTime] ?? 0 > 0)
    #expect(Set(schema.entries.map(\.name)) == Set((whole.schema?.entries ?? []).map(\.name)))
  }

  // MARK: Rows of the schema that are gone, or there twice

  private static let item = SchemaEntry(
    kind: .table, name: "item", table: "item", root: nil,
    sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL)")

  private static func filled(_ table: String, _ columns: String) -> DatabaseBuilder.Step {
    .init(
      stringLiteral: """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO \(table) SELECT \(columns) FROM n
        """)
  }

  /// A database with two tables, after some more, whose schema may have lost the row of one.
  private func stock(
    _ more: DatabaseBuilder.Step..., losingRow name: String? = nil
  ) throws -> Bytes {
    let scratch = try ScratchFolder()
    let path = scratch["stock.db"]
    try DatabaseBuilder(
      pageSize: 512,
      [
        "CREATE TABLE stock (item INTEGER, place TEXT)",
        "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL)",
        Self.filled("stock", "i, 'place ' || i"), Self.filled("item", "i, 'item ' || i, i * 0.5"),
      ] + more
    ).build(at: path)
    if let name {
      let connection = try Connection(path, mode: .app)
      connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
      try connection.execute(
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '\(name)'")
    }
    return try path.contents()
  }

  private func rows(of table: Name, in bytes: Bytes, knowing entries: [SchemaEntry]) throws -> Int?
  {
    let rebuilt = try Reconstruction(
      FileSet(main: MemorySource(bytes)), parser: SandboxParser(),
      known: OutsideKnowledge(schema: { entries }))
    return rebuilt.survey.tree(named: table).map { rebuilt.rowsFound(in: $0) }
  }

  @Test func `a given schema names a table whose row is gone, where its pages are in use`() throws {
    let bytes = try stock(losingRow: "item")
    try #require(Survey(main: bytes).schema?.isWhole == true)
    #expect(try rows(of: "item", in: bytes, knowing: [Self.item]) == 200)
    #expect(try rows(of: "stock", in: bytes, knowing: [Self.item]) == 200)
  }

  @Test func `a given schema adds no table that was dropped`() throws {
    let bytes = try stock("DROP TABLE item")
    #expect(try rows(of: "item", in: bytes, knowing: [Self.item]) == nil)
    #expect(try rows(of: "stock", in: bytes, knowing: [Self.item]) == 200)
  }

  @Test func `a given schema adds no table to which no page in use can belong`() throws {
    let bytes = try stock(losingRow: "item")
    let other = SchemaEntry(
      kind: .table, name: "word", table: "word", root: nil,
      sql: "CREATE TABLE word (word TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID")
    #expect(try rows(of: "word", in: bytes, knowing: [other]) == nil)
  }

  /// A database whose schema fills two leaves below the first page, and where these are.
  private func broad() throws -> (bytes: Bytes, leaves: [Int]) {
    let scratch = try ScratchFolder()
    let path = scratch["broad.db"]
    let tables = ["first", "second", "third", "fourth", "fifth"].flatMap { name in
      [
        DatabaseBuilder.Step(
          stringLiteral: "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, name TEXT, of\(name) REAL)"),
        .init(stringLiteral: "CREATE INDEX \(name)_name ON \(name) (name)"),
        Self.filled(name, "i, '\(name) ' || i, i * 0.5"),
      ]
    }
    try DatabaseBuilder(pageSize: 512, tables).build(at: path)
    let pages = try Oracle(path).pages
    return (
      try path.contents(),
      pages.filter { $0.object == "sqlite_schema" && $0.kind == "leaf" }.map(\.number)
    )
  }

  @Test func `a leaf of the schema to which the first page leads no more is found`() throws {
    var (bytes, leaves) = try broad()
    try #require(leaves.count > 1)
    // As it was when its table had one leaf: no key, and the pointer to the last one.
    bytes.replaceSubrange(103..<105, with: [0, 0])
    bytes.replaceSubrange(105..<107, with: [2, 0])
    let schema = try #require(Survey(main: bytes).schema)
    #expect(!schema.isWhole && schema.sources[.orphanPage] ?? 0 > 0)
    #expect(try rows(of: "fourth", in: bytes, knowing: []) == 200)
  }

  @Test func `of rows that declare one table the one between the keys of its place counts`() throws
  {
    let (bytes, leaves) = try broad()
    try #require(leaves.count > 1)
    // The last leaf is the first one again, as it was when the schema had no other.
    let damaged = Damage.copyPage(from: leaves[0], to: leaves[leaves.count - 1])
      .applied(to: bytes, pageSize: 512)
    let schema = try #require(Survey(main: damaged).schema)
    let keys = schema.entries.map(\.key)
    #expect(Set(keys).count == keys.count && !schema.isWhole)
    #expect(try rows(of: "first", in: damaged, knowing: []) == 200)
  }
}
