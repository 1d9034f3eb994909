// SPDX-License-Identifier: Apache-2.0
// A hot rollback journal beside a database that it does not belong to.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ForeignJournalTests {
  private static let filled: DatabaseBuilder.Step = """
    CREATE TABLE own (id INTEGER PRIMARY KEY, body TEXT);
    CREATE INDEX bodies ON own (body);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO own SELECT i, 'body ' || i FROM n;
    """
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func files(
    of steps: [DatabaseBuilder.Step], leaving last: [DatabaseBuilder.Step], at name: FilePath
  ) throws -> (main: Bytes, journal: Bytes) {
    let path = scratch[name]
    try DatabaseBuilder(pageSize: 1024, steps, leftover: .hotJournal(last)).build(at: path)
    return (try path.contents(), try path.adding(suffix: "-journal").contents())
  }

  private func other() throws -> Bytes {
    try files(
      of: [
        """
        CREATE TABLE other (id INTEGER PRIMARY KEY, note TEXT);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO other SELECT i, 'note ' || i FROM n;
        """
      ], leaving: ["UPDATE other SET note = note || '!'"], at: "other.db"
    ).journal
  }

  @Test func `a journal that tears a sound database apart is not played back`() throws {
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: 1024, [Self.filled]).build(at: path)
    let survey = Survey(main: try path.contents(), journal: try other())
    #expect(survey.tree(named: "own")?.records == 500)
    #expect(survey.findings.map(\.code) == [.journalForeign])
    #expect(survey.misleadingSidecar == "-journal")
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    let image = try #require(survey.image)
    #expect(Generations(image).allSatisfy { $0.replicas.isEmpty })
  }

  @Test(arguments: ["", "CREATE TABLE more (a); CREATE INDEX mores ON more (a);"])
  func `a journal takes back a transaction that has taken a savepoint back`(schema: String) throws {
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: 1024, [Self.filled]).build(at: path)
    let connection = try Connection(path, mode: .app)
    // What does not fit is written to the file in the midst of the transaction.
    try connection.execute(
      """
      PRAGMA cache_size = 4; BEGIN; \(schema)
      INSERT INTO own SELECT id + 1000, body || hex(zeroblob(40)) FROM own;
      SAVEPOINT inner;
      INSERT INTO own SELECT id + 2000, body || hex(zeroblob(40)) FROM own;
      ROLLBACK TO inner;
      INSERT INTO own SELECT id + 3000, body FROM own WHERE id < 100;
      """)
    let survey = Survey(
      main: try path.contents(), journal: try path.adding(suffix: "-journal").contents())
    try connection.execute("ROLLBACK")
    #expect(survey.tree(named: "own")?.records == 500)
    #expect(survey.userTables.count == 1)
    #expect(!survey.findings.contains { $0.code == .journalForeign })
    #expect(survey.verdict == .healthy)
  }

  @Test func `a journal is played back beside a header of a writer that counts no pages`() throws {
    var intact = try files(
      of: [Self.filled], leaving: ["UPDATE own SET body = body || '!'"], at: "app.db")
    // Before SQLite 3.7.0: file format, section 1.3.7.
    intact.main[92] ^= 1
    let survey = Survey(main: intact.main, journal: intact.journal)
    #expect(survey.tree(named: "own")?.records == 500)
    #expect(!survey.findings.contains { $0.code == .journalForeign })
  }

  @Test func `a journal of an earlier state of a sound database is not played back`() throws {
    let (_, journal) = try files(
      of: [Self.filled], leaving: ["UPDATE own SET body = body || '!'"], at: "app.db")
    let path = scratch["newer.db"]
    let more = (501...503).map {
      DatabaseBuilder.Step(stringLiteral: "INSERT INTO own VALUES (\($0), 'x')")
    }
    try DatabaseBuilder(pageSize: 1024, [Self.filled] + more).build(at: path)
    let survey = Survey(main: try path.contents(), journal: journal)
    #expect(survey.tree(named: "own")?.records == 503)
    #expect(survey.findings.map(\.code) == [.journalForeign])
  }

  @Test func `a journal of a later state than that of the file tells that changes are missing`()
    throws
  {
    let path = scratch["older.db"]
    try DatabaseBuilder(pageSize: 1024, [Self.filled]).build(at: path)
    let more = (501...510).map {
      DatabaseBuilder.Step(stringLiteral: "INSERT INTO own VALUES (\($0), 'x')")
    }
    let (_, journal) = try files(
      of: [Self.filled] + more, leaving: ["UPDATE own SET body = body || '!'"], at: "app.db")
    let survey = Survey(main: try path.contents(), journal: journal)
    #expect(survey.tree(named: "own")?.records == 500)
    let finding = try #require(survey.findings.first { $0.code == .journalForeign })
    #expect(finding.severity == .damage && finding.message.contains("a later state"))
    #expect(survey.isBehindJournal)
  }

  @Test func `neither the log nor the journal of other databases takes anything from a sound one`()
    throws
  {
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: 1024, journal: .wal, [Self.filled]).build(at: path)
    let donor = scratch["donor.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, ["CREATE TABLE third (a)"],
      leftover: .wal(["CREATE TABLE more (b)", "INSERT INTO more VALUES (3)"])
    ).build(at: donor)
    let survey = Survey(
      main: try path.contents(), wal: try donor.adding(suffix: "-wal").contents(),
      journal: try other())
    #expect(survey.tree(named: "own")?.records == 500)
    #expect(Set(survey.findings.map(\.code)).isSuperset(of: [.journalForeign, .walForeign]))
    #expect(survey.misleadingSidecar == "-journal")
  }

  @Test(arguments: [(7, 4), (18, 1), (26, 0x20)] as [(Int, UInt8)])
  func `a journal of an earlier state takes nothing back, though a bit of its head turned`(
    _ place: Int, _ bit: UInt8
  ) throws {
    let changes = (1...3).map {
      DatabaseBuilder.Step(stringLiteral: "UPDATE own SET body = 'BODY \($0) ' || id")
    }
    var (_, journal) = try files(of: [Self.filled], leaving: [changes[0]], at: "app.db")
    let path = scratch["newer.db"]
    try DatabaseBuilder(pageSize: 1024, [Self.filled] + changes).build(at: path)
    journal[place] ^= bit
    let survey = Survey(main: try path.contents(), journal: journal)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    #expect(!survey.findings.contains { $0.code == .journalDamaged })
  }

  @Test(arguments: [(7, 4), (18, 1), (23, 1), (26, 0x20)] as [(Int, UInt8)])
  func `a bit of a hot journal's head that turned leaves no half of a transaction`(
    _ place: Int, _ bit: UInt8
  ) throws {
    var (main, journal) = try files(
      of: [Self.filled], leaving: ["UPDATE own SET body = 'BODY ' || id"], at: "app.db")
    let records = try RollbackJournal(MemorySource(journal), databasePageSize: 1024).records
    #expect(records.count > 8)
    func range(_ page: PageNumber) -> Range<Int> { (page.number - 1) * 1024..<page.number * 1024 }
    for record in records {
      main.replaceSubrange(
        range(record.page), with: journal[record.offset..<record.offset + 1024])
    }
    let before = main
    // Of the transaction, the last letter on some pages has arrived.
    for record in records.dropFirst(4) { main[range(record.page).upperBound - 1] ^= 1 }
    #expect(main != before)
    journal[place] ^= bit
    let survey = Survey(main: main, journal: journal)
    #expect(survey.findings.contains { $0.code == .journalDamaged }, "\(survey.findings)")
    let image = try #require(survey.image)
    let pages = try (1...image.pageCount).map {
      try image.bytes(of: #require(PageNumber($0)))
    }
    #expect(pages.reduce(Bytes(), +).elementsEqual(before.prefix(1024 * image.pageCount)))
  }

  @Test func `a whole database in a journal does not replace one that was cut off itself`() throws {
    let (main, _) = try files(
      of: [Self.filled], leaving: ["UPDATE own SET body = body || '!' WHERE id < 200"],
      at: "app.db")
    let (_, journal) = try files(
      of: [
        """
        CREATE TABLE other (id INTEGER PRIMARY KEY, note TEXT);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO other SELECT i, 'note ' || i FROM n;
        """, "INSERT INTO other VALUES (1000, 'x')", "INSERT INTO other VALUES (1001, 'x')",
        "INSERT INTO other VALUES (1002, 'x')",
      ], leaving: ["UPDATE other SET note = note || ' and more of it'"], at: "other.db")
    let survey = Survey(main: main, journal: journal)
    // Pages are split that the transaction had not written yet.
    #expect(try #require(survey.tree(named: "own")).records > 400)
    #expect(survey.tree(named: "other") == nil)
    #expect(survey.findings.contains { $0.code == .journalForeign })
    #expect(survey.misleadingSidecar == "-journal")
  }

  @Test func `a whole database in a journal does not replace a sound one that counts other pages`()
    throws
  {
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: 1024, [Self.filled]).build(at: path)
    let (_, journal) = try files(
      of: [
        "CREATE TABLE other (id INTEGER PRIMARY KEY, note TEXT)",
        "INSERT INTO other VALUES (1000, 'x')",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO other SELECT i, 'note ' || i FROM n
        """,
      ], leaving: ["UPDATE other SET note = note || ' and more of it'"], at: "other.db")
    // Both have come to the same change counter, and the journal has all pages.
    let survey = Survey(main: try path.contents(), journal: journal)
    #expect(survey.tree(named: "own")?.records == 500)
    #expect(survey.findings.map(\.code) == [.journalForeign])
    let found = try Examination(Reconstruction(survey))
    #expect(found.causes.causes.map(\.kind) == [.foreignLog])
    #expect(
      found.options(backups: [], hasFreshSchema: false).first?.summary
        .contains("mv FILE-journal") == true)
  }

  @Test(
    arguments: [
      "UPDATE own SET body = body || hex(zeroblob(200))", "DELETE FROM own WHERE id > 20",
      "CREATE TABLE more AS SELECT * FROM own",
      "DROP TABLE own; CREATE TABLE more (a); INSERT INTO more VALUES (hex(zeroblob(9000)))",
    ] as [DatabaseBuilder.Step])
  func `a journal of the same database is played back, whatever it makes of its pages`(
    _ step: DatabaseBuilder.Step
  ) throws {
    for autoVacuum in [DatabaseBuilder.AutoVacuum.none, .full] {
      let path = scratch[autoVacuum == .none ? "none.db" : "full.db"]
      try DatabaseBuilder(
        pageSize: 1024, autoVacuum: autoVacuum, [Self.filled], leftover: .hotJournal([step])
      ).build(at: path)
      let survey = Survey(
        main: try path.contents(), journal: try path.adding(suffix: "-journal").contents())
      #expect(survey.tree(named: "own")?.records == 500)
      #expect(!survey.findings.contains { $0.code == .journalForeign })
    }
  }

  @Test func `a copy of two moments with a journal of a third is no file that was put back`() throws
  {
    let steps: [DatabaseBuilder.Step] = [
      Self.filled, "DELETE FROM own WHERE id % 7 = 3",
      """
      WITH RECURSIVE n (i) AS (SELECT 501 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO own SELECT i, 'a longer body ' || i FROM n
      """,
    ]
    let (first, second) = (scratch["first.db"], scratch["second.db"])
    try DatabaseBuilder(pageSize: 1024, [Self.filled]).build(at: first)
    try DatabaseBuilder(pageSize: 1024, steps).build(at: second)
    let (_, journal) = try files(
      of: steps + ["UPDATE own SET body = body || 'v' WHERE id % 50 = 8"],
      leaving: ["UPDATE own SET body = body || 'w' WHERE id % 5 = 2"], at: "third.db")
    let half = try first.contents().count / 2048 * 1024
    let main = try first.contents().prefix(half) + second.contents().dropFirst(half)
    let survey = Survey(main: Bytes(main), journal: journal)
    guard case .applied? = survey.image?.journal else {
      Issue.record("the journal is not played back")
      return
    }
    let causes = try Examination(Reconstruction(survey)).causes
    #expect(!causes.causes.contains { $0.kind == .oldLog && $0.confidence > .possible })
    #expect(causes.causes.allSatisfy { !$0.now.contains("Move the -journal away") })
  }

  @Test func `the database's own journal is played back`() throws {
    let (main, journal) = try files(
      of: [Self.filled], leaving: ["UPDATE own SET body = body || '!'"], at: "app.db")
    let survey = Survey(main: main, journal: journal)
    #expect(survey.tree(named: "own")?.records == 500)
    #expect(survey.findings.map(\.code) == [.hotJournal])
    #expect(survey.misleadingSidecar == nil)
  }

  @Test func `so is one of a database that is damaged besides`() throws {
    let (whole, journal) = try files(
      of: [Self.filled], leaving: ["UPDATE own SET body = body || '!' WHERE id < 40"], at: "app.db")
    var main = whole
    main.replaceSubrange(20 * 1024..<21 * 1024, with: Bytes(repeating: 0, count: 1024))
    let survey = Survey(main: main, journal: journal)
    #expect(survey.findings.contains { $0.code == .hotJournal })
    #expect(survey.misleadingSidecar == nil)
  }
}
