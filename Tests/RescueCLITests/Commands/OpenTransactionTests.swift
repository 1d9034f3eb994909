// SPDX-License-Identifier: Apache-2.0
// Commands under guard that end within a transaction, or before it: what is said where a trace is
// left, and where none is.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct OpenTransactionTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// A database in a journal mode, and its files in the middle of a transaction.
  private func files(_ mode: String, _ statements: String) throws -> (
    file: FilePath, open: FilePath
  ) {
    let (file, other) = (bench["app.db"], bench["open.db"])
    try Connection(file, mode: .app).execute(
      """
      PRAGMA journal_mode = \(mode); CREATE TABLE t (a, b);
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000)
      INSERT INTO t SELECT i, 'some words ' || i FROM c
      """)
    let source = bench["source.db"]
    try file.copyFileSet(to: source)
    let connection = try Connection(source, mode: .app)
    try connection.execute("BEGIN; \(statements)")
    try source.copyFileSet(to: other)
    try connection.execute("ROLLBACK")
    return (file, other)
  }

  private func guarded(_ file: FilePath, by open: FilePath) throws -> Ending {
    try bench.run(
      "guard", file, "--on-failure", "restore", "--json", "--", "/bin/sh", "-c",
      """
      for end in '' -wal -journal; do
        if [ -e \(open)"$end" ]; then cp \(open)"$end" \(file)"$end"; fi
      done
      """)
  }

  @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST"])
  func `a journal that a command leaves behind tells of its transaction`(mode: String) throws {
    let (file, open) = try files(mode, "DELETE FROM t WHERE a = 7")
    #expect(try SystemStorage().status(of: open.adding(suffix: "-journal")) != nil)
    let ending = try guarded(file, by: open)
    #expect(ending.status == 18, "\(ending.all)")
    #expect(
      ending.all.contains("the command ended within a transaction, which is undone"),
      "\(ending.all)")
    #expect(try Connection(file, mode: .app).value("SELECT count(*) FROM t") == .integer(2000))
  }

  @Test func `frames of a log that were never committed tell of their transaction`() throws {
    let (file, open) = try files(
      "WAL", "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; UPDATE t SET b = b || 'x'")
    #expect(try SystemStorage().status(of: open.adding(suffix: "-wal"))?.byteCount ?? 0 > 32)
    let ending = try guarded(file, by: open)
    #expect(ending.status == 18, "\(ending.all)")
    #expect(
      ending.all.contains("the command ended within a transaction, which is undone"),
      "\(ending.all)")
  }

  @Test(arguments: ["PERSIST", "WAL", "DELETE"])
  func `a transaction that was committed is none that was left`(mode: String) throws {
    let file = bench["app.db"]
    try Connection(file, mode: .app).execute("PRAGMA journal_mode = \(mode); CREATE TABLE t (a)")
    let other = bench["open.db"]
    try file.copyFileSet(to: other)
    let connection = try Connection(other, mode: .app)
    try connection.execute("PRAGMA journal_mode = \(mode); INSERT INTO t VALUES (1)")
    let ending = try guarded(file, by: other)
    withExtendedLifetime(connection) {}
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test func `of a command that changed nothing, nothing is kept`() throws {
    let file = bench["app.db"]
    try Connection(file, mode: .app).execute("CREATE TABLE t (a)")
    let ending = try bench.run("guard", file, "--", "/bin/true")
    #expect(ending.status == 0)
    #expect(ending.all.contains("the migration has changed nothing"), "\(ending.all)")
    #expect(!ending.all.contains("is kept"), "\(ending.all)")
    let json = try bench.run("guard", file, "--json", "--", "/bin/true").json
    #expect(json["result"]?.text == "unchanged")
    #expect(json["kept"] == .bool(true))
    #expect(json["exit"] == .integer(0))
  }
}
