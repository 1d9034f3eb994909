// SPDX-License-Identifier: Apache-2.0
// Files of which every line feed, or every carriage return, became another byte on the way.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ReplacedBytesTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// Rows whose numbers, texts, blobs and rowids hold both bytes, or neither; some with empty texts,
  /// whose serial type is 13, and some of the length 13.
  private static let builder = DatabaseBuilder(
    pageSize: 512,
    [
      "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, n INTEGER)",
      "CREATE INDEX titles ON note (title)",
      "CREATE TABLE word (word TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO note SELECT i, 'title ' || i,
        CASE i % 5 WHEN 0 THEN 'one' || char(10) || 'two' WHEN 1 THEN 'one' || char(13) || 'two'
          WHEN 2 THEN '' ELSE substr('a text of its own', 1, i % 11) END,
        CASE i % 7 WHEN 0 THEN 10 WHEN 1 THEN 13 WHEN 2 THEN 2560 ELSE i * 257 END FROM n
      """,
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO word SELECT 'word ' || i, CASE i % 3 WHEN 0 THEN x'0A0B' WHEN 1 THEN x'0D0B' END
      FROM n
      """,
    ])

  /// The bytes that are gone, and those in their place.
  static let replaced: [(gone: UInt8, standIn: UInt8)] = [(10, 13), (13, 10)]

  @Test(arguments: replaced)
  func `no row with a byte that may have been another one is presented as good`(
    _ gone: UInt8, _ standIn: UInt8
  ) throws {
    let (original, file, output) = (bench["original.db"], bench["app.db"], bench["new.db"])
    try Self.builder.build(at: original)
    try file.replaceContents(
      with: Bytes(try original.contents().map { $0 == gone ? standIn : $0 }))
    let ending = try bench.run("salvage", file, "--output", output)
    #expect(ending.status == 14, "\(ending.all)")
    for table in ["note", "word"] {
      let rows = Set(try Oracle(original).rows(of: table))
      let written = try Oracle(output).rows(of: table)
      #expect(written.allSatisfy(rows.contains), "\(table)")
      // What holds no such byte is not doubted.
      #expect(written.count * 8 > rows.count, "\(table): \(written.count) of \(rows.count)")
    }
    let aside = try Oracle(output.adding(suffix: ".quarantine.db"))
    let doubted = try aside.value("SELECT count(*) FROM rows WHERE reason = 'replaced'")
    #expect(try #require(doubted?.integerValue) > 0)
  }

  @Test(arguments: replaced)
  func `a file of few large pages is told by the ends of lines, too`(
    _ gone: UInt8, _ standIn: UInt8
  ) throws {
    let (original, file, output) = (bench["original.db"], bench["app.db"], bench["new.db"])
    try DatabaseBuilder(
      pageSize: 32768,
      [
        "CREATE TABLE word (word TEXT PRIMARY KEY, n INTEGER, data BLOB) WITHOUT ROWID",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO word SELECT 'word ' || i, i, x'0A0D' || i FROM n
        """,
      ]
    ).build(at: original)
    try file.replaceContents(
      with: Bytes(try original.contents().map { $0 == gone ? standIn : $0 }))
    #expect(try bench.run("salvage", file, "--output", output).status == 14)
    let rows = Set(try Oracle(original).rows(of: "word"))
    #expect(try Oracle(output).rows(of: "word").allSatisfy(rows.contains))
  }

  @Test func `a file that lost its line feeds does not keep every row`() throws {
    let file = bench["app.db"]
    try Self.builder.build(at: file)
    try file.replaceContents(with: Bytes(try file.contents().map { $0 == 10 ? 13 : $0 }))
    let ending = try bench.run("diagnose", file)
    #expect(ending.status == 14)
    #expect(ending.all.contains("no line feed is left"), "\(ending.all)")
    #expect(!ending.all.contains("every row stays"), "\(ending.all)")
  }
}
