// SPDX-License-Identifier: Apache-2.0
// What a survey makes of single kinds of damage: the verdict, and what is said.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite struct SurveyTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func bytes(_ recipe: String) throws -> (bytes: Bytes, path: FilePath, pageSize: Int) {
    let recipe = try Recipe.named(recipe)
    let path = try recipe.build(in: scratch.path)
    return (try path.contents(), path, recipe.builder.pageSize)
  }

  private func pages(_ path: FilePath, of object: String, _ kind: String) throws -> [Int] {
    try Oracle(path).pages.filter { $0.object == object && $0.kind == kind }.map(\.number)
  }

  @Test(arguments: [1, 100, 1023, 1024, 5000])
  func `what follows the last page costs no rows`(_ count: Int) throws {
    let (bytes, path, pageSize) = try bytes("page-size-1024")
    let rebuilt = Reconstruction(
      main: Damage.append(count: count).applied(to: bytes, pageSize: pageSize))
    #expect(rebuilt.survey.verdict == (count % pageSize == 0 ? .healthy : .damagedIntact))
    #expect(rebuilt.holdsEveryRow)
    #expect(try rebuilt.survey.firstDifference(from: Oracle(path)) == nil)
  }

  @Test func `a torn transaction in the log is worth a notice`() throws {
    let (_, path, _) = try bytes("wal-torn")
    let survey = try Survey(path)
    #expect(survey.verdict == .healthy)
    #expect(survey.findings.contains { $0.code == .walDamaged && $0.severity == .notice })
  }

  @Test func `a log that breaks before whole transactions is a loss`() throws {
    let (bytes, path, pageSize) = try bytes("wal-committed")
    var wal = try path.adding(suffix: "-wal").contents()
    wal[32 + 24 + pageSize / 2] ^= 1
    let survey = Survey(main: bytes, wal: wal)
    #expect(survey.findings.first?.code == .walDamaged)
    #expect(survey.verdict == .damagedLossy)
  }

  @Test func `a cut that takes only free pages takes no rows`() throws {
    let (bytes, path, pageSize) = try bytes("freelist")
    // The last page of this file is free: its table was dropped last.
    let last = bytes.count / pageSize
    let used = try Oracle(path).pages.map(\.number)
    #expect(!used.contains(last))
    let survey = Survey(main: Bytes(bytes.dropLast(pageSize)))
    #expect(survey.findings.contains { $0.code == .truncated && $0.severity == .damage })
    #expect(survey.verdict == .damagedIntact)
  }

  @Test func `two leaves of an index that have changed places make it damaged`() throws {
    let (bytes, path, pageSize) = try bytes("page-size-1024")
    let leaves = try pages(path, of: "t_b", "leaf")
    let swapped = Damage.swapPages(leaves[1], leaves[4]).applied(to: bytes, pageSize: pageSize)
    let survey = Survey(main: swapped)
    #expect(survey.verdict == .damagedIntact)
    #expect(survey.faults.map(\.code) == [.indexDamaged])
    #expect(survey.faults.first?.place.object == "t_b")
  }

  @Test func `two leaves of a WITHOUT ROWID table that have changed places are noticed`() throws {
    let (bytes, path, pageSize) = try bytes("deep-trees")
    let leaves = try pages(path, of: "k", "leaf")
    let swapped = Damage.swapPages(leaves[3], leaves[9]).applied(to: bytes, pageSize: pageSize)
    let survey = Survey(main: swapped)
    #expect(survey.verdict == .damagedLossy)
    #expect(survey.faults.contains { $0.code == .rowDoubtful && $0.place.object == "k" })
  }

  @Test func `a leaf of a WITHOUT ROWID table over another one is a loss`() throws {
    let (bytes, path, pageSize) = try bytes("deep-trees")
    let leaves = try pages(path, of: "k", "leaf")
    let copied = Damage.copyPage(from: leaves[3], to: leaves[9])
      .applied(to: bytes, pageSize: pageSize)
    #expect(Survey(main: copied).verdict == .damagedLossy)
  }

  @Test func `an older copy of a leaf is told by the index`() throws {
    let (old, path, pageSize) = try bytes("page-size-1024")
    let leaf = try pages(path, of: "t", "leaf")[5]
    let range = ((leaf - 1) * pageSize)..<(leaf * pageSize)
    var bytes = old
    // The page as it was before its last row was written: one cell less.
    let start = range.lowerBound
    let count = bytes.bigEndian16(at: start + 3)
    let cell = bytes.bigEndian16(at: start + 8 + 2 * (count - 1))
    let before = bytes.bigEndian16(at: start + 8 + 2 * (count - 2))
    #expect(cell < before)
    bytes[start + 3] = UInt8((count - 1) >> 8)
    bytes[start + 4] = UInt8((count - 1) & 0xFF)
    bytes[start + 5] = UInt8(before >> 8)
    bytes[start + 6] = UInt8(before & 0xFF)
    let rebuilt = Reconstruction(main: bytes)
    let table = try #require(rebuilt.survey.tree(named: "t"))
    #expect(table.isReadable)
    #expect(rebuilt.survey.faults.contains { $0.code == .indexMismatch })
    #expect(rebuilt.loss(of: table) == .unknown)
    #expect(rebuilt.survey.verdict == .damagedLossy)
  }

  @Test func `a header that speaks of pointer maps where there are none costs no rows`() throws {
    var (bytes, path, _) = try bytes("page-size-1024")
    bytes[55] = 9
    let survey = Survey(main: bytes)
    #expect(survey.verdict == .damagedIntact)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
  }

  @Test func `what a first transaction left that was cut off is read, and told of`() throws {
    let (bytes, _, pageSize) = try bytes("page-size-1024")
    var header = Bytes(RollbackJournal.magic) + Bytes(repeating: 0, count: 504)
    header.setBigEndian(512, at: 20)
    header.setBigEndian(UInt32(pageSize), at: 24)
    let survey = Survey(main: bytes, journal: header)
    #expect(survey.verdict == .damagedIntact)
    #expect(survey.findings.map(\.code) == [.sidecarDeleted])
    #expect(survey.misleadingSidecar == nil)
  }

  @Test(arguments: [false, true])
  func `chains that all lead into one another do not hold up a survey or a salvage`(
    _ isEndless: Bool
  ) throws {
    let source = CountingSource(try Self.hostileChains(isEndless: isEndless))
    let rebuilt = try Reconstruction(FileSet(main: source), parser: SandboxParser())
    let table = try #require(rebuilt.survey.tree(named: "t"))
    // Where the chain ends as the rows say, one of them has it.
    #expect(table.cellFaults.count == (isEndless ? 200 : 199))
    let reader = try #require(SalvageReader(rebuilt))
    var claims = reader.startingClaims
    reader.read(table, &claims) { _ in }
    #expect(rebuilt.gaps(in: table).count > 0)
    // Followed to their ends, they would take some 800,000 reads each time.
    #expect(source.reads < 100 * source.byteCount / 512)
  }

  /// A database with a chain that runs through thousands of pages, in a circle or to an end, and
  /// 200 rows that all claim to fill it.
  private static func hostileChains(isEndless: Bool) throws -> Bytes {
    try ScratchFolder.with { scratch in
      let path = scratch["hostile.db"]
      try DatabaseBuilder(
        pageSize: 512,
        [
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a BLOB)",
          """
          WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 200)
          INSERT INTO t SELECT n + 1000, zeroblob(20000) FROM c
          """,
        ]
      ).build(at: path)
      var bytes = try path.contents()
      let pages = try Oracle(path).pages.filter { $0.object == "t" }
      // What the rows say that they have fills 4128 pages.
      let chain = pages.filter { $0.kind == "overflow" }.map(\.number).prefix(4128)
      for (page, next) in zip(chain, chain.dropFirst() + [isEndless ? chain[0] : 0]) {
        bytes.setBigEndian(UInt32(next), at: (page - 1) * 512)
      }
      for leaf in pages where leaf.kind == "leaf" {
        let start = (leaf.number - 1) * 512
        for cell in 0..<bytes.bigEndian16(at: start + 3) {
          let offset = start + bytes.bigEndian16(at: start + 8 + 2 * cell)
          // 2,097,151 bytes, of which 39 + (2,097,151 − 39) mod 508 = 127 stay, behind a length
          // of three bytes and a rowid of two: a header of six, and a value of all others.
          bytes.replaceSubrange(offset..<(offset + 3), with: [0xFF, 0xFF, 0x7F])
          bytes.replaceSubrange(
            (offset + 5)..<(offset + 11), with: [0x06, 0x00, 0x81, 0xFF, 0xFF, 0x7E])
          bytes.setBigEndian(UInt32(chain[0]), at: offset + 5 + 127)
        }
      }
      return bytes
    }
  }
}

/// A source that counts how often it is read.
private final class CountingSource: PageSource {
  private let source: MemorySource
  private let count = Atomic<Int>(0)

  init(_ bytes: Bytes) {
    source = MemorySource(bytes)
  }

  var byteCount: Int { source.byteCount }
  var reads: Int { count.load(ordering: .relaxed) }

  func read(at offset: Int, count bytes: Int) -> Bytes {
    count.add(1, ordering: .relaxed)
    return source.read(at: offset, count: bytes)
  }
}
