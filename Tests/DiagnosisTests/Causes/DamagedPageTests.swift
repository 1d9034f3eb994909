// SPDX-License-Identifier: Apache-2.0
// What single pages tell of whoever has damaged them: programs that write lines, and media.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct DamagedPageTests {
  private static let pageSize = 1024

  /// What is said of a database after a change of one leaf of its table and what is behind it.
  private func causes(
    _ change: (_ file: inout Bytes, _ leaf: Int) throws -> Void
  ) throws -> CauseAnswer {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO t SELECT i, 'line ' || i || char(10) || 'and ' || i || char(10) FROM n
        """,
      ]
    ).build(at: path)
    let leaves = try Oracle(path).pages.filter { $0.object == "t" && $0.kind == "leaf" }
    let leaf = try #require(leaves.first { $0.number % 4 == 1 && $0.number > 8 })
    var bytes = try path.contents()
    try change(&bytes, (leaf.number - 1) * Self.pageSize)
    try path.replaceContents(with: bytes)
    return try Rescue(world: World(environment: [:])).check(InputFiles(path)).value.causes
  }

  /// What is said of a database after a change of one leaf of its index.
  private func indexCauses(_ change: (_ file: inout Bytes, _ leaf: Int) -> Void) throws
    -> CauseAnswer
  {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)", "CREATE INDEX i ON t (name)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO t SELECT i, 'name ' || i FROM n
        """,
      ]
    ).build(at: path)
    let leaves = try Oracle(path).pages.filter { $0.object == "i" && $0.kind == "leaf" }
    var bytes = try path.contents()
    change(&bytes, (try #require(leaves.dropFirst(2).first).number - 1) * Self.pageSize)
    try path.replaceContents(with: bytes)
    return try Rescue(world: World(environment: [:])).check(InputFiles(path)).value.causes
  }

  @Test func `what was written over a page of an index is no matter of collations`() throws {
    var random = SeededRandom(seed: 7)
    let noise = Bytes((0..<Self.pageSize).map { _ in UInt8(random.below(256)) })
    let answer = try indexCauses { file, leaf in put(noise, at: leaf, in: &file) }
    #expect(answer.isUnknown && answer.causes.map(\.kind) == [.badMedium, .indexesOnly])
    let text = try indexCauses { file, leaf in put(Self.lines(30), at: leaf, in: &file) }
    #expect(text.causes.map(\.kind) == [.textWritten])
    #expect(text.leading?.now.hasPrefix("No row is lost") == true)
  }

  private static func lines(_ count: Int) -> Bytes {
    Bytes((0..<count).map { "\($0) frames of the stack\n" }.joined().utf8)
  }

  private func put(_ bytes: Bytes, at offset: Int, in file: inout Bytes) {
    file.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }

  @Test func `lines over the beginnings of rows were written by a program`() throws {
    let answer = try causes { file, leaf in put(Self.lines(20), at: leaf + 300, in: &file) }
    #expect(answer.leading?.kind == .textWritten)
  }

  @Test func `lines that go on over the next page are one text`() throws {
    let answer = try causes { file, leaf in put(Self.lines(60), at: leaf, in: &file) }
    #expect(answer.leading?.kind == .textWritten && answer.leading?.confidence == .certain)
  }

  @Test func `lines in whole sectors may be a piece of another file`() throws {
    let answer = try causes { file, leaf in
      put(Bytes(Self.lines(60).prefix(512)), at: leaf + 512, in: &file)
    }
    #expect(answer.leading == nil)
  }

  static let marks: [(String, place: Int, count: Int)] = [
    ("BAD-SECTOR ", 0, 1), ("BAD-SECTOR ", 512, 1), ("UNREADABLESECTOR", 0, 4), ("?", 512, 1),
    ("\u{1}bad\u{2}", 0, 2),
  ]

  @Test(arguments: marks) func `whole sectors of a mark are those of a failing disk`(
    _ mark: String, _ place: Int, _ count: Int
  ) throws {
    let bytes = Array(mark.utf8)
    let answer = try causes { file, leaf in
      for sector in 0..<count {
        let fill = Bytes((0..<512).map { bytes[$0 % bytes.count] })
        put(fill, at: leaf + place + 512 * sector, in: &file)
      }
    }
    #expect(answer.leading?.kind == .badMedium && answer.leading?.confidence == .likely)
    #expect(answer.leading?.happened.contains("hold a mark") == true)
  }

  @Test func `what is repeated and does not end with a sector is no mark`() throws {
    for (place, count) in [(300, 600), (512, 500), (500, 524)] {
      let answer = try causes { file, leaf in
        put(Bytes((0..<count).map { [7, 1, 8][$0 % 3] }), at: leaf + place, in: &file)
      }
      #expect(answer.leading?.kind != .badMedium, "\(place)")
    }
  }

  @Test func `a page that one bit of its first byte makes sound has lost that bit`() throws {
    let answer = try causes { file, leaf in file[leaf] ^= 2 }
    #expect(answer.leading?.kind == .badMedium)
    #expect(answer.leading?.happened.contains("a bit of page") == true)
  }

  @Test(arguments: [(4, true), (3, false)])
  func `whole blocks of a disk without a pattern are not what SQLite writes`(
    _ pages: Int, _ isTold: Bool
  ) throws {
    var random = SeededRandom(seed: 7)
    let answer = try causes { file, leaf in
      put(random.bytes(pages * Self.pageSize), at: leaf, in: &file)
    }
    #expect((answer.leading?.kind == .badMedium) == isTold)
  }
}
