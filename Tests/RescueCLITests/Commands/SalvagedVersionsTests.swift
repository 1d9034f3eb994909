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
}
