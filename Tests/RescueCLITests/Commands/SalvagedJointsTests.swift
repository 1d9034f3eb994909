// SPDX-License-Identifier: Apache-2.0
// Rows through which a place runs where bytes are missing or were put in, or that reach into a sector
// of a log that is gone: none of them is written with bytes that are not its own.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvagedJointsTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private static let inserted = Bytes("2026-03-01 10:00:11 [INFO] job finished\n".utf8)

  /// A database of rows that tell by their number what they are.
  private func build(rows: Int, words: Int, _ more: DatabaseBuilder.Step...) throws -> FilePath {
    let file = bench["app.db"]
    try DatabaseBuilder(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO t SELECT i, 'key ' || i, \(Self.text(words)) FROM n
        """,
      ] + more
    ).build(at: file)
    return file
  }

  @Test(arguments: [4096, 8192])
  func `as many bytes as pages have, put into a page of a long row, take it for no whole one`(
    _ count: Int
  ) throws {
    let file = try build(rows: 20, words: 3000)
    var bytes = try file.contents()
    bytes.insert(contentsOf: Bytes(repeating: 0x20, count: count), at: 30 * 4096 + 1500)
    try file.replaceContents(with: bytes)
    let (status, rows, wrong) = try salvage(file, words: 3000)
    #expect(status == 14 && wrong == 0 && rows >= 17, "\(status) \(rows) \(wrong)")
  }

  @Test(arguments: [true, false], [8, 200])
  func `no row is taken through which a byte of the last page was put in or left out`(
    _ isPutIn: Bool, _ count: Int
  ) throws {
    let file = try build(rows: count, words: 4)
    let sound = try file.contents()
    let start = sound.count - 4096
    let content = try #require(sound.big16(at: start + 5)).advanced(by: start)
    try #require(sound[start] == 13)
    for place in stride(from: content + 3, to: sound.count, by: 1 + (sound.count - content) / 24) {
      var bytes = sound
      if isPutIn { bytes.insert(0x7E, at: place) } else { bytes.remove(at: place) }
      try file.replaceContents(with: bytes)
      let (status, rows, wrong) = try salvage(file, words: 4)
      #expect(status == 14 && wrong == 0 && rows < count, "\(place): \(status) \(rows) \(wrong)")
    }
  }

  @Test func `white space behind the end costs no row, and a byte that is cut off one`() throws {
    let file = try build(rows: 8, words: 4)
    let sound = try file.contents()
    try file.replaceContents(with: sound + Bytes("\r\n".utf8))
    var result = try salvage(file, words: 4)
    #expect(result == (0, 8, 0), "\(result)")
    try file.replaceContents(with: Bytes(sound.dropLast()))
    result = try salvage(file, words: 4)
    #expect(result.status == 14 && result.rows == 7 && result.wrong == 0, "\(result)")
  }

  @Test(arguments: 20...31)
  func `no row is filled up from a page that was left out, or from one beside it`(
    _ page: Int
  ) throws {
    // Bytes of which none tells whose they are.
    let file = bench["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)",
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO t SELECT i, replace(hex(zeroblob(CASE i % 3 WHEN 0 THEN 90 ELSE 3000 END)), '00',
        char(33 + i)) || hex(i) FROM n
      """,
    ]).build(at: file)
    let original = bench["original.db"]
    var bytes = try file.contents()
    try original.replaceContents(with: bytes)
    bytes.removeSubrange(page * 4096..<(page + 1) * 4096)
    try file.replaceContents(with: bytes)
    let output = bench["out.db"]
    let ending = try bench.run("salvage", file, "--output", output)
    let rows = Set(try Oracle(original).rows(of: "t"))
    let written = try Oracle(output).rows(of: "t")
    #expect(written.allSatisfy(rows.contains))
    #expect(ending.status == 14 || written.count == rows.count, "\(ending.all)")
    #expect(written.count >= 50, "\(written.count)")
  }

  private static func text(_ words: Int, _ id: String = "i") -> String {
    "replace(hex(zeroblob(\(words))), '00', 'word ' || \(id) || ' ')"
  }

  /// How a salvage ends, how many rows it writes, and how many of them are not as they were.
  private func salvage(_ file: FilePath, words: Int) throws -> (
    status: Int32, rows: Int, wrong: Int
  ) {
    let output = bench["out.db"]
    let ending = try bench.run("salvage", file, "--output", output, "--force")
    func count(_ condition: String) throws -> Int {
      Int(try Oracle(output).value("SELECT count(*) FROM t WHERE \(condition)")?.integerValue ?? -1)
    }
    return (
      ending.status, try count("1"),
      try count("a <> 'key ' || id OR b <> \(Self.text(words, "id"))")
    )
  }

  @Test(arguments: [40, 700, 2000, 4000])
  func `an index does not vouch for the bytes of a row into which others were put`(
    _ place: Int
  ) throws {
    let file = try build(rows: 3000, words: 12, "CREATE UNIQUE INDEX keys ON t (a)")
    let leaf = try #require(
      try Oracle(file).pages.filter { $0.object == "t" && $0.kind == "leaf" }.dropFirst(30).first)
    var bytes = try file.contents()
    bytes.insert(contentsOf: Self.inserted, at: (leaf.number - 1) * 4096 + place)
    try file.replaceContents(with: bytes)
    let found = try salvage(file, words: 12)
    #expect(found.wrong == 0 && found.rows > 2900)
  }

  @Test(arguments: [700, 2000, 4000, 4060])
  func `a row that bytes are missing from is not filled up with others`(_ place: Int) throws {
    let file = try build(rows: 3000, words: 12)
    let leaf = try #require(
      try Oracle(file).pages.filter { $0.object == "t" && $0.kind == "leaf" }.dropFirst(30).first)
    var bytes = try file.contents()
    let start = (leaf.number - 1) * 4096 + place
    bytes.removeSubrange(start..<(start + 57))
    try file.replaceContents(with: bytes)
    let found = try salvage(file, words: 12)
    #expect(found.wrong == 0 && found.rows > 2900)
    #expect(found.status == 14)
  }

  @Test func `a row with bytes put into its overflow page is lost, and that is told`() throws {
    let file = try build(rows: 200, words: 1200)
    let pages = try Oracle(file).pages.filter { $0.object == "t" }
    let chain = try #require(pages.filter { $0.kind == "overflow" }.dropFirst(100).first)
    let whole = try file.contents()
    var bytes = whole
    bytes.insert(contentsOf: Self.inserted, at: (chain.number - 1) * 4096 + 2000)
    try file.replaceContents(with: bytes)
    let found = try salvage(file, words: 1200)
    #expect(found.wrong == 0 && found.rows > 190)
    #expect(found.status == 14)
  }

  @Test func `a row whose link lies behind what was put in does not vanish in silence`() throws {
    let file = try build(rows: 200, words: 1200)
    let pages = try Oracle(file).pages.filter { $0.object == "t" }
    let leaf = try #require(pages.filter { $0.kind == "leaf" }.dropFirst(5).first)
    var bytes = try file.contents()
    bytes.insert(contentsOf: Self.inserted, at: leaf.number * 4096 - 60)
    try file.replaceContents(with: bytes)
    let found = try salvage(file, words: 1200)
    #expect(found.wrong == 0)
    #expect(found.status == 14)
  }

  @Test(arguments: 0..<6, [UInt8(0), 0xFF])
  func `a row that reaches into a lost sector of the log is not written`(
    _ number: Int, _ filler: UInt8
  ) throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      journal: .wal, ["CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT)"],
      leftover: .wal([
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO t SELECT i, 'key ' || i, \(Self.text(12)) FROM n
        """
      ])
    ).build(at: file)
    let log = file.adding(suffix: "-wal")
    var bytes = try log.contents()
    let start = 512 * (20 + 3 * number)
    bytes.replaceSubrange(start..<(start + 512), with: Bytes(repeating: filler, count: 512))
    try log.replaceContents(with: bytes)
    #expect(try salvage(file, words: 12).wrong == 0)
  }
}
