// SPDX-License-Identifier: Apache-2.0
// What a salvage makes of write-ahead logs that were damaged, or lie beside a damaged file, and of what
// transactions leave in them that never ended.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvagedLogsTests {
  let bench: Workbench
  let file: FilePath
  let log: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    log = file.adding(suffix: "-wal")
  }

  private static func rows(_ range: ClosedRange<Int>) -> String {
    """
    WITH RECURSIVE n (i) AS (SELECT \(range.lowerBound) UNION ALL SELECT i + 1 FROM n
      WHERE i < \(range.upperBound))
    INSERT INTO t SELECT i, 'row ' || i || ' of the table' FROM n
    """
  }
  private static let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)"
  private static let change = "UPDATE t SET a = upper(a) WHERE id % 5 = 0"

  private func build(_ leftover: [DatabaseBuilder.Step]) throws {
    try DatabaseBuilder(
      pageSize: 1024, [.init(Self.table, []), .init(Self.rows(1...2000), [])],
      leftover: .wal(leftover)
    ).build(at: file)
  }

  /// How many rows of a salvaged database fulfil a condition.
  private func count(_ condition: String, in output: FilePath) throws -> Int {
    Int(try Oracle(output).value("SELECT count(*) FROM t WHERE \(condition)")?.integerValue ?? -1)
  }

  private func salvage(_ flags: String...) throws -> Ending {
    try bench.run(["salvage", file.description, "--output", bench["out.db"].description] + flags)
  }

  @Test
  func `the pages of a file without its head have the numbers that their copies in the log have`()
    throws
  {
    try build([.init(Self.change, [])])
    // With the root, all that leads from one page to another is gone.
    try file.replaceContents(with: Bytes(file.contents().dropFirst(8 * 1024)))
    try bench["schema.sql"].replaceContents(with: Bytes((Self.table + ";").utf8))
    let ending = try salvage("--schema", bench["schema.sql"].description)
    #expect(ending.status == 14, "\(ending.all)")
    let output = bench["out.db"]
    #expect(try count("id % 5 = 0 AND a <> upper(a)", in: output) == 0)
    #expect(try count("1", in: output) == 2000, "\(ending.all)")
  }

  @Test func `pages that moved under a log go back to where their copies in it lie`() throws {
    // All that lies behind the pages that went is in the log, too, but for one page.
    let changed = ["id BETWEEN 500 AND 1500", "id > 1560"]
    let changes = changed.map { "UPDATE t SET a = upper(a) WHERE \($0)" }
    try build(changes.map { .init($0, []) })
    var bytes = try file.contents()
    bytes.removeSubrange(20 * 1024..<23 * 1024)
    try file.replaceContents(with: bytes)
    let ending = try salvage()
    let output = bench["out.db"]
    #expect(try count("1", in: output) == 2000, "\(ending.all)")
    #expect(try count("id BETWEEN 1501 AND 1560 AND a <> upper(a)", in: output) == 60)
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test func `a log goes on behind many destroyed frames, too`() throws {
    let others = ["upper(a) WHERE id % 5 = 2", "a || '!' WHERE id % 5 = 1"]
    try build(
      ([Self.rows(2001...2100), Self.change] + others.map { "UPDATE t SET a = \($0)" })
        .map { .init($0, []) })
    var bytes = try log.contents()
    let frame = 24 + 1024
    let commit = try #require(
      stride(from: 32, to: bytes.count, by: frame).first { bytes.big32(at: $0 + 4) != 0 })
    let destroyed = commit + frame..<commit + 68 * frame
    bytes.replaceSubrange(destroyed, with: Bytes(repeating: 0x5A, count: destroyed.count))
    try log.replaceContents(with: bytes)
    let ending = try salvage()
    #expect(try count("a LIKE '%!'", in: bench["out.db"]) == 420, "\(ending.all)")
  }

  @Test
  func `a log goes on behind a damaged frame where its pages know what was committed before it`()
    throws
  {
    try build([.init(Self.rows(2001...2100), []), .init(Self.change, [])])
    var bytes = try log.contents()
    let frame = 24 + 1024
    let commit = try #require(
      stride(from: 32, to: bytes.count, by: frame).first { bytes.big32(at: $0 + 4) != 0 })
    // Two letters of the first frame behind the commit: no one byte explains what its checksum lacks.
    let letters = (commit + frame + 24..<commit + 2 * frame).filter {
      bytes[$0] == UInt8(ascii: "O")
    }
    try #require(letters.count > 8)
    for place in [letters[1], letters[letters.count - 2]] { bytes[place] = UInt8(ascii: "0") }
    try log.replaceContents(with: bytes)
    let ending = try salvage()
    #expect(ending.status == 14, "\(ending.all)")
    #expect(try count("id % 5 = 0 AND a <> upper(a)", in: bench["out.db"]) == 0)
    #expect(try count("id > 1900 AND id % 5 = 0", in: bench["out.db"]) > 20)
  }

  @Test(arguments: [false, true])
  func `a transaction that never ended leaves nothing in doubt`(_ wasRolledBack: Bool) throws {
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, [.init(Self.table, []), .init(Self.rows(1...200), [])]
    ).build(at: file)
    let (main, frames) = try {
      let connection = try Connection(file, mode: .app)
      try connection.execute("PRAGMA cache_size = 5; PRAGMA wal_autocheckpoint = 0; BEGIN")
      // With so small a cache, pages are written to the log before the commit, and some again.
      for first in [1001, 2001, 3001] {
        try connection.execute(Self.rows(first...(first + 300)))
        try connection.execute("UPDATE t SET a = a || '!'")
      }
      if wasRolledBack { try connection.execute("ROLLBACK; \(Self.rows(201...201))") }
      return (try file.contents(), try log.contents())
    }()
    try file.replaceContents(with: main)
    try log.replaceContents(with: frames)
    try #require(frames.count > 20 * 1048)
    #expect(try bench.run("check", file).status == 0)
    let ending = try salvage()
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try count("1", in: bench["out.db"]) == (wasRolledBack ? 201 : 200))
  }

  @Test func `a log that the header of its file has gone past is not all there is`() throws {
    // The log is copied first; the app goes on, and a checkpoint begins when the file is copied.
    let (main, frames) = try {
      let connection = try Connection(file, mode: .app)
      try connection.execute(
        """
        PRAGMA page_size = 1024; PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
        \(Self.table); CREATE INDEX texts ON t (a)
        """)
      try connection.execute(Self.rows(1...300))
      let frames = try log.contents()
      try connection.execute(Self.rows(301...900))
      try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
      return (Bytes(try file.contents().prefix(20 * 1024)), frames)
    }()
    try file.replaceContents(with: main)
    try log.replaceContents(with: frames)
    #expect(try bench.run("check", file).status != 0)
    let ending = try salvage()
    #expect(ending.status == 14, "\(ending.all)")
    #expect(try count("1", in: bench["out.db"]) >= 300)
  }

  @Test func `a first page that a checkpoint has written in part is whole in the log`() throws {
    try DatabaseBuilder(
      pageSize: 4096, journal: .wal, [.init(Self.table, []), .init(Self.rows(1...300), [])]
    ).build(at: file)
    let old = try file.contents()
    let (new, frames) = try {
      let connection = try Connection(file, mode: .app)
      try connection.execute("PRAGMA wal_autocheckpoint = 0")
      for number in 1...14 {
        try connection.execute(
          "CREATE TABLE more\(number) (a TEXT, b TEXT /* a longer statement of this table */)")
      }
      let frames = try log.contents()
      try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
      return (try file.contents(), frames)
    }()
    try file.replaceContents(with: Bytes(new.prefix(512) + old.dropFirst(512)))
    try log.replaceContents(with: frames)
    #expect(try bench.run("check", file).status == 0)
    let ending = try salvage()
    #expect(ending.status == 0, "\(ending.all)")
  }
}
