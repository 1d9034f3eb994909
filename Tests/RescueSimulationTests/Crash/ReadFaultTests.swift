// SPDX-License-Identifier: Apache-2.0
// Every read of a database going wrong, in every pass of every command that reads it: once, where
// trying again helps, and for good. Nothing ends well that has less than there is.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite(.serialized) struct ReadFaultTests {
  /// A command that reads a database.
  enum Reading: String, CaseIterable, Sendable { case check, diagnose, salvage, backup, raw }

  /// What a command gave.
  struct Outcome {
    let status: Int32
    /// The rows that it found, or put where it was asked to; nil where it cannot tell.
    let rows: Int?
    /// Whether it says that the file is the same as before.
    let isUnchanged: Bool
  }

  struct Case: Sendable {
    let reading: Reading
    let fault: ReadFaults.Fault
    var name: String {
      "\(reading), read \(fault.read), \(fault.kind)\(fault.lasts ? ", lasting" : "")"
    }
  }

  private static let rows = 150

  /// A database with tables of several pages, an index, values on overflow pages and free pages.
  private static let content: Bytes? = {
    let made = try? ScratchFolder.with { scratch in
      let path = scratch["made.db"]
      try DatabaseBuilder(
        pageSize: 1024,
        [
          "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)",
          "CREATE INDEX bodies ON notes (body)", "CREATE TABLE old (a)",
          "INSERT INTO old VALUES (zeroblob(9000))",
          """
          WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
          INSERT INTO notes
          SELECT i, 'note ' || i || CASE i % 50 WHEN 0 THEN hex(randomblob(900)) ELSE '' END FROM n
          """, "DROP TABLE old",
        ]
      ).build(at: path)
      return try path.contents()
    }
    return made
  }()

  private static func stage(_ scratch: ScratchFolder) throws -> Stage {
    let stage = Stage(root: scratch.path)
    try stage.makeFolders()
    try stage.database.replaceContents(with: #require(content))
    return stage
  }

  private static func run(
    _ reading: Reading, _ stage: Stage, _ faults: ReadFaults
  ) -> Outcome {
    let storage = SystemStorage(watchedBy: faults)
    let rescue = stage.rescue(seed: 5, storage: storage)
    func found(_ examination: Examination, _ inputs: [RunRecord.InputDigest]) -> Outcome {
      Outcome(
        status: examination.verdict.exitStatus,
        rows: examination.survey.tree(named: "notes")?.records,
        isUnchanged: inputs.allSatisfy { $0.before == $0.after })
    }
    do throws(RescueError) {
      switch reading {
      case .check:
        return found(
          try rescue.check(InputFiles(stage.database, storage: storage)).value, [])
      case .diagnose:
        let result = try rescue.diagnose(InputFiles(stage.database, storage: storage))
        return found(result.value.examination, result.inputs)
      case .salvage:
        let result = try rescue.salvage(
          InputFiles(stage.database, storage: storage), to: stage.output)
        let report = result.value
        let rows = try? Oracle(stage.output).count(of: "notes")
        guard report.isComplete == (report.outcome == .healthy) else {
          return Outcome(status: 0, rows: nil, isUnchanged: false)
        }
        return Outcome(
          status: report.imbalance?.exitStatus ?? report.outcome.exitStatus, rows: rows,
          isUnchanged: result.inputs.allSatisfy { $0.before == $0.after })
      case .backup, .raw:
        var options = BackupWriter.Options()
        options.isRaw = reading == .raw
        let backup = try rescue.backUp(stage.database, options: options).value
        let restored = stage.temporary.appending("restored.db")
        try BackupReader(backup.path).restore(to: restored)
        let rows = try? Oracle(restored).count(of: "notes")
        return Outcome(
          status: backup.isGood || options.isRaw ? 0 : 14, rows: rows, isUnchanged: true)
      }
    } catch {
      return Outcome(status: error.exitStatus, rows: nil, isUnchanged: true)
    }
  }

  private static func violations(_ test: Case) throws -> [String] {
    try ScratchFolder.with { scratch in
      let stage = try stage(scratch)
      let faults = try ReadFaults(of: stage.database, test.fault)
      let outcome = run(test.reading, stage, faults)
      guard faults.struckByteCount > 0 else {
        return outcome.status == 0 && outcome.rows == rows ? [] : ["fails without a failure"]
      }
      var violations: [String] = []
      if outcome.status == 0, outcome.rows != rows {
        violations.append("ends in 0 with \(outcome.rows.map(String.init) ?? "unknown") rows")
      }
      switch (test.fault.kind, test.fault.lasts) {
      case (.changed, _): break
      case (_, false):
        if outcome.status != 0 || !outcome.isUnchanged {
          violations.append("a failure that passes is not healed: \(outcome.status)")
        }
      case (_, true):
        // What is stored SQLite reads itself, and all rows are there: we read it to compare. The
        // change counter alone tells at the end whether somebody wrote, as times and sizes do.
        if outcome.status == 0, test.reading != .backup, faults.struckByteCount > 4 {
          violations.append("a failure that lasts is not told of")
        }
        if ![0, 13, 14, 15, 74].contains(outcome.status) {
          violations.append("a failure that lasts ends in \(outcome.status)")
        }
      }
      return violations
    }
  }

  private static let sweep = Sweep<Case>(
    title: "failing reads", name: \.name, violations: { try violations($0) })

  @Test(arguments: Reading.allCases)
  func `whatever read goes wrong, nothing ends well with less than there is`(
    _ reading: Reading
  ) throws {
    let reads = try ScratchFolder.with { scratch in
      let stage = try Self.stage(scratch)
      let faults = try ReadFaults(of: stage.database)
      let outcome = Self.run(reading, stage, faults)
      #expect(outcome.status == 0 && outcome.rows == Self.rows)
      return faults.reads
    }
    #expect(reads > 0 || reading == .backup)
    let cases = (0..<reads).flatMap { read in
      // What is stored raw is stored as it was read.
      ReadFaults.Kind.allCases.filter { reading != .raw || $0 != .changed }.flatMap { kind in
        [false, true].map {
          Case(reading: reading, fault: ReadFaults.Fault(read: read, kind: kind, lasts: $0))
        }
      }
    }
    let result = Self.sweep.run(Effort.choose(40, of: cases), of: cases.count)
    #expect(result.violations == [])
  }

  /// What happens to a file while it is read.
  enum Change: String, CaseIterable, Sendable { case shrinks, grows, isReplaced }

  @Test(arguments: Change.allCases)
  func `a salvage of a file that changes meanwhile is of the state that it changed to`(
    _ change: Change
  ) throws {
    let scratch = try ScratchFolder()
    let stage = try Self.stage(scratch)
    let database = stage.database
    var world = stage.rescue(seed: 5).world
    let isDone = Mutex(false)
    // Between the survey and the reading of rows.
    world.progress = { progress in
      guard progress == .began(.copying, byteCount: nil), !isDone.withLock({ $0 }) else { return }
      isDone.withLock { $0 = true }
      // What cannot be done leaves the file unchanged, which is asked for below.
      try? Self.carryOut(change, on: database)
    }
    let rescue = Rescue(world: world)
    let result = try rescue.salvage(
      InputFiles(database, storage: rescue.world.storage), to: stage.output)
    let isChanged = try database.contents() != Self.content
    #expect(isDone.withLock { $0 } && isChanged)
    let later = try rescue.salvage(
      InputFiles(database, storage: rescue.world.storage),
      to: stage.output.adding(suffix: ".later"))
    #expect(result.value.balances == later.value.balances)
    #expect(result.value.isComplete == later.value.isComplete)
    if change == .shrinks { #expect(!result.value.isComplete) }
    withExtendedLifetime(scratch) {}
  }

  private static func carryOut(_ change: Change, on database: FilePath) throws {
    let storage = SystemStorage()
    var bytes = try database.contents()
    switch change {
    case .shrinks: try storage.open(database, .readWrite).truncate(to: 8 * 1024)
    case .grows: try storage.open(database, .readWrite).write(bytes, at: bytes.count)
    case .isReplaced:
      bytes[bytes.count - 1] ^= 1
      try database.replaceContents(with: bytes)
    }
  }
}
