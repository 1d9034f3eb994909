// SPDX-License-Identifier: Apache-2.0
// A recovery that brings a salvage and the newest backup together, and what was said of it before.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct RecoverWithBackupTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private static let name = "salvage-with-backup"

  /// Rows of a table, from one number to another.
  private static func rows(_ numbers: ClosedRange<Int>) -> String {
    """
    WITH RECURSIVE n(i) AS (SELECT \(numbers.lowerBound) UNION ALL
      SELECT i + 1 FROM n WHERE i < \(numbers.upperBound))
    INSERT INTO t SELECT i, 'row ' || i FROM n
    """
  }

  /// A database of 300 rows that was backed up, written to since, and lost a leaf.
  private func damaged(since changes: [String], losing leaf: Int = 2) throws -> FilePath {
    let file = bench["app.db"]
    try DatabaseBuilder(
      pageSize: 512,
      ["CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "\(Self.rows(1...300))"]
    ).build(at: file)
    #expect(try bench.run("backup", file).status == 0)
    bench.pass(hours: 3)
    do {
      let connection = try Connection(file, mode: .readWrite, schemaBy: .us)
      for change in changes { try connection.execute(change) }
    }
    let leaves = try Oracle(file).pages.filter { $0.object == "t" && $0.kind == "leaf" }
    try file.replaceContents(
      with: Damage.zeroPage(leaves[leaf < 0 ? leaves.count + leaf : leaf].number)
        .applied(to: file.contents(), pageSize: 512))
    return file
  }

  private func options(of file: FilePath) throws -> [JSON] {
    try bench.run("diagnose", file, "--json").json["options"]?.elements ?? []
  }

  private func option(_ name: String, of file: FilePath) throws -> JSON? {
    try options(of: file).first { $0["name"]?.text == name }
  }

  @Test func `what is lost comes from the backup, and what is younger stays`() throws {
    let file = try damaged(since: [
      Self.rows(301...400), "UPDATE t SET a = 'changed' WHERE id IN (1, 300)",
    ])
    let salvage = try #require(try option("salvage", of: file))
    let lost = 400 - (salvage["kept"]?.number ?? 0)
    #expect(lost > 3)
    let promised = try #require(try option(Self.name, of: file))
    #expect(promised["kept"] == salvage["kept"] && promised["regained"]?.number == lost)
    #expect(promised["lost"]?["kind"]?.text == "none")
    #expect(promised["destructive"]?.bool == true)
    #expect(promised["command"]?.text == "dbrescue recover app.db --choose \(Self.name)")
    // It keeps more than the others do, and comes before them.
    #expect(try options(of: file).first?["name"]?.text == Self.name)

    let words: [any Word] = ["recover", file, "--choose", Self.name, "--json"]
    let plan = try bench.run(words + ["--dry-run"])
    #expect(plan.status == 0)
    let backup = try #require(promised["backup"]?.text)
    #expect(try plan.json["backup"]?.text == backup)
    #expect(
      try plan.json["steps"]?.elements.contains {
        $0["name"]?.text == "build-by-salvage" && $0["text"]?.text?.contains(backup) == true
      } == true)

    let before = try file.contents()
    let ending = try bench.run(words + ["--yes", "--hand-over", bench["message.txt"]])
    #expect(ending.status == 0, "\(ending.all)")
    let table = try #require(try ending.json["salvage"]?["tables"]?.elements.first)
    #expect(table["written"] == promised["kept"] && table["restored"] == promised["regained"])
    let new = try Oracle(file)
    #expect(try new.integrityErrors == [] && new.count(of: "t") == 400)
    #expect(
      try new.value("SELECT group_concat(id) FROM t WHERE a <> 'row ' || id") == .text("1,300"))
    let message = String(decoding: try bench["message.txt"].contents(), as: UTF8.self)
    #expect(message.contains("Entries that could be read: \(400 - lost) in t."))
    #expect(message.contains("Entries as they were in the backup of "))
    #expect(message.contains(": \(lost) in t."))
    #expect(
      message.contains("What is not\n  What was changed since in the entries from the backup."))

    let code = try #require(try ending.json["code"]?.text)
    #expect(try bench.run("undo", code, file, "--yes").status == 0)
    #expect(try file.contents() == before)
  }

  @Test func `a backup that has nothing of what is lost is no way to get it back`() throws {
    // The last leaf but one has rows that are younger than the backup.
    let file = try damaged(since: [Self.rows(301...600)], losing: -2)
    #expect(try option(Self.name, of: file) == nil)
    let ending = try bench.run("recover", file, "--choose", Self.name, "--yes")
    #expect(ending.status == 64)
    #expect(ending.error.contains("choose one of"))
  }

  @Test func `a backup that has all that there is is put back as it is`() throws {
    let file = try damaged(since: [])
    #expect(try options(of: file).compactMap { $0["name"]?.text } == ["restore", "salvage"])
  }

  @Test func `with the first page gone, the backup knows the tables`() throws {
    let file = try damaged(since: [Self.rows(301...400)])
    try file.replaceContents(
      with: Damage.zeroPage(1).applied(to: file.contents(), pageSize: 512))
    let promised = try #require(try option(Self.name, of: file))
    let ending = try bench.run("recover", file, "--choose", Self.name, "--yes", "--json")
    let table = try #require(try ending.json["salvage"]?["tables"]?.elements.first)
    #expect(table["written"] == promised["kept"] && table["restored"] == promised["regained"])
    #expect(try Oracle(file).count(of: "t") == 400)
  }
}
