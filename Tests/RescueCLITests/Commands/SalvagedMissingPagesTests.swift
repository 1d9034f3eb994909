// SPDX-License-Identifier: Apache-2.0
// Pages that are missing from a file, a log or a journal without that a tree tells: what is salvaged
// of the rest is never complete.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvagedMissingPagesTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private static let pageSize = 1024
  private static let frameSize = 24 + pageSize

  private static func offset(ofFrame index: Int) -> Int { 32 + index * frameSize }

  private static let filled: DatabaseBuilder.Step = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO t SELECT i, 'row ' || i || ' of the table' FROM n;
    """

  /// A change of every fourth row that leaves each in its place.
  private static func change(_ letter: String, where condition: String = "1")
    -> DatabaseBuilder.Step
  {
    .init(
      stringLiteral:
        "UPDATE t SET a = substr(a, 1, length(a) - 1) || '\(letter)' "
        + "WHERE id % 4 = 0 AND \(condition)")
  }

  /// A database with a log of several transactions.
  private func logged(_ steps: [DatabaseBuilder.Step]) throws -> (file: FilePath, wal: FilePath) {
    let file = bench["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize, journal: .wal, [Self.filled], leftover: .wal(steps)
    ).build(at: file)
    return (file, file.adding(suffix: "-wal"))
  }

  private func salvage(_ file: FilePath) throws -> (ending: Ending, output: FilePath) {
    let output = bench["out.db"]
    #expect(try bench.run("check", file).status == 14)
    return (try bench.run("salvage", file, "--output", output, "--json"), output)
  }

  private func count(_ path: FilePath, _ sql: String) throws -> Int {
    Int(try Oracle(path).value(sql)?.integerValue ?? -1)
  }

  /// The frames of a log: the page of each, and whether it is the last of its transaction.
  private func frames(_ wal: Bytes) -> [(page: UInt32, isCommit: Bool)] {
    (0..<(wal.count - 32) / Self.frameSize).map { index in
      let offset = Self.offset(ofFrame: index)
      return (wal.bigEndian(at: offset), wal.bigEndian(at: offset + 4) > 0)
    }
  }

  @Test(arguments: [true, false])
  func `a frame that is missing inside a log`(_ isLeftOut: Bool) throws {
    let (file, wal) = try logged([Self.change("A"), Self.change("B", where: "id < 900")])
    var bytes = try wal.contents()
    let frames = frames(bytes)
    let lost = try #require(
      frames.indices.first { index in
        !frames[index].isCommit
          && !frames[(index + 1)...].contains { $0.page == frames[index].page }
      })
    let range = Self.offset(ofFrame: lost)..<Self.offset(ofFrame: lost + 1)
    if isLeftOut {
      bytes.removeSubrange(range)
    } else {
      bytes.replaceSubrange(range, with: Bytes(repeating: 0, count: range.count))
    }
    try wal.replaceContents(with: bytes)
    let (ending, output) = try salvage(file)
    #expect(ending.status == 14)
    #expect(try ending.json["complete"]?.bool == false)
    // Nothing proves the frame behind the place.
    let aside = try count(
      output.adding(suffix: ".quarantine.db"),
      "SELECT count(*) FROM \"rows\" WHERE reason = 'unproven'")
    #expect(try count(output, "SELECT count(*) FROM t") + aside == 1000)
  }

  @Test func `the frame before the last commit`() throws {
    let (file, wal) = try logged([Self.change("A"), Self.change("B")])
    var bytes = try wal.contents()
    let last = frames(bytes).count - 1
    for index in Self.offset(ofFrame: last - 1)..<Self.offset(ofFrame: last) { bytes[index] = 0 }
    try wal.replaceContents(with: bytes)
    let (ending, output) = try salvage(file)
    #expect(ending.status == 14)
    #expect(try ending.json["complete"]?.bool == false)
    #expect(try count(output, "SELECT count(*) FROM t WHERE a LIKE '%tablA'") == 250)
  }

  @Test(arguments: [true, false])
  func `a byte too many or too few in a log costs the page in which it is`(_ isMore: Bool) throws {
    let (file, wal) = try logged(
      ["A", "B", "C"].enumerated().map {
        Self.change($1, where: "id BETWEEN \($0 * 300) AND \($0 * 300 + 299)")
      })
    var bytes = try wal.contents()
    let place = Self.offset(ofFrame: 2) + 500
    if isMore { bytes.insert(0x78, at: place) } else { bytes.remove(at: place) }
    try wal.replaceContents(with: bytes)
    let (ending, output) = try salvage(file)
    #expect(ending.status == 14)
    #expect(try count(output, "SELECT count(*) FROM t WHERE a LIKE '%tablC'") == 75)
    #expect(try count(output, "SELECT count(*) FROM t WHERE a LIKE '%tablB'") == 75)
  }

  @Test func `the checksum of a record of a hot journal costs no row`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize, [Self.filled],
      leftover: .hotJournal(["DELETE FROM t WHERE id % 7 = 3", Self.change("A")])
    ).build(at: file)
    let journal = file.adding(suffix: "-journal")
    var bytes = try journal.contents()
    let records = try RollbackJournal(MemorySource(bytes), databasePageSize: nil).allRecords
    let leaf = try #require(
      records.filter { bytes[$0.offset] == 13 && $0.page != .first }.dropFirst(3).first)
    for index in 0..<4 { bytes[leaf.offset + Self.pageSize + index] = 0 }
    try journal.replaceContents(with: bytes)
    let (ending, output) = try salvage(file)
    #expect(ending.status == 14)
    let aside = output.adding(suffix: ".quarantine.db")
    let written = try count(output, "SELECT count(*) FROM t WHERE a LIKE '%table'")
    let kept = try count(
      aside, "SELECT count(DISTINCT \"rowid\") FROM \"rows\" WHERE reason = 'unproven-record'")
    #expect(written < 1000 && written + kept == 1000)
  }

  @Test func `a first page that counts pages which the file does not have`() throws {
    let old = bench["old.db"]
    let new = bench["new.db"]
    let more: DatabaseBuilder.Step = """
      WITH RECURSIVE n (i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
      INSERT INTO t SELECT i, 'row ' || i || ' of the table' FROM n;
      """
    try DatabaseBuilder(pageSize: Self.pageSize, [Self.filled]).build(at: old)
    try DatabaseBuilder(
      pageSize: Self.pageSize, [Self.filled, more, "DELETE FROM t WHERE id < 100"]
    ).build(at: new)
    let first = try new.contents().prefix(Self.pageSize)
    try old.replaceContents(
      with: Bytes(first) + Bytes(old.contents().dropFirst(Self.pageSize)))
    let (ending, output) = try salvage(old)
    #expect(ending.status == 14)
    #expect(try ending.json["complete"]?.bool == false)
    #expect(try count(output, "SELECT count(*) FROM t") == 1000)
  }

  @Test func `free pages that were cut off are not missed`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [Self.filled, "CREATE TABLE gone (a)", "INSERT INTO gone SELECT a FROM t", "DROP TABLE gone"]
    ).build(at: file)
    let bytes = try file.contents()
    try file.replaceContents(with: Bytes(bytes.dropLast(4 * Self.pageSize)))
    let ending = try bench.run("salvage", file, "--output", bench["out.db"], "--json")
    #expect(ending.status == 0)
    #expect(try bench.run("check", file).status == 13)
  }
}
