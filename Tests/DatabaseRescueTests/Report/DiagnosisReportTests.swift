// SPDX-License-Identifier: Apache-2.0
// What a diagnosis says, word for word, and that it always says the same.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import DatabaseRescue

@Suite struct DiagnosisReportTests {
  /// The version of SQLite that has written a sample.
  private func writer(ofSample name: String) throws -> String {
    try #require(ReportFixture.survey(sample: name).header?.writer)
  }

  @Test func `the text of a lossy database`() throws {
    let expected = """
      zeroed-leaf.db: damaged — the structure is damaged, and rows are lost or
      doubtful
      support code \(ReportFixture.code)

      what happened: not known
        perhaps    its disk or memory has lost bytes: page 49 holds nothing but zeros
        perhaps    a transaction was cut off: the program was killed, lost power, or
                   was copied in its midst: page 49 was never written
        ruled out  other content, encrypted, transferred as text, bytes put in or left
                   out, cut off, text written into it, foreign log, old log, copied
                   without log, wal reset

        file             SQLite database, 103 pages of 1,024 bytes
        version          4, as the app expects
        last written by  SQLite \(try writer(ofSample: "zeroed-leaf.db"))
        tool             dbrescue \(Rescue.version) (\(Rescue.libraries))
        unsynced rows    cannot tell, which does not mean none

        tables     rows  lost
        exercises    20  none
        workouts     18  none
        outbox      148  none
        notes         7  none
        sets        104  exactly 44 rows

      differences from the contract
        ~ changed column notes.photo
            expected: BLOB
            found:    TEXT
            warning: it is gone
            mend: UPDATE it;

      findings
        loss  DBR-F060  page 49 of 'sets': it does not begin as a page of a table or
                        index does   (page 49, byte 0)
        loss  DBR-F100  exactly 44 rows of 'sets' cannot be read

      1 thing was not checked
        what the contract says of the database was not checked: it is damaged: what
        its bytes say is compared, and no row is asked

      options, least destructive first
        1  restore  put back the backup of 2 hours ago (version 4), made 2026-11-21
                    02:00:00 UTC (k3f9); the current files are kept aside; keeps all
                    297 rows, brings back 44 rows
                    app.20261121T020000Z.v4.k3f9.db.gz
        2  salvage  copy every readable row into a fresh database; doubtful rows are
                    set aside; keeps 297 of 341 rows
        3  reset    start with an empty database; the current files are kept aside;
                    keeps 0 of 297 rows

      next: dbrescue recover zeroed-leaf.db

      """
    #expect(try ReportFixture.report(sample: "zeroed-leaf.db").text == expected)
  }

  @Test func `the text of a healthy database is short`() throws {
    let survey = try ReportFixture.survey(sample: "wal/fitness.db")
    let examination = try Examination(Reconstruction(survey), expectedVersion: 4)
    let report = DiagnosisReport(
      of: examination, options: examination.options(backups: [], hasFreshSchema: true),
      file: "fitness.db", code: ReportFixture.code, created: ReportFixture.created)
    let expected = """
      fitness.db: healthy — the structure is sound and everything expected is there
      support code \(ReportFixture.code)

        file             SQLite database, 103 pages of 1,024 bytes
        wal              applied: 3 transactions in 20 frames
        version          4, as the app expects
        last written by  SQLite \(try writer(ofSample: "wal/fitness.db"))
        tool             dbrescue \(Rescue.version) (\(Rescue.libraries))
        unsynced rows    cannot tell, which does not mean none

        tables     rows  lost
        exercises    20  none
        workouts     19  none
        outbox      168  none
        notes         7  none
        sets        168  none

      findings
        notice  DBR-F040  3 transactions in 20 frames of the -wal are part of the
                          database

      nothing is wrong: leave the database as it is

      """
    #expect(report.text == expected)
  }

  @Test func `words carry the style of what they say`() throws {
    let lines = try ReportFixture.report(sample: "zeroed-leaf.db").lines()
    let spans = lines.flatMap(\.pieces)
    func style(of text: String) -> StyledText.Style? { spans.first { $0.text == text }?.style }
    #expect(style(of: "damaged") == .bad)
    #expect(style(of: "exactly 44 rows") == .bad)
    #expect(style(of: "none") == .good)
    #expect(style(of: "findings") == .heading)
    #expect(style(of: "dbrescue recover zeroed-leaf.db") == .emphasised)
  }

  @Test func `the next command names the file as it was given`() throws {
    let lines = try ReportFixture.report(sample: "zeroed-leaf.db").lines(naming: "~/a/app.db")
    #expect(lines.last?.plain == "next: dbrescue recover ~/a/app.db")
  }

  @Test(arguments: [
    ("app.db", "app.db"), ("it's.db", #"'it'\''s.db'"#), ("-x.db", "./-x.db"),
    ("a b.db", "'a b.db'"), ("$(x).db", "'$(x).db'"),
  ])
  func `a command survives any file name`(name: String, word: String) {
    #expect(ReportedCommand("check", name).text() == "dbrescue check \(word)")
  }

  @Test func `findings that were only counted count`() throws {
    let report = try ReportFixture.report(sample: "wrong-page.db")
    let group = try #require(report.findings.first { $0.code == "DBR-F101" })
    #expect(group.count == 10)
    #expect(group.places.count == 1)
  }

  @Test func `a place in the file is found again`() throws {
    let report = try ReportFixture.report(sample: "junk-prepended.db")
    #expect(report.facts.start == 700)
    let damaged = try ReportFixture.report(sample: "bad-cell-pointers.db")
    let place = try #require(damaged.findings.first?.places.first)
    #expect(place.page == 26 && place.offset == 8 && place.fileOffset == 25 * 1024 + 8)
  }

  @Test func `nothing is said of rows that nobody can know`() throws {
    let report = try ReportFixture.report(sample: "encrypted.db")
    let restore = try #require(report.options.first { $0.kind == .restore })
    #expect(restore.balance == "brings back 341 rows")
    #expect(report.tables.isEmpty && report.pages == nil)
  }

  @Test func `losses add up without becoming surer`() {
    #expect(RowLoss(sum: []).words == "none")
    #expect(RowLoss(sum: [.exactly(2), .none, .exactly(3)]).words == "exactly 5 rows")
    #expect(RowLoss(sum: [.exactly(2), .atLeast(3)]).words == "at least 5 rows")
    #expect(RowLoss(sum: [.exactly(2), .unknown]).words == "at least 2 rows")
    #expect(RowLoss(sum: [.unknown, .none]).words == "unknown")
    #expect(RowLoss(.exactly(1)).sentence == "Exactly 1 row is lost.")
  }

  @Test(arguments: ReportFixture.samples)
  func `the same file gives the same bytes`(sample: String) throws {
    let first = try ReportFixture.report(sample: sample)
    let second = try ReportFixture.report(sample: sample)
    #expect(first == second)
    #expect(try first.renderings() == second.renderings())
  }

  @Test func `JSON has the documented members and no other`() throws {
    let documented = try JSON.published("diagnosis")
    var met: Set<String> = []
    for sample in ReportFixture.samples {
      let json = try ReportFixture.report(sample: sample).json()
      met.formUnion(try JSON(json).paths())
    }
    met.formUnion(try Self.pathsOfFrameworkDatabase())
    met.formUnion(try Self.pathsOfForeignLog())
    met.formUnion(try Self.pathsOfLostSchema())
    for sample in ["advisable", "zeroed-leaf"] {
      met.formUnion(try Self.pathsOfAdvice(on: sample))
    }
    let unsynced = ["unsynced": ReportedUnsynced(.some(2))]
    met.formUnion(try JSON(encoding: unsynced).paths())
    let cutOff = LiveUse.CutOffMigration(
      message: "m", backup: "b", deadline: "d", wayBack: "w", wayOn: "o")
    met.formUnion(
      try JSON(encoding: ["cutOffMigration": DiagnosisReport.CutOff(cutOff)]).paths())
    let unchecked = ReportedUnchecked(Unchecked(.keys, of: "i", because: "r"))
    let things = ["unchecked": [unchecked]]
    met.formUnion(try JSON(encoding: things).paths())
    // Nor has any of them a hole.
    let sparse = ReportedFile(.init(name: "a", before: "partial-sha256:00", after: nil))
    let inputs = ["inputs": [sparse]]
    met.formUnion(try JSON(encoding: inputs).paths())
    #expect(met.subtracting(documented).sorted() == [])
    #expect(documented.subtracting(met).sorted() == [])
  }

  /// None of the samples has a log that is to be moved away.
  private static func pathsOfForeignLog() throws -> Set<String> {
    try ScratchFolder.with { folder in
      let (path, other) = (folder["app.db"], folder["other.db"])
      try DatabaseBuilder(["CREATE TABLE t (a)"]).build(at: path)
      try DatabaseBuilder(["CREATE TABLE u (a)"], leftover: .wal(["CREATE TABLE v (a)"]))
        .build(at: other)
      try path.adding(suffix: "-wal").replaceContents(
        with: other.adding(suffix: "-wal").contents())
      let report = try ReportFixture.report(of: ReportFixture.survey(path), file: "app.db")
      #expect(report.text.contains("undo: mv app.db-wal.set-aside app.db-wal"))
      return try JSON(report.json()).paths()
    }
  }

  /// A schema is asked for only where the file has lost its own.
  private static func pathsOfLostSchema() throws -> Set<String> {
    try ScratchFolder.with { folder in
      let path = folder["app.db"]
      try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES ('a'), ('b')"])
        .build(at: path)
      let bytes = try path.contents()
      try path.replaceContents(with: Damage.zeroPage(1).applied(to: bytes, pageSize: 4096))
      let report = try ReportFixture.report(of: ReportFixture.survey(path), file: "app.db")
      #expect(report.text.contains("2 rows can be read and have lost the name of their table"))
      return try JSON(report.json()).paths()
    }
  }

  /// What is advised, or why nothing is, is told where it is asked for.
  private static func pathsOfAdvice(on sample: String) throws -> Set<String> {
    try ScratchFolder.with { folder in
      let made = folder["advisable.db"]
      try DatabaseBuilder([
        "CREATE TABLE t (a INTEGER, b)", "CREATE INDEX i ON t (a)", "CREATE INDEX j ON t (a, b)",
        "INSERT INTO t VALUES ('text', 1)",
      ]).build(at: made)
      let survey = try ReportFixture.survey(
        sample == "advisable" ? made : Checkout.samples.appending("zeroed-leaf.db"))
      let report = try ReportFixture.report(of: survey, file: "app.db")
        .with(Examination(Reconstruction(survey)).advice())
      // Each piece of advice has figures of its own.
      let figures = "advice.items[].figures"
      return Set(
        try JSON(report.json()).paths().map { $0.hasPrefix(figures + ".") ? figures : $0 })
    }
  }

  /// The samples know no framework.
  private static func pathsOfFrameworkDatabase() throws -> Set<String> {
    try ScratchFolder.with { folder in
      let path = folder["rails.db"]
      try DatabaseBuilder([
        "CREATE TABLE schema_migrations (version varchar NOT NULL PRIMARY KEY)",
        """
        CREATE TABLE ar_internal_metadata (key varchar NOT NULL PRIMARY KEY, value varchar,
          created_at, updated_at)
        """,
        "INSERT INTO schema_migrations VALUES ('20240102'), ('20240101')",
      ]).build(at: path)
      let report = try ReportFixture.report(of: ReportFixture.survey(path), file: "rails.db")
      #expect(report.text.contains("Rails at 20240102 (2 migrations)"))
      return try JSON(report.json()).paths()
    }
  }

  @Test func `JSON says what it is and when`() throws {
    struct Head: Decodable {
      let type: String
      let format: String
      let version: Int
      let created: Date
      let code: SupportCode
      let verdict: String
      let losesRows: Bool
    }
    let json = try ReportFixture.report(sample: "zeroed-leaf.db").json()
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let head = try decoder.decode(Head.self, from: Data(json.utf8))
    #expect(head.format == "dbrescue.report" && head.version == 3 && head.type == "diagnosis")
    #expect(json.hasPrefix("{\n  \"format\": \"dbrescue.report\",\n  \"version\": 3,"))
    #expect(head.created == ReportFixture.created && head.code == ReportFixture.code)
    #expect(head.verdict == "damaged" && head.losesRows)
  }

  @Test func `the form follows the name of the file`() {
    #expect(ReportFormat("out/report.HTML") == .html)
    #expect(ReportFormat("report.json") == .json)
    #expect(ReportFormat("report.txt") == .text)
    #expect(ReportFormat("report.pdf") == nil)
  }
}
