// SPDX-License-Identifier: Apache-2.0
// Rows of the schema on a first page that has lost what tells which of its cells are in use.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct DoubtfulSchemaTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func build(_ sql: [String]) throws -> Bytes {
    let path = scratch["a.db"]
    try DatabaseBuilder(pageSize: 1024, sql.map { .init($0, []) }).build(at: path)
    return try path.contents()
  }

  private static let rows = """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO
    """

  /// A database whose first page lost its header and its pointers.
  private func headless(_ sql: [String]) throws -> Survey {
    var bytes = try build(sql)
    let text = Bytes(String(repeating: "2024-05-06 INFO started\n", count: 9).utf8)
    bytes.replaceSubrange(0..<text.count, with: text)
    return Survey(main: bytes)
  }

  private func counts(_ survey: Survey) -> [String: Int] {
    Dictionary(survey.trees.map { ($0.entry.name.text, $0.records) }) { first, _ in first }
  }

  @Test func `tables and indexes that their trees bear out are there`() throws {
    let survey = try headless([
      "CREATE TABLE visits(at INTEGER, url TEXT)",
      "CREATE TABLE kept(k TEXT PRIMARY KEY, v INTEGER) WITHOUT ROWID",
      "CREATE INDEX visits_at ON visits(at)",
      "\(Self.rows) visits SELECT i, 'u' || i FROM n",
      "\(Self.rows) kept SELECT 'k' || i, i FROM n",
    ])
    #expect(counts(survey) == ["visits": 300, "kept": 300, "visits_at": 300])
    #expect(survey.schema?.sources[.doubtfulCell] == 3)
    #expect(survey.verdict == .damagedLossy)
  }

  @Test func `a table that was dropped does not come back`() throws {
    let survey = try headless([
      "CREATE TABLE kept(at INTEGER, url TEXT)", "CREATE TABLE gone(at INTEGER, url TEXT)",
      "\(Self.rows) kept SELECT i, 'u' || i FROM n", "\(Self.rows) gone SELECT i, 'g' || i FROM n",
      "DROP TABLE gone",
    ])
    #expect(counts(survey) == ["kept": 300])
  }

  @Test func `a table whose root has rows of another form is not believed`() throws {
    let survey = try headless([
      "CREATE TABLE gone(a TEXT, b TEXT, c TEXT, d TEXT)",
      "\(Self.rows) gone SELECT 'a', 'b', 'c', i FROM n", "DROP TABLE gone", "VACUUM",
      "CREATE TABLE kept(at INTEGER)", "\(Self.rows) kept SELECT i FROM n",
    ])
    #expect(counts(survey) == ["kept": 300])
  }
}
