// SPDX-License-Identifier: Apache-2.0
// A disk that does not hand out a database: that says nothing of what is in it.

@testable import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct UnreadableFileTests {
  /// A disk that does not hand out some bytes of a file.
  private final class Unreadable: SystemCallWatch {
    private let path: FilePath
    private let range: Range<Int>

    init(_ path: FilePath, _ range: Range<Int> = 0..<Int.max) {
      (self.path, self.range) = (path, range)
    }

    func failure(before call: SystemCall) -> Int32? {
      guard call.path == path, case .read(let offset, let count) = call.effect,
        range.overlaps(offset..<(offset + count))
      else { return nil }
      return 5
    }

    func succeeded(_ call: SystemCall) {}
  }

  /// What looks at a file on such a disk, and the file.
  private func rescue(
    on disk: Unreadable, of file: FilePath, in scratch: ScratchFolder
  ) throws -> (Rescue, InputFiles) {
    let storage = SystemStorage(watchedBy: disk)
    let environment = [
      "DBRESCUE_LOG": scratch["log"].description, "TMPDIR": scratch.path.description,
    ]
    return (
      Rescue(world: World(storage: storage, environment: environment)),
      try InputFiles(file, storage: storage)
    )
  }

  @Test func `bytes that cannot be read are an error, and no finding`() throws {
    try ScratchFolder.with { scratch in
      let file = scratch["app.db"]
      try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]).build(at: file)
      let (rescue, input) = try self.rescue(on: Unreadable(file), of: file, in: scratch)
      let check = #expect(throws: RescueError.self) { try rescue.check(input) }
      #expect(check?.kind == .inputOutput)
      let salvage = #expect(throws: RescueError.self) {
        try rescue.salvage(input, to: scratch["new.db"])
      }
      #expect(salvage?.kind == .inputOutput)
      let guarded = #expect(throws: RescueError.self) {
        try rescue.guardMigration(of: file, command: ["/bin/true"], onFailure: { _ in .stop })
      }
      #expect(guarded?.kind == .inputOutput)
    }
  }

  @Test func `a file without its beginning is no archive, and its rows are set aside`() throws {
    try ScratchFolder.with { scratch in
      let file = scratch["app.db"]
      try DatabaseBuilder([
        "CREATE TABLE note (text)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO note SELECT printf('%0250d', i) FROM n
        """,
      ]).build(at: file)
      let (rescue, input) = try self.rescue(on: Unreadable(file, 0..<4096), of: file, in: scratch)
      #expect(try rescue.check(input.unpacked(in: rescue.world)).value.verdict == .damagedLossy)
      let unpacked = try input.unpacked(in: rescue.world)
      let report = try rescue.salvage(unpacked, to: scratch["new.db"]).value
      #expect(!report.isComplete)
      #expect(report.balances.reduce(0) { $0 + $1.quarantined } == 900)
    }
  }

  @Test(arguments: [65536 + 512, 5 * 65536])
  func `of a file that a disk hands out but for a sector, only what lies there is lost`(
    _ sector: Int
  ) throws {
    try ScratchFolder.with { scratch in
      let file = scratch["app.db"]
      try DatabaseBuilder([
        "CREATE TABLE note (id INTEGER PRIMARY KEY, text)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO note SELECT i, printf('%0250d', i) FROM n
        """,
      ]).build(at: file)
      let (rescue, input) = try self.rescue(
        on: Unreadable(file, sector..<(sector + 512)), of: file, in: scratch)
      let result = try rescue.diagnose(input).value
      #expect(!result.examination.verdict.isStructureSound)
      #expect(result.causes.causes.first?.kind == .badMedium)
      #expect(result.examination.findings.contains { $0.code == .bytesNotRead })
      let report = try rescue.salvage(input, to: scratch["new.db"]).value
      #expect(!report.isComplete)
      let kept = try Oracle(scratch["new.db"])
      let rows = try kept.count(of: "note")
      // A page of 4,096 bytes holds 15 of these rows.
      #expect(rows >= 1980 && rows < 2000)
      let others = try kept.value("SELECT count(*) FROM note WHERE text <> printf('%0250d', id)")
      #expect(others == .integer(0))
    }
  }
}
