// SPDX-License-Identifier: Apache-2.0
// What only SQLite's own check used to find: an entry between two pages, and rows of the schema.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct MisplacedSeparatorTests {
  private static let pageSize = 512

  private func words() throws -> Bytes {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        """
        CREATE TABLE word (word TEXT PRIMARY KEY) WITHOUT ROWID;
        WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO word SELECT 'word ' || i FROM n;
        ANALYZE;
        """
      ]
    ).build(at: path)
    return try path.contents()
  }

  @Test func `an entry of an interior page that is not between its neighbours is found`() throws {
    var bytes = try words()
    let survey = Survey(main: bytes)
    #expect(survey.faults.isEmpty)
    let root = try #require(survey.tree(named: "word")?.root)
    let image = try #require(survey.image)
    let page = try image.btreePage(root)
    try #require(!page.kind.isLeaf)
    let cell = try page.cell(1)
    // The last digit of the word.
    let offset = image.offset(of: root) + cell.local.upperBound - 1
    let digit = bytes[offset]
    bytes[offset] = digit == 0x39 ? 0x30 : 0x39
    bytes[offset - 1] ^= 0x07
    let damaged = Survey(main: bytes)
    #expect(damaged.findings.contains { $0.code == .keyOrder })
    #expect(damaged.verdict != .healthy)
  }

  @Test func `a schema row that names another table than its statement is found`() throws {
    var bytes = try words()
    let name = Bytes("sqlite_stat1sqlite_stat1".utf8)
    let start = try #require(bytes.indices.first { bytes.matches(name, at: $0) })
    bytes[start + 20] = 0x7A
    #expect(Survey(main: bytes).findings.contains { $0.code == .schemaDamaged })
  }

  @Test func `a table of SQLite's own whose root is a page of an index is found`() throws {
    var bytes = try words()
    let root = try #require(Survey(main: bytes).tree(named: "sqlite_stat1")?.root)
    let other = try #require(Survey(main: bytes).tree(named: "word")?.root)
    let (target, source) = ((root.number - 1) * Self.pageSize, (other.number - 1) * Self.pageSize)
    bytes.replaceSubrange(
      target..<(target + Self.pageSize), with: bytes[source..<(source + Self.pageSize)])
    #expect(Survey(main: bytes).verdict != .healthy)
  }
}
