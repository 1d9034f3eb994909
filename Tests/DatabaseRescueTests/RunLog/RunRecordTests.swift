// SPDX-License-Identifier: Apache-2.0
// The line of a run: its JSON is fixed, and nothing private gets into it.

import Diagnosis
import Foundation
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct RunRecordTests {
  /// A record in which everything is set; `text` goes wherever a caller can put text.
  static func full(_ text: String? = nil) -> RunRecord {
    func name(_ usual: String) -> PlainName { PlainName(text ?? usual) }
    let content = SupportCode.Content(
      operation: .salvage, stage: .done, outcome: .succeededWithLoss, day: 688,
      verdict: .damagedLossy, finding: .rowsLost, framework: .room, relation: .older, found: 41,
      expected: 42, hasWAL: true, unsynced: .some(3), hasVerifiedBackup: true, rowsLost: true)
    var record = RunRecord(
      code: SupportCode(content, random: 0x1ABC),
      started: Date(timeIntervalSince1970: 1_795_180_800.75), seconds: 1.23456, exitStatus: 14,
      tool: name("1.0.0"), unsyncedRows: .some(3))
    record.findings = [RunRecord.FindingCount(.rowsLost, count: 2)]
    record.file = name("app.db")
    record.byteCount = 4096
    record.inputs = [
      RunRecord.InputDigest(name: name("app.db"), before: name("ab12"), after: name("ab12"))
    ]
    record.backupUsed = name("app.1.db.gz")
    record.backupMade = name("app.2.db.gz")
    record.tables = [
      RunRecord.TableCount(
        table: name("user"), seen: 10, written: 7, quarantined: 2, duplicates: 1,
        lost: RowLoss(.atLeast(3)))
    ]
    record.steps = [RunRecord.Step(name: name("read"), outcome: name("done"), seconds: 0.5)]
    return record
  }

  /// The line that the log would write.
  static func line(_ record: RunRecord) throws -> String {
    try ScratchFolder.with { folder in
      let log = RunLog(at: folder["runs.jsonl"], in: World())
      try log.append(record)
      return try String(
        decoding: Data(contentsOf: URL(filePath: log.path.description)), as: UTF8.self)
    }
  }

  /// What ``full(_:)`` was in the log of version 1.
  private static let old =
    #"{"backupMade":"app.2.db.gz","backupUsed":"app.1.db.gz","byteCount":4096,"#
    + #""code":"DBR-931CS-04G54-ARD80-6NW8H","exitCode":14,"file":"app.db","#
    + #""findings":[{"code":"DBR-F100","count":2}],"flags":{"restored":false,"rowsLost":true,"#
    + #""unattended":false,"unsynced":"some","unsyncedRows":3,"verifiedBackup":true,"wal":true},"#
    + #""framework":"Room","inputs":[{"after":"ab12","before":"ab12","name":"app.db"}],"#
    + #""operation":"salvage","outcome":"succeeded-with-loss","schema":1,"seconds":1.235,"#
    + #""stage":"done","started":"2026-11-20T13:20:00Z","steps":[{"name":"read","#
    + #""outcome":"done","seconds":0.5}],"tables":[{"duplicates":1,"lost":"at least 3 rows","#
    + #""quarantined":2,"seen":10,"table":"user","written":7}],"tool":"1.0.0","#
    + #""verdict":"damaged-lossy","versions":{"expected":42,"found":41,"relation":"older"}}"#

  /// How it is written today.
  private static let new =
    #"{"format":"dbrescue.log","version":3,"type":"run","backupMade":"app.2.db.gz","#
    + #""backupUsed":"app.1.db.gz","byteCount":4096,"#
    + #""code":"DBR-931CS-04G54-ARD80-6NW8H","exit":14,"file":"app.db","#
    + #""findings":[{"code":"DBR-F100","count":2}],"flags":{"restored":false,"rowsLost":true,"#
    + #""unattended":false,"unsynced":{"rows":3,"state":"some"},"verifiedBackup":true,"#
    + #""wal":true},"#
    + #""framework":"Room","inputs":[{"name":"app.db","sha256":"ab12","unchanged":true}],"#
    + #""losesRows":true,"operation":"salvage","outcome":"succeeded-with-loss","seconds":1.235,"#
    + #""stage":"done","started":"2026-11-20T13:20:00Z","steps":[{"name":"read","#
    + #""outcome":"done","seconds":0.5}],"tables":[{"duplicates":1,"lost":{"kind":"at-least","#
    + #""rows":3},"quarantined":2,"seen":10,"table":"user","written":7}],"tool":"1.0.0","#
    + #""verdict":"damaged","versions":{"expected":42,"found":41,"relation":"older"}}"#

  @Test func `the line is as it ever was`() throws {
    #expect(try Self.line(Self.full()) == Self.new + "\n")
  }

  @Test func `a line of the second version says the same as one of today`() throws {
    let second = Self.new.replacingOccurrences(of: #""version":3"#, with: #""version":2"#)
      .replacingOccurrences(
        of: #"{"name":"app.db","sha256":"ab12","unchanged":true}"#,
        with: #"{"after":"ab12","before":"ab12","name":"app.db"}"#)
    #expect(RunRecord(line: Bytes(second.utf8)[...]) == Self.full())
    let beginning = RunBeginning(Self.full().code, at: Date(timeIntervalSince1970: 0), file: "a")
    let line = try beginning.document.compact.replacingOccurrences(
      of: #""version":3"#, with: #""version":2"#)
    #expect(Bytes(line.utf8)[...].isBeginning)
    #expect(RunBeginning(line: Bytes(line.utf8)[...])?.began == Self.full().code)
  }

  @Test func `the digest of a file that has changed is kept`() throws {
    var record = Self.full()
    record.inputs = [
      RunRecord.InputDigest(name: "a.db", before: "ab12", after: "cd34"),
      RunRecord.InputDigest(name: "b.db", before: "partial-sha256:ab12", after: nil),
    ]
    let line = try Self.line(record)
    #expect(
      line.contains(
        #"{"after":"cd34","name":"a.db","sha256":"ab12","unchanged":false},"#
          + #"{"name":"b.db","partialDigest":"partial-sha256:ab12"}"#))
    #expect(RunRecord(line: Bytes(line.utf8)[...])?.inputs == record.inputs)
    #expect(PublishedFormat.problems(of: try record.document) == [])
  }

  @Test func `a line of the first version says the same as one of today`() throws {
    #expect(RunRecord(line: Bytes(Self.old.utf8)[...]) == Self.full())
    let words = [
      ("no rows", RowLoss(.none)), ("exactly 1 row", RowLoss(.exactly(1))),
      ("at least 20 rows", RowLoss(.atLeast(20))), ("an unknown number of rows", RowLoss(.unknown)),
    ]
    for (text, loss) in words {
      let line = Self.old.replacingOccurrences(of: "at least 3 rows", with: text)
      let record = try #require(RunRecord(line: Bytes(line.utf8)[...]))
      #expect(record.tables.map(\.lost) == [loss])
    }
    for (word, isLossy) in [("damaged-intact", false), ("healthy", false), ("unreadable", true)] {
      let line = Self.old.replacingOccurrences(of: "damaged-lossy", with: word)
      let record = try #require(RunRecord(line: Bytes(line.utf8)[...]))
      #expect(record.verdict?.description == String(word.prefix { $0 != "-" }))
      #expect(record.losesRows == isLossy)
    }
    let beginning =
      #"{"at":"2026-11-22T10:00:00Z","began":"DBR-931CS-04G54-ARD80-6NW8H","file":"a","schema":1}"#
    let bytes = Bytes(beginning.utf8)[...]
    #expect(bytes.isBeginning)
    let read = try #require(RunBeginning(line: bytes))
    #expect(read.began == Self.full().code && read.file == "a")
    #expect(Bytes(try read.document.compact.utf8)[...].isBeginning)
  }

  @Test func `what was not known is left out`() throws {
    let content = SupportCode.Content(
      operation: .check, stage: .open, outcome: .failed, day: 1)
    let record = RunRecord(
      code: SupportCode(content, random: 1), started: Date(timeIntervalSince1970: 0),
      seconds: .infinity, exitStatus: 66, tool: "1.0.0")
    let line = try Self.line(record)
    for key in ["verdict", "framework", "file", "byteCount", "backupUsed", "unsyncedRows"] {
      #expect(!line.contains("\"\(key)\":"))
    }
    #expect(line.contains(#""unsynced":{"state":"not-looked-for"}"#))
    #expect(line.contains(#""seconds":0,"#))
  }

  @Test(arguments: [
    "/home/alice/Library/secret.db", #"C:\Users\alice\secret.db"#, "file:///home/alice/secret.db",
    "~alice/../alice/secret.db", "\u{1B}]8;;/home/alice/\u{7}secret.db", "/home/alice\n/secret.db",
    "\u{FF0F}home\u{FF0F}alice\u{FF0F}secret.db",
  ])
  func `no text that is put in makes a record carry a path`(_ hostile: String) throws {
    let line = try Self.line(Self.full(hostile))
    for part in ["/", #"\"#, "alice", "home", "Users", "Library"] {
      #expect(!line.contains(part))
    }
    #expect(line.contains("secret.db"))
    #expect(line.utf8.count(where: { $0 == UInt8(ascii: "\n") }) == 1)
  }

  @Test func `a record that was tampered with carries no path either`() throws {
    let hostile = try Self.line(Self.full()).replacingOccurrences(
      of: #""app.db""#, with: #""/home/alice/app.db""#
    ).replacingOccurrences(of: #""salvage""#, with: #""/home/alice/salvage""#)
    try ScratchFolder.with { folder in
      let log = RunLog(at: folder["runs.jsonl"], in: World())
      try Data(hostile.utf8).write(to: URL(filePath: log.path.description))
      let record = try #require(try log.records().records.first)
      #expect(record == Self.full())
    }
  }

  @Test func `a hostile number of tables and steps is cut and counted`() throws {
    var record = Self.full()
    let table = RunRecord.TableCount(
      table: PlainName(String(repeating: "\u{1F5C4}", count: 500)), seen: .max, written: .max,
      quarantined: .max, duplicates: .max, lost: RowLoss(.unknown))
    record.tables = Array(repeating: table, count: 100_000)
    record.steps = Array(
      repeating: RunRecord.Step(name: "x", outcome: "y", seconds: 0), count: 1500)
    let line = try Self.line(record)
    #expect(line.utf8.count < LineSplitter.lengthLimit)
    #expect(line.contains(#""tablesOmitted":99000"#))
    #expect(line.contains(#""stepsOmitted":500"#))
  }

  @Test func `findings are counted by kind`() {
    let findings = [
      Finding(.rowsLost, "a"), Finding(.pageDamaged, "b"), Finding(.rowsLost, "c"),
    ]
    #expect(
      RunRecord.FindingCount.counting(findings) == [
        RunRecord.FindingCount(.pageDamaged, count: 1), RunRecord.FindingCount(.rowsLost, count: 2),
      ])
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func `a clock that is far off does no harm`(_ seconds: Double) throws {
    let record = RunRecord(
      code: Self.full().code, started: Date(timeIntervalSince1970: seconds), seconds: seconds,
      exitStatus: 0, tool: "1.0.0")
    #expect(try Self.line(record).contains(#""started":""#))
    let world = World(storage: SystemStorage(), now: { Date(timeIntervalSince1970: seconds) })
    #expect([0, SupportCode.Content.lastDay].contains(world.today))
  }

  @Test func `today is counted from 2025`() {
    #expect(
      World(storage: SystemStorage(), now: { Date(timeIntervalSince1970: 1_795_180_800) }).today
        == 688)
  }
}
