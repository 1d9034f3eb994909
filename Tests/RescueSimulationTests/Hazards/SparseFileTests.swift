// SPDX-License-Identifier: Apache-2.0
// Files that are far longer than the bytes that they hold: holes take no time and no memory.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite(.timeLimit(.minutes(30))) struct SparseFileTests {
  private static let pageSize = 4096
  private static let rows = 3000
  /// Twenty gigabytes, of which next to nothing is on the disk.
  private static let byteCount = 20 << 30

  let scratch: ScratchFolder
  let file: FilePath
  init() throws {
    scratch = try ScratchFolder()
    file = scratch["app.db"]
  }

  private func build(_ leftover: Leftover = .nothing) throws {
    try DatabaseBuilder(
      pageSize: Self.pageSize,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "CREATE INDEX ta ON t (a)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
        INSERT INTO t SELECT i, 'row ' || i || hex(zeroblob(100)) FROM n
        """,
      ], leftover: leftover
    ).build(at: file)
  }

  private func stretch(_ path: FilePath, to byteCount: Int = byteCount) throws {
    try SystemStorage().open(path, .readWrite).truncate(to: byteCount)
  }

  private func survey() throws -> Survey {
    let input = try InputFiles(file, storage: SystemStorage())
    return try Survey(input.open(in: World()), parser: SandboxParser())
  }

  private func expectAllRows(_ survey: Survey) {
    #expect(survey.tree(named: "t")?.records == Self.rows)
    #expect(survey.failures.count == 0)
  }

  @Test func `nothing but a hole is zeros`() throws {
    try file.replaceContents(with: [])
    try stretch(file)
    #expect(try survey().kind == .zeros)
  }

  @Test func `a database before a hole is read, and the pages of the hole are counted`() throws {
    try build()
    let pages = try file.contents().count / Self.pageSize
    try stretch(file)
    let survey = try survey()
    expectAllRows(survey)
    // The page with the lock byte is none that could be used.
    #expect(survey.unclaimedInHoles == Self.byteCount / Self.pageSize - pages - 1)
    #expect(Reconstruction(survey).findings.contains { $0.code == .pageUnclaimed })
    #expect(survey.claims.count == pages + 1)
  }

  @Test func `rows behind a hole are read`() throws {
    try build()
    var bytes = try file.contents()
    let root = try #require(try Oracle(file).value("SELECT rootpage FROM sqlite_schema LIMIT 1"))
    let pointer = (Int(root.integerValue ?? 0) - 1) * Self.pageSize + 8
    let last = Int(bytes.bigEndian(at: pointer))
    let leaf = Bytes(bytes[((last - 1) * Self.pageSize)..<(last * Self.pageSize)])
    let far = Self.byteCount / Self.pageSize
    bytes.setBigEndian(UInt32(far), at: pointer)
    bytes.setBigEndian(UInt32(far), at: 28)
    try file.replaceContents(with: bytes)
    try stretch(file)
    try SystemStorage().open(file, .readWrite).write(leaf, at: (far - 1) * Self.pageSize)
    let survey = try survey()
    expectAllRows(survey)
    #expect(survey.tree(named: "t")?.isSound == true)
    #expect(PageNumber(far).flatMap { survey.claims.owner(of: $0) } != nil)
  }

  @Test func `a sparse database without its header is found`() throws {
    try build()
    try SystemStorage().open(file, .readWrite).write(Bytes(repeating: 0, count: 100), at: 0)
    try stretch(file)
    expectAllRows(try survey())
  }

  @Test(arguments: [false, true])
  func `a log of ten million frames, most of them in a hole, is read to its end`(
    isHeaderKept: Bool
  ) throws {
    try build(.wal(["UPDATE t SET a = 'new' WHERE id = 1"]))
    let log = file.adding(suffix: "-wal")
    if !isHeaderKept { try log.replaceContents(with: []) }
    try stretch(log, to: 32 + 10_000_000 * (24 + Self.pageSize))
    expectAllRows(try survey())
  }

  @Test(arguments: [false, true])
  func `a journal of twenty gigabytes, most of them in a hole, is read to its end`(
    isHot: Bool
  ) throws {
    try build(.hotJournal(["UPDATE t SET a = a || 'x'"]))
    let journal = file.adding(suffix: "-journal")
    if !isHot { try journal.replaceContents(with: []) }
    try stretch(journal)
    let image = try #require(try survey().image)
    if case .applied(let hot) = image.journal {
      #expect(isHot && !hot.records.isEmpty)
    } else {
      #expect(!isHot)
    }
  }

  @Test func `the digest of a file with large holes is that of the rest, and says so`() throws {
    try build()
    func digest() throws -> EvidenceDigest {
      try EvidenceDigest(of: SystemStorage().open(file, .read)) { _ throws(RescueError) in }
    }
    let whole = try digest()
    #expect(whole.isWhole)
    try stretch(file)
    let sparse = try digest()
    #expect(!sparse.isWhole && sparse.description.hasPrefix("partial-sha256:"))
    #expect(try digest() == sparse)
    try SystemStorage().open(file, .readWrite).write([1], at: Self.byteCount / 2)
    #expect(try digest() != sparse)
  }

  @Test func `a private copy of a sparse database has its holes`() throws {
    try build()
    try stretch(file)
    let image = try #require(try survey().image)
    let copy = scratch["copy.db"]
    try image.write(to: copy, storage: SystemStorage())
    #expect(try SystemStorage().status(of: copy)?.byteCount == Self.byteCount)
    #expect(image.dataByteCount < 1 << 22)
  }
}
