// SPDX-License-Identifier: Apache-2.0
// A database that is reached through a symbolic link has its journals beside the file, as SQLite has
// them.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct LinkedDatabaseTests {
  let bench: Workbench
  let file: FilePath
  let link: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["data.sqlite"]
    link = bench["app.db"]
    #expect(try Command("/bin/ln", ["-s", "data.sqlite", link.description]).run().status == 0)
  }

  private static let rows: DatabaseBuilder.Step =
    """
    INSERT INTO t (a) SELECT hex(zeroblob(200)) FROM
      (WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n)
    """

  private func build(_ leftover: Leftover, _ journal: DatabaseBuilder.JournalMode) throws {
    try DatabaseBuilder(
      journal: journal, ["CREATE TABLE t (id INTEGER PRIMARY KEY, a)", Self.rows],
      leftover: leftover
    ).build(at: file)
  }

  @Test func `rows that only the log has are read and salvaged`() throws {
    try build(.wal(["CREATE TABLE k (x)", "INSERT INTO k VALUES (5)", Self.rows]), .wal)
    let check = try bench.run("check", link)
    #expect(check.status == 0 && !check.all.contains("DBR-F041"), "\(check.all)")
    let output = bench["rescued.db"]
    #expect(try bench.run("salvage", link, "--output", output).status == 0)
    let rescued = try Connection(output, mode: .readOnly)
    #expect(try rescued.rows("SELECT count(*) FROM t") == [[.integer(200)]])
    #expect(try rescued.rows("SELECT x FROM k") == [[.integer(5)]])
  }

  @Test func `a migration that deletes what only the log has is refused`() throws {
    try build(.wal(["CREATE TABLE k (x)", "INSERT INTO k VALUES (5)"]), .wal)
    let folder = bench["steps"]
    try SystemStorage().createFolder(folder)
    try folder.appending("1_drop.sql").replaceContents(with: Bytes("DROP TABLE k;".utf8))
    let ending = try bench.run("migrate", link, "--migrations", folder)
    #expect(ending.status == 19 || ending.status == 18, "\(ending.all)")
  }

  @Test func `a hot journal beside the file takes back what was not committed`() throws {
    try build(.hotJournal(["UPDATE t SET a = upper(a) || 'new'"]), .delete)
    let output = bench["rescued.db"]
    #expect(try bench.run("salvage", link, "--output", output).status == 0)
    let rescued = try Connection(output, mode: .readOnly)
    #expect(
      try rescued.rows("SELECT count(*), sum(a LIKE '%new') FROM t") == [
        [.integer(100), .integer(0)]
      ])
  }
}
