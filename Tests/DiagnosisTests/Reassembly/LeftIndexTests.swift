// SPDX-License-Identifier: Apache-2.0
// Indexes that the schema names no more, or of which it says another condition: no row depends on them.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct LeftIndexTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  /// A database of users that was written to, and in whose schema something was changed by hand.
  private func examined(
    _ steps: [DatabaseBuilder.Step], _ change: String,
    _ contents: (FilePath) throws -> Bytes = { try $0.contents() }
  ) throws -> Examination {
    let path = scratch["app.db"]
    let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
    try DatabaseBuilder(
      pageSize: 1024,
      [
        "CREATE TABLE u (id INTEGER PRIMARY KEY, s TEXT, done INT, score REAL)",
        "\(rows) INSERT INTO u SELECT i, 'user ' || i, i % 3, i FROM n",
      ] + steps
    ).build(at: path)
    do {
      let connection = try Connection(path, mode: .app)
      connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
      try connection.execute("PRAGMA writable_schema = ON; \(change)")
    }
    return try Examination(Reconstruction(Survey(main: try contents(path))))
  }

  @Test(arguments: ["s", "done, s", "s DESC, score"])
  func `the pages of an index that the schema has lost are no rows`(_ columns: String) throws {
    let found = try examined(
      ["CREATE INDEX i ON u (\(columns))"], "DELETE FROM sqlite_master WHERE name = 'i'")
    #expect(found.findings.filter { $0.severity >= .damage }.map(\.code) == [.pageUnclaimed])
    #expect(found.verdict == .damagedIntact)
  }

  @Test func `those of a table without rowids are, also where they end in numbers`() throws {
    let found = try examined(
      [
        "CREATE TABLE v (s TEXT, n INT, PRIMARY KEY (s, n)) WITHOUT ROWID",
        "INSERT INTO v SELECT s, id FROM u WHERE id < 1999", "INSERT INTO v VALUES ('other', 7)",
      ], "DELETE FROM sqlite_master WHERE name = 'v'")
    #expect(found.findings.contains { $0.code == .orphanRows })
    #expect(found.verdict == .damagedLossy)
  }

  @Test func `keys that one row has by chance prove no index over a table that lost others`()
    throws
  {
    let found = try examined(
      [
        "CREATE TABLE v (a INT, b INT, PRIMARY KEY (a, b)) WITHOUT ROWID",
        "INSERT INTO v SELECT 1, 1 UNION ALL SELECT 5, id FROM u WHERE id > 1950",
      ], "DELETE FROM sqlite_master WHERE name = 'v'"
    ) { path in
      // The last leaves of the table are gone.
      let leaves = try Oracle(path).pages.filter { $0.object == "u" && $0.kind == "leaf" }
      var bytes = try path.contents()
      for leaf in leaves.suffix(leaves.count / 2) {
        let start = (leaf.number - 1) * 1024
        bytes.replaceSubrange(start..<(start + 1024), with: Bytes(repeating: 0xFF, count: 1024))
      }
      return bytes
    }
    #expect(found.findings.contains { $0.code == .orphanRows })
  }

  @Test func `a partial index with entries for rows that are there has lost none`() throws {
    let found = try examined(
      ["CREATE INDEX p ON u (s) WHERE done = 1"],
      "UPDATE sqlite_master SET sql = 'CREATE INDEX p ON u (s) WHERE done = 2' WHERE name = 'p'")
    #expect(found.findings.map(\.code) == [.indexMismatch])
    #expect(found.findings.map(\.message) == ["index 'p' holds other keys than its table"])
    #expect(found.verdict == .damagedIntact)
    #expect(found.options(backups: [], hasFreshSchema: false).first?.kind == .rebuildIndexes)
  }
}
