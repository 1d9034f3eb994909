// SPDX-License-Identifier: Apache-2.0
// The run log keeps every run: through torn lines, other processes and full disks.

import Diagnosis
import Foundation
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@testable import DatabaseRescue

@Suite struct RunLogTests {
  static func record(_ number: Int) -> RunRecord {
    let content = SupportCode.Content(
      operation: .check, stage: .done, outcome: .succeeded, day: number / 8192)
    var record = RunRecord(
      code: SupportCode(content, random: UInt64(number % 8192)),
      started: Date(timeIntervalSince1970: 1_795_180_800), seconds: 0.25, exitStatus: 0,
      tool: "1.0.0")
    record.byteCount = number
    return record
  }

  static func write(_ text: String, to log: RunLog) throws {
    try Data(text.utf8).write(to: URL(filePath: log.path.description))
  }

  static func text(of log: RunLog) throws -> String {
    try String(decoding: Data(contentsOf: URL(filePath: log.path.description)), as: UTF8.self)
  }

  // MARK: Place

  @Test(arguments: [
    (["DBRESCUE_LOG": "/x/log", "XDG_STATE_HOME": "/s", "HOME": "/h"], "/x/log"),
    (["DBRESCUE_LOG": "log", "HOME": "/h"], "log"),
    (["DBRESCUE_LOG": "", "XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/dbrescue/runs.jsonl"),
    (["XDG_STATE_HOME": "s", "HOME": "/h"], "/h/.local/state/dbrescue/runs.jsonl"),
    (["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/dbrescue/runs.jsonl"),
  ])
  func `the environment says where the log is`(_ environment: [String: String], _ path: String)
    throws
  {
    let log = try RunLog(in: World(environment: environment))
    #expect(log.path.description == path)
  }

  @Test(arguments: [[:], ["HOME": ""], ["XDG_STATE_HOME": "relative"]])
  func `an environment without a place is an error`(_ environment: [String: String]) {
    let error = #expect(throws: RescueError.self) {
      try RunLog(in: World(environment: environment))
    }
    #expect(error?.kind == .cannotWrite)
  }

  // MARK: Appending and reading

  @Test func `what is appended is read in order, and folders are made`() throws {
    try ScratchFolder.with { folder in
      let log = RunLog(at: folder["a/b/runs.jsonl"], in: World())
      #expect(try log.records() == RunLog.Contents())
      for number in 0..<5 { try log.append(Self.record(number)) }
      let contents = try log.records()
      #expect(contents.records == (0..<5).map(Self.record))
      #expect(contents.unreadableCount == 0)
      #expect(try log.records(lastLines: 2).records == [Self.record(3), Self.record(4)])
      #expect(try log.records(lastLines: 99).records.count == 5)
      #expect(try log.records(lastLines: 0).records.isEmpty)
      #expect(try log.records(lastLines: -1).records.isEmpty)
      let status = try SystemStorage().status(of: log.path)
      #expect(status?.mode == 0o600)
    }
  }

  @Test func `a run is found by its code, the newest first`() throws {
    try ScratchFolder.with { folder in
      let log = RunLog(at: folder["runs.jsonl"], in: World())
      for number in 0..<20 { try log.append(Self.record(number)) }
      var again = Self.record(7)
      again.byteCount = 70
      // The code of another run in a name does not make it that run.
      again.file = PlainName(Self.record(9).code.description)
      try log.append(again)
      #expect(try log.record(for: Self.record(7).code) == again)
      #expect(try log.record(for: Self.record(9).code) == Self.record(9))
      #expect(try log.record(for: Self.record(21).code) == nil)
    }
  }

  @Test func `a torn last line hides neither what was before nor what comes`() throws {
    try ScratchFolder.with { folder in
      let log = RunLog(at: folder["runs.jsonl"], in: World())
      try log.append(Self.record(1))
      let whole = try Self.text(of: log)
      for cut in [1, 2, 20, whole.count - 1] {
        try Self.write(whole + whole.dropLast(cut), to: log)
        try log.append(Self.record(2))
        let contents = try log.records()
        // Without its end, a line is still whole.
        let middle = cut == 1 ? [Self.record(1)] : []
        #expect(contents.records == [Self.record(1)] + middle + [Self.record(2)], "cut \(cut)")
        #expect(contents.unreadableCount == (cut == 1 ? 0 : 1), "cut \(cut)")
      }
    }
  }

  @Test func `lines that are no records are counted and skipped`() throws {
    try ScratchFolder.with { folder in
      let log = RunLog(at: folder["runs.jsonl"], in: World())
      try log.append(Self.record(1))
      let line = try Self.text(of: log)
      let later = line.replacingOccurrences(of: #""version":3"#, with: #""version":4"#)
      let richer = line.replacingOccurrences(of: #""version":3"#, with: #""new":[1],"version":3"#)
      let other = line.replacingOccurrences(of: "DBR-", with: "DBR-0")
      try Self.write("\n\n\u{0}\u{0}\n{}\nnull\n" + later + other + richer, to: log)
      let contents = try log.records()
      #expect(contents.records == [Self.record(1)])
      #expect(contents.unreadableCount == 5)
    }
  }

  @Test func `a line that never ends is skipped without being held`() throws {
    try ScratchFolder.with { folder in
      let log = RunLog(at: folder["runs.jsonl"], in: World())
      let junk = String(repeating: "x", count: LineSplitter.lengthLimit + 10)
      try Self.write(junk, to: log)
      try log.append(Self.record(1))
      #expect(try log.records().records == [Self.record(1)])
      #expect(try log.records().unreadableCount == 1)
      try Self.write(junk, to: log)
      #expect(try log.records().unreadableCount == 1)
    }
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func `lines are the same however the blocks fall`(_ size: Int) {
    let text = Bytes("one\n\ntwo\nthree and more\n\nfour".utf8)
    var lines: [String] = []
    var splitter = LineSplitter()
    for start in stride(from: 0, to: text.count, by: size) {
      splitter.add(Bytes(text[start..<min(start + size, text.count)])) {
        lines.append(String(decoding: $0, as: UTF8.self))
      }
    }
    splitter.finish { lines.append(String(decoding: $0, as: UTF8.self)) }
    #expect(lines == ["one", "two", "three and more", "four"])
  }

  @Test func `a log of many blocks is read whole`() throws {
    try ScratchFolder.with { folder in
      let log = RunLog(at: folder["runs.jsonl"], in: World())
      try log.append(Self.record(1))
      let line = try Self.text(of: log)
      let count = 3 * RunLog.blockSize / line.utf8.count
      try Self.write(String(repeating: line, count: count), to: log)
      try log.append(Self.record(2))
      #expect(try log.records().records.count == count + 1)
      #expect(try log.records(lastLines: 3).records.map(\.byteCount) == [1, 1, 2])
      #expect(try log.record(for: Self.record(2).code) == Self.record(2))
    }
  }

  // MARK: Others at the same time

  /// Each append opens the file anew, so the threads stand for processes: the lock is between
  /// open files.
  @Test func `runs of many at once are all kept`() throws {
    try ScratchFolder.with { folder in
      let path = folder["runs.jsonl"]
      let failures = Mutex<[String]>([])
      let done = DispatchGroup()
      for thread in 0..<8 {
        done.enter()
        Thread.detachNewThread {
          let log = RunLog(at: path, in: World())
          for number in 0..<100 {
            do {
              try log.append(Self.record(thread * 100 + number))
            } catch {
              failures.withLock { $0.append("\(error)") }
            }
          }
          done.leave()
        }
      }
      done.wait()
      #expect(failures.withLock { $0 } == [])
      let contents = try RunLog(at: path, in: World()).records()
      #expect(contents.unreadableCount == 0)
      #expect(contents.records.compactMap(\.byteCount).sorted() == Array(0..<800))
    }
  }

  @Test func `a log that another holds for ever is an error after a bounded wait`() throws {
    try ScratchFolder.with { folder in
      let path = folder["runs.jsonl"]
      let holder = try SystemStorage().open(path, .append)
      #expect(try holder.lock())
      let waits = Mutex(0)
      let log = RunLog(at: path, in: World()) { waits.withLock { $0 += 1 } }
      let error = #expect(throws: RescueError.self) { try log.append(Self.record(1)) }
      #expect(error?.kind == .busy)
      #expect(error?.meaning.contains("the database is not affected") == true)
      #expect(waits.withLock { $0 } == RunLog.lockAttempts)
      #expect(holder.byteCount == 0)
    }
  }

  @Test func `a log to which others add by turns is waited for longer`() throws {
    try ScratchFolder.with { folder in
      let path = folder["runs.jsonl"]
      let holder = try SystemStorage().open(path, .append)
      #expect(try holder.lock())
      let waits = Mutex(0)
      let log = RunLog(at: path, in: World()) {
        waits.withLock { waits in
          waits += 1
          if waits == RunLog.lockAttempts { try? holder.append([RunLog.newline]) }
        }
      }
      #expect(throws: RescueError.self) { try log.append(Self.record(1)) }
      #expect(waits.withLock { $0 } == 2 * RunLog.lockAttempts)
    }
  }

  @Test func `a log that is released in time is written`() throws {
    try ScratchFolder.with { folder in
      let path = folder["runs.jsonl"]
      let holder = Mutex<(any StoredFile)?>(nil)
      try holder.withLock { file in
        file = try SystemStorage().open(path, .append)
        #expect(try file?.lock() == true)
      }
      let waits = Mutex(0)
      let log = RunLog(at: path, in: World()) {
        waits.withLock { $0 += 1 }
        holder.withLock { $0 = nil }
      }
      try log.append(Self.record(1))
      #expect(waits.withLock { $0 } == 1)
      #expect(try log.records().records.count == 1)
    }
  }

  // MARK: Trouble

  @Test func `a log that cannot be written is an error that says nothing is lost`() throws {
    try ScratchFolder.with { folder in
      try SystemStorage().createFolder(folder["runs.jsonl"])
      let log = RunLog(at: folder["runs.jsonl"], in: World())
      let error = #expect(throws: RescueError.self) { try log.append(Self.record(1)) }
      #expect(error?.meaning.contains("the database is not affected") == true)
      #expect(throws: RescueError.self) { try log.records() }
    }
  }

  @Test func `a run that is not to be logged goes to the null device`() throws {
    let log = RunLog(at: "/dev/null", in: World())
    try log.append(Self.record(1))
    #expect(try log.records() == RunLog.Contents())
  }

  @Test func `a disk that fills up in the middle of a line costs that line alone`() throws {
    try ScratchFolder.with { folder in
      let path = folder["runs.jsonl"]
      let log = RunLog(at: path, in: World())
      try log.append(Self.record(1))
      let full = RunLog(at: path, in: World(storage: RunLogFullDisk(bytesLeft: 40)))
      let error = #expect(throws: RescueError.self) { try full.append(Self.record(2)) }
      #expect(error?.kind == .cannotWrite)
      try log.append(Self.record(3))
      let contents = try log.records()
      #expect(contents.records == [Self.record(1), Self.record(3)])
      #expect(contents.unreadableCount == 1)
    }
  }

  @Test func `each line is one write, made durable, and so is the name of a new file`() throws {
    try ScratchFolder.with { folder in
      let storage = RunLogFullDisk(bytesLeft: .max)
      let log = RunLog(at: folder["runs.jsonl"], in: World(storage: storage))
      try log.append(Self.record(1))
      #expect(storage.calls.withLock { $0 } == ["lock", "append", "synchronize", "folder"])
      try log.append(Self.record(2))
      #expect(
        storage.calls.withLock { $0.suffix(3) } == ["lock", "append", "synchronize"])
    }
  }
}
