// SPDX-License-Identifier: Apache-2.0
// What plans say of tables that cannot be read: their rows are lost, whatever takes their place.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct UnreadTablesTests {
  /// A database that was cut off behind its second table's root, beside a backup.
  private func cutOff(in bench: Workbench) throws -> FilePath {
    let file = bench["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE folder (id INTEGER PRIMARY KEY, n)",
      "CREATE TABLE item (id INTEGER PRIMARY KEY, v)",
      "INSERT INTO folder VALUES (1, 'f'), (2, 'f')",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO item SELECT i, hex(zeroblob(60)) FROM n
      """,
    ]).build(at: file)
    _ = try bench.run("backup", file)
    _ = try bench.run("contract", "capture", file, "--output", bench["c.json"])
    try file.replaceContents(with: Bytes(file.contents().prefix(3 * 4096)))
    return file
  }

  @Test func `a reset loses what cannot be read as well`() throws {
    let bench = try Workbench()
    let file = try cutOff(in: bench)
    let known = try bench.run("diagnose", file).all
    #expect(known.contains("at least "), "\(known)")
    let plan = try bench.run("reset", file, "--schema", bench["c.json"], "--dry-run")
    let lines = plan.all.split(separator: "\n").filter {
      $0.contains("folder") || $0.contains("item")
    }
    #expect(lines.contains { $0.contains("folder") && $0.hasSuffix("exactly 2 rows") }, "\(lines)")
    #expect(lines.contains { $0.contains("item") && $0.contains("at least ") }, "\(lines)")
  }

  @Test func `a restore compares what can be read, and says so`() throws {
    let bench = try Workbench()
    let plan = try bench.run("restore", try cutOff(in: bench), "--dry-run")
    let lines = plan.all.split(separator: "\n").filter {
      $0.contains("folder") || $0.contains("item")
    }
    #expect(lines.contains { $0.contains("folder") && $0.hasSuffix(" nothing") }, "\(lines)")
    #expect(lines.contains { $0.contains("item") && $0.hasSuffix(" nothing that can be read") })
  }
}
