// SPDX-License-Identifier: Apache-2.0
// How a refusal says that what is meant can be allowed, and that it can where it says so.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct AllowanceTests {
  /// A change that is refused, with the word of its reason.
  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sql: [String]
    let reason: String
  }

  private static let items = [
    "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, k TEXT, v TEXT)",
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20) "
      + "INSERT INTO t SELECT i, 'k' || i, 'v' || i FROM c",
    "PRAGMA user_version = 3",
  ]

  static let changes = [
    Change(
      testDescription: "rows that are gone", sql: ["DELETE FROM t WHERE id < 5"],
      reason: "'t' had 20 rows and has 16"),
    Change(
      testDescription: "copies", sql: ["INSERT INTO t (k, v) SELECT k, v FROM t"],
      reason: "that are copies of others"),
    Change(
      testDescription: "a counter", sql: ["UPDATE sqlite_sequence SET seq = 10"],
      reason: "its counter went back from 20 to 10"),
  ]

  let bench: Workbench
  let file: FilePath
  let new: FilePath

  init() throws {
    bench = try Workbench()
    (file, new) = (bench["app.db"], bench["new.db"])
  }

  /// Makes the database, and what a migration puts in its place.
  private func build(changedBy sql: [String]) throws {
    let before = Self.items.map { DatabaseBuilder.Step(stringLiteral: $0) }
    try DatabaseBuilder(before).build(at: file)
    try DatabaseBuilder(before + sql.map { DatabaseBuilder.Step(stringLiteral: $0) }).build(at: new)
  }

  private func guarding(_ policy: String = "restore", _ flags: [any Word] = []) throws -> Ending {
    let words: [any Word] = ["guard", file, "--on-failure", policy]
    return try bench.run(words + flags + ["--", "/bin/cp", new, file])
  }

  @Test(arguments: changes)
  func `a contract allows what a refusal says that it does`(_ change: Change) throws {
    try build(changedBy: change.sql)
    let contract = bench["schema.sql"]
    try contract.replaceContents(with: Bytes((Self.items[0] + "; " + Self.items[2] + ";").utf8))
    let words = "\"rowCounts\" in the contract lets rows go and come"
    let refused = try guarding("restore", ["--contract", contract])
    #expect(refused.status == 18, "\(refused.all)")
    #expect(refused.all.contains(change.reason), "\(refused.all)")
    #expect(refused.all.contains("if it is meant: \(words)"), "\(refused.all)")

    try bench["schema.overlay.json5"].replaceContents(with: Bytes("{rowCounts: {t: 'any'}}".utf8))
    let kept = try guarding("restore", ["--contract", contract])
    #expect(kept.status == 0, "\(kept.all)")
  }

  @Test(arguments: changes)
  func `without a contract, one is what allows it`(_ change: Change) throws {
    try build(changedBy: change.sql)
    let refused = try guarding()
    #expect(refused.status == 18, "\(refused.all)")
    #expect(refused.all.contains("(--contract)"), "\(refused.all)")
  }

  @Test func `no contract is said to let a version go back`() throws {
    try build(changedBy: ["PRAGMA user_version = 2"])
    let refused = try guarding()
    #expect(refused.status == 18, "\(refused.all)")
    #expect(refused.all.contains("no contract lets a version go back"), "\(refused.all)")
    #expect(!refused.all.contains("(--contract)"), "\(refused.all)")
    let left = try guarding("stop")
    #expect(left.status == 19, "\(left.all)")
    #expect(try Connection(file, mode: .readOnly).value("PRAGMA user_version") == .integer(2))
  }
}
