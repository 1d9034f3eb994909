// SPDX-License-Identifier: Apache-2.0
// What a salvage does with journals: those that count, those that nothing proves, those that
// belong to something else.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvagedReplicasTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private static let table: DatabaseBuilder.Step =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)"
  /// 200 transactions of one row each.
  private static let inserts: [DatabaseBuilder.Step] = (1...200).map {
    "INSERT INTO t VALUES (\($0), 'row \($0) ' || hex(zeroblob(20)))"
  }

  /// Salvages a database and insists that its files stay as they were.
  private func salvage(_ file: FilePath, _ more: [any Word] = []) throws -> (
    ending: Ending, rows: Set<Int64>, aside: Set<Int64>
  ) {
    let output = bench[FilePath("out-\(file.name).db")]
    let before = try bench.look()
    let ending = try bench.run(["salvage", file, "--output", output, "--json"] + more)
    #expect(try before.changes(until: bench.look()).allSatisfy { $0.hasPrefix("added out-") })
    for table in try #require(ending.json["tables"]?.elements) {
      #expect(table["balanced"]?.bool == true)
    }
    func numbers(_ path: FilePath, _ sql: String) throws -> Set<Int64> {
      guard try path.exists else { return [] }
      let text = try Oracle(path).value(sql)?.utf8String ?? ""
      return Set(text.split(separator: ",").compactMap { Int64($0) })
    }
    return (
      ending, try numbers(output, "SELECT group_concat(id) FROM t"),
      try numbers(
        output.adding(suffix: ".quarantine.db"), "SELECT group_concat(\"rowid\") FROM \"rows\"")
    )
  }

  /// A database with 200 transactions in its log.
  private func logged() throws -> (file: FilePath, wal: FilePath) {
    let file = bench["app.db"]
    try DatabaseBuilder(journal: .wal, [Self.table], leftover: .wal(Self.inserts)).build(at: file)
    return (file, file.adding(suffix: "-wal"))
  }

  private func reasons(_ file: FilePath) throws -> String {
    let quarantine = bench[FilePath("out-\(file.name).db")].adding(suffix: ".quarantine.db")
    return try Oracle(quarantine).value("SELECT group_concat(DISTINCT evidence) FROM \"rows\"")?
      .utf8String ?? ""
  }

  @Test func `a log is applied and neither it nor the database is changed`() throws {
    let result = try salvage(logged().file)
    #expect(result.ending.status == 0)
    #expect(result.rows == Set(1...200))
    #expect(result.aside.isEmpty)
  }

  @Test func `a hot journal is applied and neither it nor the database is changed`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      pageSize: 1024, [Self.table] + Self.inserts,
      leftover: .hotJournal(["DELETE FROM t WHERE id % 3", "UPDATE t SET a = 'hot'"])
    ).build(at: file)
    let result = try salvage(file)
    #expect(result.ending.status == 0)
    #expect(result.rows == Set(1...200))
  }

  @Test(arguments: [30, 50, 90])
  func `rows that moved in a transaction whose journal is cut off are set aside`(
    _ percent: Int
  ) throws {
    let file = bench["app.db"]
    let growth = stride(from: 4, through: 200, by: 4).map {
      DatabaseBuilder.Step(stringLiteral: "UPDATE t SET a = hex(zeroblob(300)) WHERE id = \($0)")
    }
    try DatabaseBuilder(pageSize: 1024, [Self.table] + Self.inserts, leftover: .hotJournal(growth))
      .build(at: file)
    let journal = file.adding(suffix: "-journal")
    let bytes = try journal.contents()
    try journal.replaceContents(with: Bytes(bytes.prefix(bytes.count * percent / 100)))
    let result = try salvage(file)
    #expect(result.ending.status == 14)
    let geometry = try #require(Geometry(pageSize: 1024))
    let alone = Image(FileSet(main: MemorySource(try file.contents())), geometry: geometry)
    let there = Set(
      alone.pages.compactMap { try? alone.btreePage($0) }.filter { $0.kind == .tableLeaf }
        .flatMap { page in alone.cells(of: page).cells.compactMap(\.rowID) }
    ).intersection(1...200)
    #expect(there.count > 150)
    #expect(there.subtracting(result.rows).subtracting(result.aside) == [])
    let words = try bench.run("diagnose", file).output
    #expect(!words.contains("bytes were put"))
  }

  @Test func `rows that a journal would take back from a sound database are set aside`() throws {
    let file = bench["app.db"]
    let base = [Self.table] + Self.inserts
    try DatabaseBuilder(
      pageSize: 1024, base,
      leftover: .hotJournal([
        "UPDATE t SET a = 'changed ' || a",
        """
        WITH RECURSIVE n(i) AS (SELECT 201 UNION ALL SELECT i + 1 FROM n WHERE i < 260)
        INSERT INTO t SELECT i, 'taken back ' || hex(zeroblob(50)) FROM n
        """,
      ])
    ).build(at: file)
    let journal = file.adding(suffix: "-journal")
    let bytes = try journal.contents()
    // The app took that transaction back and committed another one; then its journal came again.
    try file.removeFileSet()
    try DatabaseBuilder(
      pageSize: 1024,
      base + [
        """
        WITH RECURSIVE n(i) AS (SELECT 301 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO t SELECT i, 'new ' || hex(zeroblob(20)) FROM n
        """
      ]
    ).build(at: file)
    try journal.replaceContents(with: bytes)
    let result = try salvage(file)
    #expect(result.ending.status == 14)
    #expect(result.rows == Set(1...200))
    #expect(result.aside.isSuperset(of: 301...400))
    #expect(try !bench.run("diagnose", file).output.contains("nothing is lost by it"))
  }

  private static func offset(ofFrame frame: Int) -> Int { 32 + frame * (24 + 4096) }

  @Test(arguments: [0, 19, 20, 100])
  func `a flipped bit in a frame is put right, and no row is lost`(_ frame: Int) throws {
    let (file, wal) = try logged()
    var bytes = try wal.contents()
    bytes[Self.offset(ofFrame: frame) + 2000] ^= 1
    try wal.replaceContents(with: bytes)
    let result = try salvage(file)
    #expect(result.ending.status == 0)
    #expect(result.rows == Set(1...200))
    let diagnosis = try bench.run("diagnose", file)
    #expect(diagnosis.status == 14)
    let words = diagnosis.output.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains("behind the break were committed"))
  }

  @Test(arguments: [19, 20, 100])
  func `the rows behind a destroyed frame are not lost`(_ frame: Int) throws {
    let (file, wal) = try logged()
    let damage = Damage.zeroRange(offset: Self.offset(ofFrame: frame) + 24, count: 4096)
    try wal.replaceContents(with: damage.applied(to: wal.contents(), pageSize: 4096))
    let result = try salvage(file)
    // The page was written again with the next transaction, but for the last page of the table.
    #expect(result.rows.union(result.aside) == Set(1...200))
  }

  @Test func `older rows of a destroyed keyed page are set aside`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      journal: .wal,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT) WITHOUT ROWID",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 500)
        INSERT INTO t SELECT i, 'row ' || i || ' ' || hex(zeroblob(40)) FROM n
        """,
      ], leftover: .wal(["UPDATE t SET a = 'new' WHERE id = 250", "DELETE FROM t WHERE id = 3"])
    ).build(at: file)
    let wal = file.adding(suffix: "-wal")
    let damage = Damage.zeroRange(offset: Self.offset(ofFrame: 0) + 24, count: 4096)
    try wal.replaceContents(with: damage.applied(to: wal.contents(), pageSize: 4096))
    let output = bench["new.db"]
    #expect(try bench.run("salvage", file, "--output", output).status == 14)
    let written = try Oracle(output).value("SELECT count(*) FROM t")?.integerValue ?? 0
    let aside =
      try Oracle(output.adding(suffix: ".quarantine.db"))
      .value("SELECT count(DISTINCT c0) FROM \"rows\"")?.integerValue ?? 0
    #expect(written + aside >= 499)
    #expect(aside > 5)
  }

  @Test func `bytes changed unseen in the last copy of a page set its rows aside`() throws {
    let (file, wal) = try logged()
    var bytes = try wal.contents()
    let frames = (bytes.count - 32) / (24 + 4096)
    // The text of a row on the leaf that the frame before the last one holds.
    let content = Self.offset(ofFrame: frames - 2) + 24
    bytes[content + 4000] ^= 0x01
    bytes[content + 4001] ^= 0x02
    try wal.replaceContents(with: bytes)
    let result = try salvage(file)
    #expect(result.rows.union(result.aside) == Set(1...200))
    let wrong = try Oracle(bench["out-app.db.db"]).value(
      "SELECT count(*) FROM t WHERE a <> 'row ' || id || ' ' || hex(zeroblob(20))")
    #expect(wrong == .integer(0))
  }

  @Test(arguments: [199])
  func `a damaged last transaction is set aside`(_ frame: Int) throws {
    let (file, wal) = try logged()
    var bytes = try wal.contents()
    let last = (bytes.count - 32) / (24 + 4096) - 1
    for byte in [2000, 2100] { bytes[Self.offset(ofFrame: last) + byte] ^= 0x41 }
    try wal.replaceContents(with: bytes)
    let result = try salvage(file)
    #expect(result.ending.status == 14)
    #expect(result.rows == Set(1...Int64(frame)))
    #expect(result.rows.union(result.aside) == Set(1...200))
    #expect(try reasons(file).contains("write-ahead log, frame \(last + 1)"))
  }

  @Test(arguments: [0, 5, 9, 17, 27])
  func `a damaged log header loses nothing`(_ byte: Int) throws {
    let (file, wal) = try logged()
    var bytes = try wal.contents()
    bytes[byte] ^= 0x10
    try wal.replaceContents(with: bytes)
    let result = try salvage(file)
    #expect(result.ending.status == 0)
    #expect(result.rows == Set(1...200))
    #expect(result.aside.isEmpty)
  }

  @Test func `a transaction whose end is missing is set aside and not missed`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      journal: .wal, [Self.table],
      leftover: .tornWAL(
        committed: Array(Self.inserts.prefix(5)),
        torn: [
          """
          WITH RECURSIVE n(i) AS (VALUES (6) UNION ALL SELECT i + 1 FROM n LIMIT 195)
          INSERT INTO t SELECT i, hex(zeroblob(100)) FROM n
          """
        ])
    ).build(at: file)
    let result = try salvage(file)
    #expect(result.ending.status == 0)
    #expect(result.rows == Set(1...5))
    #expect(!result.aside.isEmpty)
    #expect(try reasons(file).contains("whose end is missing"))
  }

  @Test func `a destroyed page has its older rows set aside from a retired journal`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .persist,
      [Self.table] + Self.inserts + ["UPDATE t SET a = 'new ' || a WHERE id < 100"]
    ).build(at: file)
    let leaf = try #require(
      try Oracle(file).pages.first { $0.object == "t" && $0.kind == "leaf" }?.number)
    let bytes = try file.contents()
    try file.replaceContents(with: Damage.zeroPage(leaf).applied(to: bytes, pageSize: 1024))
    let result = try salvage(file)
    #expect(result.ending.status == 14)
    #expect(result.rows.count < 200)
    #expect(result.rows.union(result.aside) == Set(1...200))
    #expect(try reasons(file).contains("rollback journal, record"))
  }

  @Test func `a value of more than a megabyte is found in an older copy, too`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      journal: .wal, [Self.table, "INSERT INTO t VALUES (1, 'a'), (2, 'b')"],
      leftover: .wal(
        [
          "INSERT INTO t VALUES (3, hex(zeroblob(900000)))", "UPDATE t SET a = 'c' WHERE id = 1",
          "UPDATE t SET a = 'd' WHERE id = 2",
        ])
    ).build(at: file)
    // The last frame, which has all rows, has one that is none.
    let log = file.adding(suffix: "-wal")
    var bytes = try log.contents()
    let page = bytes.count - 4096
    let cell = page + bytes.bigEndian16(at: page + 8)
    bytes.replaceSubrange(cell..<(cell + 4), with: [0x04, 0x01, 0x7F, 0x7F])
    try log.replaceContents(with: bytes)
    let result = try salvage(file)
    #expect(result.ending.status == 14, "\(result.ending.all)")
    #expect(result.rows.isSuperset(of: [2, 3]))
  }

  @Test func `the log of an older generation is not applied`() throws {
    let (file, wal) = try logged()
    let old = try wal.contents()
    try {
      let connection = try Connection(file, mode: .readWrite, schemaBy: .us)
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = delete")
      try connection.execute("CREATE TABLE later (x); UPDATE t SET a = 'later'; DROP TABLE later")
    }()
    try wal.replaceContents(with: old)
    let result = try salvage(file)
    #expect(result.rows == Set(1...200))
    let later = try Oracle(bench["out-app.db.db"]).value("SELECT count(*) FROM t WHERE a = 'later'")
    #expect(later == .integer(200))
    let diagnosis = try bench.run("diagnose", file)
    #expect(diagnosis.output.contains("already in"))
  }

  @Test func `a log under another name or in capitals is found`() throws {
    let (file, wal) = try logged()
    let other = bench["sent-by-mail"]
    try other.replaceContents(with: wal.contents())
    try SystemStorage().remove(wal)
    #expect(try salvage(file).rows.isEmpty)
    try SystemStorage().remove(bench["out-app.db.db"])
    #expect(try salvage(file, ["--wal", other]).rows == Set(1...200))
    #expect(try bench.run("diagnose", file, "--wal", other).output.contains("200 transactions"))
    try SystemStorage().remove(bench["out-app.db.db"])
    try file.adding(suffix: "-WAL").replaceContents(with: other.contents())
    #expect(try salvage(file).rows == Set(1...200))
  }

  @Test func `a journal under another name is found`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      pageSize: 1024, [Self.table] + Self.inserts,
      leftover: .hotJournal(["UPDATE t SET a = 'hot ' || a"])
    ).build(at: file)
    let (journal, other) = (file.adding(suffix: "-journal"), bench["sent-by-mail"])
    try other.replaceContents(with: journal.contents())
    try SystemStorage().remove(journal)
    #expect(try salvage(file, ["--journal", other]).rows == Set(1...200))
    let hot = try Oracle(bench["out-app.db.db"]).value(
      "SELECT count(*) FROM t WHERE a LIKE 'hot%'")
    #expect(hot == .integer(0))
    #expect(try bench.run("diagnose", file, "--journal", other).output.contains("-journal"))
  }
}
