// SPDX-License-Identifier: Apache-2.0
// The message for the user of a database that was recovered: plain words, and no value of a row.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct HandOverTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func recover(_ sample: FilePath, _ choice: String) throws -> (Ending, message: String) {
    let file = try bench.place(sample, as: "app.db")
    let message = bench["message.txt"]
    let ending = try bench.run(
      "recover", file, "--choose", choice, "--yes", "--contract", bench.contract, "--hand-over",
      message)
    return (ending, String(decoding: try message.contents(), as: UTF8.self))
  }

  @Test func `a message says what happened, what is back, what is not, and the code`() throws {
    let (ending, message) = try recover("zeroed-leaf.db", "salvage")
    #expect(ending.status == 14)
    for title in ["What happened", "What is back", "What is not", "What to do", "Support code"] {
      #expect(message.contains("\n\(title)\n  "), "\(message)")
    }
    #expect(message.contains(try #require(ending.record).code.description))
    #expect(message.contains(" entries of sets."), "\(message)")
    #expect(message.contains("do not delete anything"), "\(message)")
    #expect(message.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(message)")
  }

  @Test func `where nothing was lost, the message says so`() throws {
    let (ending, message) = try recover("zeroed-index-leaf.db", "salvage")
    #expect(ending.status == 0)
    #expect(message.contains("Everything: every entry could be read."), "\(message)")
    #expect(!message.contains("do not delete anything"), "\(message)")
  }

  @Test func `where nothing can be done, the message says what the user has to do`() throws {
    let file = try bench.place("error-page.db", as: "app.db")
    let ending = try bench.run("recover", file, "--hand-over", bench["message.txt"])
    #expect(ending.status == 65, "\(ending.all)")
    let message = String(decoding: try bench["message.txt"].contents(), as: UTF8.self)
    #expect(message.contains("Nothing yet: nothing was changed"), "\(message)")
    #expect(message.contains("Download the file again"), "\(message)")
    #expect(message.contains(try #require(ending.record).code.description), "\(message)")
  }

  @Test func `a message replaces another one only with force`() throws {
    let file = try bench.place("zeroed-index-leaf.db", as: "app.db")
    let message = bench["message.txt"]
    try message.replaceContents(with: Bytes("of an earlier run".utf8))
    let words: [any Word] = [
      "recover", file, "--choose", "salvage", "--yes", "--contract", bench.contract, "--hand-over",
      message,
    ]
    let refused = try bench.run(words)
    #expect(refused.status == 73, "\(refused.all)")
    #expect(refused.error.contains("--force"))
    #expect(try bench.run(words + ["--force"]).status == 0)
    #expect(String(decoding: try message.contents(), as: UTF8.self).contains("What happened"))
  }

  @Test func `a message tells of what was changed since the backup`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v)",
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO t SELECT i, hex(zeroblob(30)) FROM n
      """,
    ]).build(at: file)
    #expect(try bench.run("backup", file).status == 0)
    try Connection(file, mode: .readWrite).execute("UPDATE t SET v = 'right' WHERE id < 4")
    var bytes = try file.contents()
    bytes.replaceSubrange(12_288..<16_384, with: Bytes(repeating: 0, count: 4096))
    try file.replaceContents(with: bytes)
    let message = bench["message.txt"]
    let ending = try bench.run(
      "recover", file, "--choose", "restore", "--yes", "--hand-over", message)
    #expect(ending.status == 0, "\(ending.all)")
    let text = String(decoding: try message.contents(), as: UTF8.self)
    #expect(text.contains("What was changed since the backup in 3 entries."), "\(text)")
    #expect(text.contains("do not delete anything"), "\(text)")
  }

  @Test func `nothing is recovered for a message that cannot be written`() throws {
    let file = try bench.place("zeroed-leaf.db", as: "app.db")
    try bench["message.txt"].replaceContents(with: Bytes("mine".utf8))
    let before = try bench.look()
    let ending = try bench.run(
      "recover", file, "--choose", "salvage", "--yes", "--hand-over", bench["message.txt"])
    #expect(ending.status == 73)
    #expect(try before.changes(until: bench.look()) == [])
    let dry = try bench.run(
      "recover", file, "--choose", "salvage", "--dry-run", "--hand-over", bench["other.txt"])
    #expect(dry.status == 0)
    #expect(try before.changes(until: bench.look()) == [])
  }
}
