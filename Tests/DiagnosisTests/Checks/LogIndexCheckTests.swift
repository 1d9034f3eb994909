// SPDX-License-Identifier: Apache-2.0
// A -shm that is the index of another log than the one beside it, and all that looks like one.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LogIndexCheckTests {
  /// The files of a database that is open, as they are on the disk.
  private struct Files {
    var main = Bytes()
    var wal = Bytes()
    var index = Bytes()

    func findings(index other: Bytes? = nil) throws -> [Finding] {
      let survey = try Survey(
        FileSet(
          main: MemorySource(main), wal: MemorySource(wal), index: MemorySource(other ?? index)),
        parser: SandboxParser())
      #expect(survey.faults.isEmpty)
      return LogIndexCheck.findings(in: survey)
    }
  }

  /// What SQLite has on the disk while a database is open, after some statements.
  private func files(pageSize: Int = 4096, _ more: String...) throws -> Files {
    let scratch = try ScratchFolder()
    let path = scratch["open.db"]
    let connection = try Connection(path, mode: .app)
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE t (a); INSERT INTO t VALUES (1), (2);
      """)
    for sql in more { try connection.execute(sql) }
    return try Files(
      main: path.contents(), wal: path.adding(suffix: "-wal").contents(),
      index: path.adding(suffix: "-shm").contents())
  }

  @Test func `nothing is said of the index of the log itself`() throws {
    let files = try files()
    let index = try #require(LogIndex(files.index))
    #expect(index.isProven)
    #expect(index.frameCount == (files.wal.count - 32) / (24 + 4096))
    #expect(index.pageSize == 4096)
    #expect(try files.findings().isEmpty)
  }

  @Test func `the index of another database's log is named, and is no fault`() throws {
    let (own, other) = (try files(), try files())
    let finding = try #require(try own.findings(index: other.index).first)
    #expect(finding.code == .logIndexStrange)
    #expect(finding.message == "the -shm is the index of a log with other salts than the -wal has")
    #expect(finding.severity == .notice)
    #expect(finding.place == .init())
  }

  @Test func `an index that counts frames which nobody has proves that its log is missing`() throws
  {
    func findings(_ files: Files) throws -> [Finding] {
      LogCheck.findings(
        in: try Survey(
          FileSet(main: MemorySource(files.main), index: MemorySource(files.index)),
          parser: SandboxParser()))
    }
    let finding = try #require(try findings(files()).first)
    #expect(finding.code == .walMissing)
    #expect(finding.severity == .loss)
    #expect(finding.message.contains("of which are not in the file (salts "))
    // One whose frames were all copied tells of nothing.
    let copied = try files("PRAGMA wal_checkpoint(PASSIVE)")
    #expect(try findings(copied).map(\.severity) == [.notice])
    let other = try files(pageSize: 512)
    #expect(
      try findings(Files(main: copied.main, index: other.index)).map(\.severity) == [.notice])
  }

  @Test(arguments: [512, 65536])
  func `another page size is that of another database`(pageSize: Int) throws {
    let (own, other) = (try files(), try files(pageSize: pageSize))
    #expect(
      try own.findings(index: other.index).map(\.message) == [
        "the -shm is the index of a log with pages of \(pageSize) bytes, those of the -wal have 4096"
      ])
  }

  @Test func `an index of an earlier generation of the log is what a cut of power leaves`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["open.db"]
    let connection = try Connection(path, mode: .app)
    try connection.execute(
      "PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
    let early = try path.adding(suffix: "-shm").contents()
    try connection.execute("PRAGMA wal_checkpoint(RESTART); INSERT INTO t VALUES (3)")
    let files = try Files(
      main: path.contents(), wal: path.adding(suffix: "-wal").contents(), index: early)
    let (before, after) = (
      try #require(LogIndex(early)), try #require(LogIndex(path.adding(suffix: "-shm").contents()))
    )
    #expect(before.salts != after.salts)
    #expect(try files.findings().isEmpty)
  }

  @Test func `an index without frames is what a reset leaves`() throws {
    let reset = try files("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(LogIndex(reset.index)?.frameCount == 0)
    #expect(try files().findings(index: reset.index).isEmpty)
  }

  @Test func `an index that does not hold says nothing`() throws {
    let (own, other) = (try files(), try files())
    var torn = other.index
    torn[16] ^= 1
    torn[48 + 16] ^= 1
    #expect(LogIndex(torn)?.isProven == false)
    #expect(try own.findings(index: torn).isEmpty)
    #expect(try own.findings(index: Bytes(repeating: 0, count: 32768)).isEmpty)
    #expect(try own.findings(index: []).isEmpty)
  }

  @Test func `without a log there is nothing to compare`() throws {
    var files = try files()
    files.wal = []
    #expect(try files.findings().isEmpty)
  }

  @Test func `a check reads the -shm beside the database`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    let (own, other) = (try files(), try files())
    try path.replaceContents(with: own.main)
    try path.adding(suffix: "-wal").replaceContents(with: own.wal)
    try path.adding(suffix: "-shm").replaceContents(with: other.index)
    let survey = try Survey(path)
    #expect(survey.findings.map(\.code).contains(.logIndexStrange))
    #expect(survey.verdict == .healthy)
    // A log that was named is not the one that the -shm lies beside.
    let named = scratch["other.wal"]
    try named.replaceContents(with: own.wal)
    let storage = SystemStorage()
    let files = try InputFiles(path, wal: named, storage: storage).open(in: World(storage: storage))
    #expect(files.index == nil)
  }
}
