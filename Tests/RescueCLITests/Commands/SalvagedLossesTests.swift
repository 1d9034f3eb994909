// SPDX-License-Identifier: Apache-2.0
// How many rows a salvage says are lost, and how many at most.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvagedLossesTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// The pages of a table or index, as SQLite tells them.
  private func pages(of name: String, in path: FilePath, leavesOnly: Bool) throws -> [Int] {
    try Oracle(path).pages.filter { $0.object == name && (!leavesOnly || $0.kind == "leaf") }
      .map(\.number)
  }

  @Test func `an index that lacks rows of its table gives a loss no upper bound`() throws {
    let size = 1024
    let file = bench["items.db"]
    try DatabaseBuilder(
      pageSize: size,
      [
        "CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT)",
        "CREATE INDEX labels ON item (label)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        INSERT INTO item SELECT i, printf('label %05d', i * 7919 % 10007) FROM n
        """,
      ]
    ).build(at: file)
    let old = try file.contents()
    do {
      let connection = try Connection(file, mode: .app)
      try connection.execute("INSERT INTO item VALUES (601, 'label 5'), (602, 'label 6')")
    }
    let leaf = try pages(of: "item", in: file, leavesOnly: true)[5]
    var bytes = try file.contents()
    for page in try pages(of: "labels", in: file, leavesOnly: false) {
      let range = ((page - 1) * size)..<(page * size)
      bytes.replaceSubrange(range, with: old[range])
    }
    bytes.replaceSubrange(
      ((leaf - 1) * size)..<(leaf * size), with: Bytes(repeating: 0, count: size))
    try file.replaceContents(with: bytes)

    let ending = try bench.run(["salvage", file, "--output", bench["new.db"], "--json"])
    let json = try ending.json
    let table = try #require(json["tables"]?.elements.first)
    let gone = try #require(table["partial"]?.number)
    #expect(gone > 0)
    #expect(table["lost"]?["kind"]?.text == "at-least")
    #expect(table["lost"]?["rows"]?.number == gone)
    // What the text says has the most that are lost in it, where that is known.
    let text = try bench.run(["salvage", file, "--output", bench["other.db"]]).output
    #expect(text.contains("at least \(gone)"))
    #expect(!text.contains("at most"))
    #expect(!text.contains("exactly"))
  }

  /// A database as it was after some steps, with pages as they are after one more.
  private func build(_ steps: [DatabaseBuilder.Step], _ last: String) throws -> (
    file: FilePath, old: Bytes
  ) {
    let file = bench["app.db"]
    try DatabaseBuilder(pageSize: 1024, steps).build(at: file)
    let old = try file.contents()
    try Connection(file, mode: .app).execute(last)
    return (file, old)
  }

  private func place(of page: Int) -> Range<Int> { (page - 1) * 1024..<page * 1024 }

  @Test func `rows that what is left of a damaged index names are missing`() throws {
    let rows = { (range: ClosedRange<Int>) in
      """
      WITH RECURSIVE n (i) AS (SELECT \(range.lowerBound) UNION ALL SELECT i + 1 FROM n
        WHERE i < \(range.upperBound))
      INSERT INTO item SELECT i, 'k' || i % 3, printf('label %05d', i * 7919 % 10007) FROM n
      """
    }
    let (file, old) = try build(
      [
        "CREATE TABLE item (id INT, k TEXT, label TEXT, PRIMARY KEY (id, k)) WITHOUT ROWID",
        "CREATE INDEX labels ON item (label)", .init(stringLiteral: rows(1...300)),
      ], rows(301...320))
    var bytes = try file.contents()
    for page in try pages(of: "item", in: file, leavesOnly: false) {
      let range = place(of: page)
      bytes.replaceSubrange(
        range,
        with: range.upperBound <= old.count ? Bytes(old[range]) : Bytes(repeating: 0, count: 1024))
    }
    // The first cell pointer of one leaf leads nowhere.
    let leaf = try pages(of: "labels", in: file, leavesOnly: true)[1]
    bytes[place(of: leaf).lowerBound + 8] = 0xFF
    try file.replaceContents(with: bytes)
    #expect(try bench.run("check", file).status == 14)
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 14, "\(ending.all)")
  }

  @Test func `a table with pages of a free list that is whole may have deleted rows`() throws {
    let (file, old) = try build(
      [
        "CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO item SELECT i, printf('label %05d', i * 7919 % 10007) FROM n
        """, "DELETE FROM item WHERE id < 100",
      ], "DELETE FROM item WHERE id > 700")
    // The write of the root is lost: it leads to what was freed.
    let root = try #require(try pages(of: "item", in: file, leavesOnly: false).min())
    var bytes = try file.contents()
    bytes.replaceSubrange(place(of: root), with: old[place(of: root)])
    try file.replaceContents(with: bytes)
    #expect(try bench.run("check", file).status == 14)
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 14, "\(ending.all)")
  }

  @Test func `counters that cannot be read leave no salvage complete`() throws {
    let (file, _) = try build(
      [
        "CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT)",
        "INSERT INTO item (label) VALUES ('a'), ('b'), ('c')",
      ], "DELETE FROM item WHERE id > 1")
    let page = try #require(try pages(of: "sqlite_sequence", in: file, leavesOnly: false).first)
    var bytes = try file.contents()
    bytes.replaceSubrange(place(of: page), with: Bytes(repeating: 0x5A, count: 1024))
    try file.replaceContents(with: bytes)
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 14, "\(ending.all)")
    #expect(ending.all.contains("may be given again"), "\(ending.all)")
  }
}
