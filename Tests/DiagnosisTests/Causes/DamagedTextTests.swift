// SPDX-License-Identifier: Apache-2.0
// What long texts tell of whoever has damaged them: lines over a page of one, and sectors that are
// lost in its midst.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct DamagedTextTests {
  private static let pageSize = 1024
  private static let line = "2026-01-02 03:04:05 ERROR something failed here\n"

  /// What is said of a database with texts, after a change of a page and what is behind: of a long text
  /// in which no line ends, or a leaf with four rows.
  private func causes(
    _ kind: String = "overflow", _ change: (_ file: inout Bytes, _ page: Int) -> Void
  ) throws -> CauseAnswer {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO t SELECT i, replace(hex(zeroblob(60)), '00', 'word') || i FROM n
        """,
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO t SELECT 1000, group_concat('chapter ' || i, ' ') FROM n
        """,
      ]
    ).build(at: path)
    let pages = try Oracle(path).pages.filter { $0.object == "t" && $0.kind == kind }
    var bytes = try path.contents()
    change(&bytes, (try #require(pages.dropFirst(3).first).number - 1) * Self.pageSize)
    try path.replaceContents(with: bytes)
    return try Rescue(world: World(environment: [:])).check(InputFiles(path)).value.causes
  }

  private func put(_ bytes: Bytes, at offset: Int, in file: inout Bytes) {
    file.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }

  @Test(arguments: [5, 14, 50])
  func `lines before the rest of a long text were written by a program`(
    _ count: Int
  ) throws {
    let lines = Bytes(String(repeating: Self.line, count: count).utf8)
    let answer = try causes { file, page in put(lines, at: page, in: &file) }
    #expect(answer.leading?.kind == .textWritten)
  }

  @Test func `lines over the beginning of one row were written by a program`() throws {
    let lines = Bytes(String(repeating: Self.line, count: 4).utf8)
    let answer = try causes("leaf") { file, page in
      // The second cell pointer: file format, section 1.6.
      let start = page + Int(file[page + 10]) * 256 + Int(file[page + 11])
      put(lines, at: start - 100, in: &file)
    }
    #expect(answer.leading?.kind == .textWritten)
  }

  @Test func `lines that fill a page and go on elsewhere are a piece of another file`() throws {
    let lines = Bytes(String(repeating: Self.line, count: 30).utf8)
    let answer = try causes { file, page in
      put(Bytes(lines.dropFirst(20).prefix(Self.pageSize)), at: page, in: &file)
    }
    #expect(answer.leading?.kind == .badMedium)
  }

  @Test(arguments: [0, 0xFF] as [UInt8])
  func `a blank sector in the midst of a text is the medium's, and no mixture`(
    _ byte: UInt8
  ) throws {
    let answer = try causes { file, page in
      put(Bytes(repeating: byte, count: 512), at: page + 512, in: &file)
    }
    let medium = try #require(answer.causes.first { $0.kind == .badMedium })
    #expect(medium.confidence >= .possible)
    #expect(
      Set(answer.causes.map(\.kind)).isDisjoint(with: [
        .severalWriters, .copiedWhileWritten, .journalLost,
      ]))
  }
}
