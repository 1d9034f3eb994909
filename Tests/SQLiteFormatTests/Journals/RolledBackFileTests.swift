// SPDX-License-Identifier: Apache-2.0
// A hot journal played back in memory is what SQLite makes of the file, byte for byte.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RolledBackFileTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  /// What we make of a database file and its journal.
  private func ours(
    _ main: Bytes, _ journal: Bytes, superJournalExists: Bool = true
  ) throws -> Bytes {
    let files = FileSet(
      main: MemorySource(main), journal: MemorySource(journal),
      superJournalExists: { _ in superJournalExists })
    let file = try files.rolledBackMain()
    let whole = try file.read(at: 0, count: file.byteCount)
    // In pieces that begin and end anywhere it is the same.
    var pieces = Bytes()
    while pieces.count < file.byteCount { pieces += try file.read(at: pieces.count, count: 777) }
    #expect(pieces == whole)
    return whole
  }

  /// What SQLite makes of them.
  private func theirs(_ main: Bytes, _ journal: Bytes) throws -> Bytes {
    let copy = scratch["copy.db"]
    try copy.replaceContents(with: main)
    try copy.adding(suffix: "-journal").replaceContents(with: journal)
    let connection = try Connection(copy, mode: .app)
    _ = try? connection.value("SELECT count(*) FROM sqlite_schema")
    let isLeft = try copy.adding(suffix: "-journal").exists
    #expect(!isLeft)
    return try copy.contents()
  }

  static let pageSizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]

  /// What a crash in the middle of these statements leaves.
  private func crash(
    pageSize: Int, _ steps: [DatabaseBuilder.Step]
  ) throws -> (main: Bytes, journal: Bytes) {
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: pageSize,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE INDEX ta ON t (a)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO t SELECT i, i || hex(zeroblob(\(pageSize / 20))) FROM n
        """,
      ], leftover: .hotJournal(steps)
    ).build(at: path)
    return try (path.contents(), path.adding(suffix: "-journal").contents())
  }

  @Test(arguments: pageSizes)
  func `a transaction that was cut off is taken back`(_ pageSize: Int) throws {
    let (main, journal) = try crash(
      pageSize: pageSize, ["UPDATE t SET a = 'x' || a", "DELETE FROM t WHERE id % 3 = 0"])
    let rolledBack = try ours(main, journal)
    #expect(try rolledBack == theirs(main, journal))
    #expect(rolledBack != main)
  }

  @Test(arguments: pageSizes)
  func `a file that grew is cut`(_ pageSize: Int) throws {
    let (main, journal) = try crash(
      pageSize: pageSize, ["INSERT INTO t (a) SELECT a || a FROM t, (SELECT 1 UNION SELECT 2)"])
    let rolledBack = try ours(main, journal)
    #expect(try rolledBack == theirs(main, journal))
    #expect(rolledBack.count < main.count)
  }

  @Test func `a journal of several transactions' headers is played back to its end`() throws {
    let (main, journal) = try crash(
      pageSize: 1024, ["UPDATE t SET a = 'x' || a", "DELETE FROM t", "UPDATE t SET a = a"])
    let headers = stride(from: 0, to: journal.count - 8, by: 512).count {
      journal[$0..<($0 + 8)].elementsEqual(RollbackJournal.magic)
    }
    #expect(headers > 1)
    #expect(try ours(main, journal) == theirs(main, journal))
  }

  /// Journals that no crash leaves, by name: pages of 512 bytes, over a file of 11 pages.
  static let odd: [(name: String, journal: Bytes)] = {
    func made(
      pageCount: UInt32, count: UInt32? = nil, sector: Int = 512,
      _ fill: (inout JournalMaker) -> Void
    ) -> Bytes {
      var journal = JournalMaker(sector: sector)
      journal.addHeader(count: count, pageCount: pageCount)
      fill(&journal)
      return journal.bytes
    }
    func spoiled(_ journal: Bytes, _ offset: Int) -> Bytes {
      var journal = journal
      journal[offset] ^= 1
      return journal
    }
    let three = made(pageCount: 12, count: 3) { journal in
      for page in [3, 4, 5] as [UInt32] { journal.add(page, .page(UInt8(page))) }
    }
    return [
      ("three records", three),
      ("the second does not hold", spoiled(three, 512 + 520 + 4 + 112)),
      ("cut off in the last record", Bytes(three.dropLast(3))),
      ("more records than there are", made(pageCount: 12, count: 90) { $0.add(7, .page(7)) }),
      ("a first header that is cut off", Bytes(three.prefix(300))),
      ("a count of none", made(pageCount: 9, count: 0) { $0.add(7, .page(7)) }),
      ("a larger file before", made(pageCount: 20) { $0.add(18, .page(18)) }),
      ("a larger file before, without its pages", made(pageCount: 20) { _ in }),
      ("no page before", made(pageCount: 0) { $0.add(1, .page(1)) }),
      (
        "a record beyond the file, which does not hold",
        spoiled(
          made(pageCount: 6, count: 2) {
            $0.add(9, .page(9))
            $0.add(5, .page(5))
          }, 512 + 4 + 112)
      ),
      (
        "two records for one page",
        made(pageCount: 12, count: 2) {
          $0.add(5, .page(5))
          $0.add(5, .page(6))
        }
      ),
      (
        "sectors of 4,096 bytes, and two headers",
        made(pageCount: 12, count: 1, sector: 4096) {
          $0.add(5, .page(5))
          $0.addHeader(count: 1, pageCount: 12)
          $0.add(6, .page(6))
        }
      ),
      (
        "a second header that is cut off",
        Bytes(
          made(pageCount: 12, count: 1, sector: 4096) {
            $0.add(5, .page(5))
            $0.addHeader(count: 0, pageCount: 12)
          }.dropLast(9))
      ),
      ("page 0", made(pageCount: 12, count: 2) { $0.add(0, .page(5)) }),
      ("not the magic", spoiled(three, 2)),
    ]
  }()

  @Test(arguments: odd.indices)
  func `a journal that no crash leaves is played back as SQLite does`(_ index: Int) throws {
    let path = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: 512, ["CREATE TABLE t (a)", "INSERT INTO t VALUES (zeroblob(5000))"]
    ).build(at: path)
    let whole = try path.contents()
    #expect(whole.count == 11 * 512)
    // A file may end inside its last page.
    for main in [whole, Bytes(whole.dropLast(200))] {
      let (name, journal) = Self.odd[index]
      #expect(try ours(main, journal) == theirs(main, journal), "\(name)")
    }
  }

  @Test func `a journal whose super-journal is gone takes nothing back`() throws {
    let (main, journal) = try crash(pageSize: 1024, ["UPDATE t SET a = 'x' || a"])
    let gone = scratch["gone-mj"]
    let named = JournalBytes.naming(gone, journal: journal, pageSize: 1024)
    #expect(try ours(main, named, superJournalExists: false) == main)
    #expect(try theirs(main, named) == main)
    // While it is there, the journal counts. SQLite deletes it then; ours is only asked for.
    #expect(try ours(main, named) == theirs(main, journal))
  }
}
