// SPDX-License-Identifier: Apache-2.0
// What a salvage does with hot journals that were damaged, and with finished ones that look like it.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvagedJournalsTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private static let filled: DatabaseBuilder.Step = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
    CREATE INDEX texts ON t (a);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO t SELECT i, 'row ' || i || ' of the table' FROM n;
    """
  private static let change: DatabaseBuilder.Step =
    "UPDATE t SET a = a || '!' WHERE id % 3; DELETE FROM t WHERE id % 5 = 0"

  /// A database in the midst of a transaction, with its journal.
  private func hot(_ change: DatabaseBuilder.Step = change) throws -> (
    file: FilePath, journal: FilePath
  ) {
    let file = bench["app.db"]
    try DatabaseBuilder(pageSize: 1024, [Self.filled], leftover: .hotJournal([change]))
      .build(at: file)
    return (file, file.adding(suffix: "-journal"))
  }

  /// Where the headers of a journal begin.
  private func headers(of journal: Bytes) -> [Int] {
    stride(from: 0, to: journal.count - 28, by: 512).filter {
      journal[$0..<($0 + 8)].elementsEqual(RollbackJournal.magic)
    }
  }

  /// How a check and a salvage end, how many rows are as they were, and how many are not.
  private func ends(_ file: FilePath) throws -> (check: Int32, salvage: Ending, old: Int, new: Int)
  {
    let output = bench["out.db"]
    let check = try bench.run("check", file)
    let salvage = try bench.run("salvage", file, "--output", output, "--json")
    func count(_ condition: String) throws -> Int {
      Int(try Oracle(output).value("SELECT count(*) FROM t WHERE \(condition)")?.integerValue ?? -1)
    }
    return (
      check.status, salvage, try count("a = 'row ' || id || ' of the table'"),
      try count("a <> 'row ' || id || ' of the table'")
    )
  }

  @Test func `a journal without its first byte that names a journal which is gone is none`() throws
  {
    let (file, journal) = try hot()
    var bytes = JournalBytes.naming(
      bench["gone"], journal: try journal.contents(), pageSize: 1024)
    bytes[0] ^= 0xFF
    try journal.replaceContents(with: bytes)
    let ends = try ends(file)
    #expect(ends.check == 14 && ends.salvage.status == 14, "\(ends.check) \(ends.salvage.all)")
    #expect(ends.new > 0)
  }

  @Test func `what a journal that was cut off cannot take back is lost, and nothing is complete`()
    throws
  {
    let (file, journal) = try hot()
    let bytes = try journal.contents()
    try journal.replaceContents(with: Bytes(bytes.prefix(bytes.count / 3)))
    let found = try ends(file)
    #expect(found.check == 14 && found.salvage.status == 14)
    let tables = try #require(found.salvage.json["tables"]?.elements)
    let table = try #require(tables.first { $0["table"] == .string("t") })
    #expect(table["lost"]?["kind"] != .string("none"))
  }

  @Test func `a transaction is taken back although the header of its journal is zero`() throws {
    let (file, journal) = try hot()
    var bytes = try journal.contents()
    bytes.replaceSubrange(0..<28, with: Bytes(repeating: 0, count: 28))
    try journal.replaceContents(with: bytes)
    let found = try ends(file)
    #expect(found.check == 13 && found.salvage.status == 0)
    #expect(found.old == 2000 && found.new == 0)
  }

  @Test(arguments: ["cut", "without its first byte"])
  func `a backup of what a damaged journal cannot take back whole is not good`(_ how: String) throws
  {
    let (file, journal) = try hot()
    var bytes = try journal.contents()
    if how == "cut" { bytes.removeLast(bytes.count * 45 / 100) } else { bytes[0] ^= 1 }
    try journal.replaceContents(with: bytes)
    let before = try [file, journal].map { try $0.contents() }
    let ending = try bench.run("backup", file, "--json")
    #expect(ending.status == 14, "\(ending.all)")
    #expect(try ending.backup["good"]?.bool == false)
    #expect(ending.output.contains("the -journal"))
    #expect(try [file, journal].map { try $0.contents() } == before)
  }

  @Test(arguments: [1, 2, 3]) func `a header of zeros inside a journal costs no row`(
    _ number: Int
  ) throws {
    let (file, journal) = try hot()
    var bytes = try journal.contents()
    let start = try #require(headers(of: bytes).dropFirst(number).first)
    bytes.replaceSubrange(start..<(start + 28), with: Bytes(repeating: 0, count: 28))
    try journal.replaceContents(with: bytes)
    let found = try ends(file)
    #expect(found.check == 13 && found.salvage.status == 0)
    #expect(found.old == 2000 && found.new == 0)
  }

  @Test func `a journal whose transaction has ended takes nothing back of a damaged database`()
    throws
  {
    let change: DatabaseBuilder.Step = "UPDATE t SET a = a || '!'"
    let (file, journal) = try hot(change)
    var bytes = try journal.contents()
    bytes.replaceSubrange(0..<28, with: Bytes(repeating: 0, count: 28))
    let committed = bench["committed.db"]
    try DatabaseBuilder(pageSize: 1024, [Self.filled, change]).build(at: committed)
    let leaf = try #require(
      try Oracle(committed).pages.last { $0.object == "t" && $0.kind == "leaf" })
    let damage = Damage.zeroRange(offset: (leaf.number - 1) * 1024, count: 1024)
    try file.replaceContents(
      with: damage.applied(to: try committed.contents(), pageSize: 1024))
    try journal.replaceContents(with: bytes)
    let found = try ends(file)
    #expect(found.check == 14 && found.salvage.status == 14)
    #expect(found.old == 0 && found.new > 1900)
  }

  @Test func `a finished journal takes nothing back where the write of the first page was lost`()
    throws
  {
    let file = bench["app.db"]
    try DatabaseBuilder(pageSize: 1024, journal: .persist, [Self.filled]).build(at: file)
    let first = try file.contents().prefix(1024)
    let (main, journal) = try {
      let connection = try Connection(file, mode: .app)
      try connection.execute(
        """
        PRAGMA journal_mode = persist; BEGIN; UPDATE t SET a = a || '!' WHERE id % 3;
        INSERT INTO t SELECT id + 2000, a FROM t WHERE id < 400; COMMIT
        """)
      return (try file.contents(), try file.adding(suffix: "-journal").contents())
    }()
    try #require(journal.prefix(28).allSatisfy { $0 == 0 })
    try file.replaceContents(with: Bytes(first + main.dropFirst(1024)))
    try file.adding(suffix: "-journal").replaceContents(with: journal)
    let ends = try ends(file)
    #expect(ends.check != 0)
    #expect(ends.old + ends.new == 2399, "\(ends.salvage.all)")
  }
}
