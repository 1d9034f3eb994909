// SPDX-License-Identifier: Apache-2.0
// Pages that hold a row twice: as it is, and as it was before an update.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvagedVersionsTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// Row 5 as a salvage gives it, of a leaf whose first bytes are lost; nil where it is not placed.
  private func salvagedHits(losing count: Int) throws -> Value? {
    let (file, output) = (bench["app.db"], bench["fresh.db"])
    // What is longer than both old versions together goes elsewhere; of the second of two
    // neighbours that are freed, nothing is overwritten.
    try DatabaseBuilder([
      "PRAGMA secure_delete = OFF", "CREATE TABLE cache (k TEXT PRIMARY KEY, v TEXT, hits INTEGER)",
      """
      INSERT INTO cache SELECT 'key ' || i, printf('%.60c', 'v'), 1
      FROM (WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 12) SELECT i FROM n)
      """,
      "UPDATE cache SET v = printf('%.240c', 'w'), hits = 2 WHERE rowid = 6",
      "UPDATE cache SET v = printf('%.240c', 'w'), hits = 2 WHERE rowid = 5",
    ]).build(at: file)
    var bytes = try file.contents()
    let leaf = 4096
    #expect(bytes[leaf] == 13, "the root of the table is its only leaf")
    bytes.replaceSubrange(leaf..<(leaf + count), with: Bytes(repeating: 0, count: count))
    try file.replaceContents(with: bytes)
    let ending = try bench.run("salvage", file, "--output", output)
    #expect(ending.status == 14, "\(ending.all)")
    let fresh = try Connection(output, mode: .readOnly, schemaBy: .us)
    #expect(try fresh.value("SELECT count(*) FROM cache WHERE hits = 1")?.integerValue ?? 0 >= 9)
    return try fresh.value("SELECT hits FROM cache WHERE rowid = 5")
  }

  @Test func `of two versions of a row, the one counts to which its page leads`() throws {
    #expect(try salvagedHits(losing: 16) == .integer(2))
  }

  @Test func `of two versions of which nothing tells which one counts, neither is placed`() throws {
    #expect(try salvagedHits(losing: 40) == nil)
  }

  // Where one pointer alone leads astray, nothing tells a torn page from one with a damaged cell.
  @Test(arguments: 0..<30) func `a page that was torn between two states has no row of both`(
    _ seed: Int
  ) throws {
    let (file, output) = (bench["app.db"], bench["fresh.db"])
    let base: [DatabaseBuilder.Step] = [
      "PRAGMA secure_delete = OFF", "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, n INT)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO t SELECT i, substr('alpha beta gamma delta', 1, 4 + i * 7 % 18), i FROM n
      """,
    ]
    try DatabaseBuilder(base).build(at: file)
    let old = (rows: try Oracle(file).rows(of: "t"), bytes: try file.contents())
    let changes: [DatabaseBuilder.Step] = [
      "DELETE FROM t WHERE id % 5 = \(seed % 5)",
      "UPDATE t SET v = v || ' running', n = n + 1000 WHERE id % 7 = \(seed % 7)",
    ]
    let changed = bench["changed.db"]
    try DatabaseBuilder(base + changes).build(at: changed)
    let new = (rows: try Oracle(changed).rows(of: "t"), bytes: try changed.contents())
    let (leaf, seam) = (4096, 4096 + 512 * (1 + seed / 6))
    #expect(new.bytes[leaf] == 13)
    var torn = new.bytes
    torn.replaceSubrange(seam..<8192, with: old.bytes[seam..<8192])
    try file.replaceContents(with: torn)
    _ = try bench.run("salvage", file, "--output", output)
    let known = Set(old.rows + new.rows)
    #expect(try Oracle(output).rows(of: "t").filter { !known.contains($0) } == [])
  }

  @Test(arguments: [
    ("CREATE INDEX j ON t (json_extract(v, '$.n'))", "UPDATE t SET v = '{\"n\": 77}'", 40),
    ("CREATE UNIQUE INDEX k ON t (v)", "DELETE FROM t", 2),
  ])
  func `a table of an earlier moment than its index is not called complete`(
    _ index: String, _ change: String, _ count: Int
  ) throws {
    let (file, output) = (bench["app.db"], bench["fresh.db"])
    let base: [DatabaseBuilder.Step] = [
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)", .init(stringLiteral: index),
      .init(
        stringLiteral: "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < "
          + "\(count)) INSERT INTO t SELECT i, '{\"n\": ' || i || '}' FROM n"),
    ]
    try DatabaseBuilder(base).build(at: file)
    let older = try file.contents()
    try file.removeFileSet()
    try DatabaseBuilder(base + [.init(stringLiteral: change)]).build(at: file)
    var bytes = try file.contents()
    // The root of the table is its only leaf: that write was lost.
    bytes.replaceSubrange(4096..<8192, with: older[4096..<8192])
    try file.replaceContents(with: bytes)
    let ending = try bench.run("salvage", file, "--output", output)
    #expect(ending.status == 14, "\(ending.all)")
    #expect(ending.all.contains("of another moment"), "\(ending.all)")
    // Whoever makes the index anew has decided.
    #expect(try bench.run("recover", file, "--choose", "rebuild-indexes", "--yes").status == 0)
  }
}
