// SPDX-License-Identifier: Apache-2.0
// Values that are not held in memory: they come out as they went in, whatever lies around them.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct LongValueTests {
  /// Tables in which long values are written piece by piece, or not, for what else there is.
  static let tables = [
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, tail INTEGER)",
    "CREATE TABLE t (id INTEGER, a, b, tail INTEGER)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a BLOB, b TEXT, tail INTEGER) STRICT",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, tail CHECK (length(b) > 3 AND tail = 77))",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b UNIQUE, tail INTEGER)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, tail INTEGER, n AS (length(a)))",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, tail INTEGER) WITHOUT ROWID",
    """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, tail INTEGER);
    CREATE INDEX by_b ON t (b, tail);
    CREATE INDEX by_tail ON t (tail);
    """,
  ]

  /// Bytes of which no stretch is like another.
  private static let blob = Bytes((0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
  /// A text of as many letters in every encoding.
  private static let text = String((0..<1_500_003).map { ["a", "ö", "z", "ß"][$0 % 4] })

  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func build(_ table: String, _ encoding: TextEncoding = .utf8) throws -> FilePath {
    let file = bench["long.db"]
    let values: [Value] = [.blob(Self.blob), .text(Self.text), .integer(77)]
    try DatabaseBuilder(
      encoding: encoding,
      [
        .init(stringLiteral: table),
        .init("INSERT INTO t (id, a, b, tail) VALUES (1, ?, ?, ?)", values),
        "INSERT INTO t (id, a, b, tail) VALUES (2, x'', 'short', 77)",
      ]
    ).build(at: file)
    return file
  }

  @Test func `a chain that ends in a page of four bytes, which leads to itself, ends a backup`()
    throws
  {
    let file = bench["loop.db"]
    try DatabaseBuilder(
      pageSize: 1024,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a)",
        "INSERT INTO t VALUES (1, zeroblob(20000)), (2, 'x')",
      ]
    ).build(at: file)
    var bytes = try file.contents()
    let beyond = UInt32(bytes.count / 1024 + 1)
    let second = 3 * 1024
    let next = try #require(bytes.big32(at: second))
    #expect(next == 5, "the second page of a chain")
    bytes.setBigEndian(beyond, at: second)
    bytes += bytes[second..<second + 4]
    try file.replaceContents(with: bytes)
    let ending = try bench.run("backup", file)
    #expect(ending.status == 14, "\(ending.all)")
  }

  @Test(arguments: tables, TextEncoding.allCases)
  func `a row of many megabytes comes out as it went in`(
    _ table: String, _ encoding: TextEncoding
  ) throws {
    let file = try build(table, encoding)
    let check = try bench.run("check", file)
    #expect(check.status == 0, "\(check.all)")
    let salvage = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(salvage.status == 0, "\(salvage.all)")
    #expect(try Oracle.firstDifference(expected: file, actual: bench["new.db"]) == nil)
  }

  @Test func `a row of many megabytes can be set aside`() throws {
    let file = try build(Self.tables[0])
    let schema = bench["other.sql"]
    try schema.replaceContents(with: Bytes("CREATE TABLE other (x);".utf8))
    let salvage = try bench.run(
      "salvage", file, "--schema", schema, "--output", bench["new.db"])
    #expect(salvage.status == 14, "\(salvage.all)")
    let aside = try Oracle(bench["new.db.quarantine.db"])
    #expect(try aside.value("SELECT c1 FROM rows WHERE rowid = 1") == .blob(Self.blob))
    #expect(try aside.value("SELECT c2 FROM rows WHERE rowid = 1") == .text(Self.text))
    #expect(try aside.value("SELECT c3 FROM rows WHERE rowid = 1") == .integer(77))
  }

  @Test func `one byte deep inside a long value tells a row from its index`() throws {
    let file = bench["long.db"]
    try DatabaseBuilder(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE INDEX by_a ON t (a)",
        .init("INSERT INTO t (a) VALUES (?)", [.blob(Self.blob)]),
      ]
    ).build(at: file)
    #expect(try bench.run("check", file).status == 0)
    var bytes = try file.contents()
    // In the middle of the row's chain, or of the entry's.
    bytes[bytes.count / 4] ^= 0x55
    try file.replaceContents(with: bytes)
    let check = try bench.run("check", file)
    #expect(check.status == 13, "\(check.all)")
    #expect(check.output.contains("other keys"), "\(check.all)")
  }
}
