// SPDX-License-Identifier: Apache-2.0
// Lost rows from a backup: only what was lost, labelled, and nothing that was deleted since.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvageWithBackupTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private static let numbers = """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    """

  /// What a salvage gave.
  private struct Salvaged {
    let new: Oracle
    let quarantine: Oracle
    let ending: Ending

    /// What the account says of a table.
    func table(_ name: String) throws -> JSON? {
      try ending.json["tables"]?.elements.first { $0["table"]?.text == name }
    }
  }

  /// The kinds of file that rows can be merged from.
  enum BackupKind: CaseIterable {
    /// A backup of this program.
    case own
    /// A database.
    case plain
    /// A database that somebody compressed.
    case gzip
  }

  /// Builds a database, backs it up, changes and damages it, and salvages it with the backup.
  private func salvage(
    _ steps: [DatabaseBuilder.Step], then changes: [String] = [], from kind: BackupKind = .plain,
    damage: (Oracle) throws -> [Damage]
  ) throws -> Salvaged {
    let file = bench["app.db"]
    try DatabaseBuilder(pageSize: 512, steps).build(at: file)
    let backup = try backUp(file, as: kind)
    do {
      let connection = try Connection(file, mode: .readWrite, schemaBy: .us)
      for change in changes { try connection.execute(change) }
    }
    var bytes = try file.contents()
    for damage in try damage(Oracle(file)) {
      bytes = damage.applied(to: bytes, pageSize: 512)
    }
    try file.replaceContents(with: bytes)
    let output = bench["new.db"]
    let before = try bench.look()
    let ending = try bench.run(
      "salvage", file, "--output", output, "--backup", backup, "--json")
    #expect(try before.changes(until: bench.look()).allSatisfy { $0.hasPrefix("added new.db") })
    let new = try Oracle(output)
    #expect(try new.integrityErrors == [])
    for table in try ending.json["tables"]?.elements ?? [] {
      #expect(table["balanced"]?.bool == true, "\(ending.all)")
    }
    return Salvaged(
      new: new, quarantine: try Oracle(output.adding(suffix: ".quarantine.db")), ending: ending)
  }

  private func backUp(_ file: FilePath, as kind: BackupKind) throws -> FilePath {
    switch kind {
    case .own:
      try bench.run("backup", file, "--vault", bench["vault"])
      let name = try #require(
        try SystemStorage().names(in: bench["vault"]).first { "\($0)".hasSuffix(".db.gz") })
      return bench["vault"].appending(name)
    case .plain:
      try bench["old.db"].replaceContents(with: file.contents())
      return bench["old.db"]
    case .gzip:
      let packed = try Command("/bin/sh", ["-c", "gzip -c < \"$0\"", file.description]).run()
      try bench["old.db.gz"].replaceContents(with: packed.output)
      return bench["old.db.gz"]
    }
  }

  private func leaves(of table: String, _ oracle: Oracle) throws -> [Int] {
    try oracle.pages.filter { $0.object == table && $0.kind == "leaf" }.map(\.number)
  }

  @Test(arguments: BackupKind.allCases)
  func `rows of a lost leaf come from the backup, and the report says which`(
    _ kind: BackupKind
  ) throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "\(Self.numbers) INSERT INTO t SELECT i, 'old ' || i FROM n",
      ],
      then: ["UPDATE t SET a = 'new ' || id WHERE id IN (1, 300)"], from: kind
    ) { [.zeroPage(try leaves(of: "t", $0)[2])] }
    // Each rowid that a lost row can have had is taken.
    #expect(result.ending.status == 0)
    #expect(try result.new.count(of: "t") == 300)
    #expect(
      try result.new.value("SELECT group_concat(a) FROM t WHERE id IN (1, 300)")
        == .text("new 1,new 300"))
    let table = try #require(try result.table("t"))
    let restored = try #require(table["restored"]?.number)
    #expect(restored > 3 && table["seen"]?.number == 300 - restored)
    let origin = try #require(try result.ending.json["origins"]?.elements.first)
    #expect(origin["table"]?.text == "t" && origin["rows"]?.number == restored)
    #expect(origin["backup"]?.text?.isEmpty == false && origin["created"]?.text != nil)
    let first = try result.quarantine.value(
      #"SELECT "last" - "first" + 1 = "rows" AND "rows" = ? FROM origins"#,
      [.integer(Int64(restored))])
    #expect(first == .integer(1))
    #expect(try result.quarantine.value("SELECT count(*) FROM origins") == .integer(1))
    #expect(
      try result.quarantine.value("SELECT value FROM meta WHERE key = 'backup.1'") != nil)
  }

  @Test(arguments: ["DELETE FROM t", "UPDATE t SET a = 'new'"])
  func `what may have changed since the backup is not called complete`(_ change: String) throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "\(Self.numbers) INSERT INTO t SELECT i, 'old ' || i FROM n",
      ], then: ["\(change) WHERE id % 10 = 3"]
    ) { [.zeroPage(try leaves(of: "t", $0)[2])] }
    let restored = try #require(try result.table("t")?["restored"]?.number)
    let page = bench["account.html"]
    let ending = try bench.run(
      "salvage", bench["app.db"], "-o", bench["again.db"], "--backup", bench["old.db"],
      "--report", page)
    #expect(ending.status == 0)
    let words = "\(restored) rows are of the time of the backup of 20"
    #expect(
      ending.output.contains("complete with rows from a backup — \(words)"), "\(ending.all)")
    #expect(!ending.output.contains("complete —"))
    let html = String(decoding: try page.contents(), as: UTF8.self)
    #expect(html.contains("<strong>\(restored) rows were lost, and taken from a backup.</strong>"))
  }

  @Test func `what a backup brought back is missing no more, and what is younger is`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "\(Self.numbers) INSERT INTO t SELECT i, 'row ' || i FROM n",
      ], then: ["\(Self.numbers) INSERT INTO t SELECT 300 + i, 'young ' || i FROM n"]
    ) { oracle in
      let leaves = try leaves(of: "t", oracle)
      return [.zeroPage(leaves[2]), .zeroPage(leaves[leaves.count - 3])]
    }
    #expect(result.ending.status == 14)
    let stretches = try #require(try result.table("t")?["missing"]?.elements)
    #expect(stretches.count == 1)
    let first = try #require(stretches.first?["first"]?.number)
    let last = try #require(stretches.first?["last"]?.number)
    #expect(first > 300 && last <= 600 && first < last)
    #expect(try result.new.count(of: "t") == 600 - (last - first + 1))
  }

  @Test func `what else is lost of a table is not made good by a leaf that came back`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "\(Self.numbers) INSERT INTO t SELECT i, 'row ' || i FROM n",
      ]
    ) { oracle in
      let leaves = try leaves(of: "t", oracle)
      // Another leaf forgets its last three rows, and nothing is left of them.
      let page = (leaves[7] - 1) * 512
      let bytes = try bench["app.db"].contents()
      func number(at offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
      let (count, content) = (number(at: page + 3), number(at: page + 5))
      let kept = number(at: page + 8 + 2 * (count - 4))
      let forgetting = (0..<8).filter { (count ^ (count - 3)) >> $0 & 1 == 1 }
        .map { Damage.flipBit(offset: page + 4, bit: $0) }
      return forgetting + [
        .zeroPage(leaves[2]), .zeroRange(offset: page + content, count: kept - content),
        .zeroRange(offset: page + 8 + 2 * (count - 3), count: 6),
      ]
    }
    #expect(result.ending.status == 14)
    #expect(try result.new.count(of: "t") < 300)
  }

  @Test func `a row that was deleted since the backup does not come back`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "\(Self.numbers) INSERT INTO t SELECT i, 'row ' || i FROM n",
      ], then: ["DELETE FROM t WHERE id IN (2, 150, 299)"]
    ) {
      let lost = try leaves(of: "t", $0)[2]
      return [.zeroPage(lost)]
    }
    let gone = try result.new.value("SELECT count(*) FROM t WHERE id IN (2, 299)")
    #expect(gone == .integer(0))
    #expect(try result.new.value("SELECT count(*) FROM t WHERE id = 150") == .integer(0))
    #expect(try result.new.count(of: "t") == 297)
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `no row that was deleted comes back where only the first page is lost`(
    _ kind: String
  ) throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)\(kind)",
        "CREATE TABLE u (id INTEGER PRIMARY KEY, r REAL, b BLOB)\(kind)",
        "CREATE TABLE e (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT)\(kind)",
        "\(Self.numbers) INSERT INTO t SELECT i, 'row ' || i FROM n",
        "\(Self.numbers) INSERT INTO u SELECT i, i + 0.5, zeroblob(9) FROM n",
        "INSERT INTO e VALUES (1, 'x', 'y', 'z')",
      ],
      then: [
        "DELETE FROM t WHERE id < 40 OR id BETWEEN 90 AND 140 OR id > 260", "DELETE FROM e",
      ]
    ) { _ in [.zeroPage(1)] }
    #expect(try result.new.count(of: "t") == 300 - 39 - 51 - 40)
    #expect(try result.new.count(of: "u") == 300)
    #expect(try result.new.count(of: "e") == 0)
    #expect(try result.ending.json["origins"]?.elements.isEmpty ?? true)
    for table in ["t", "u"] { #expect(try result.table(table)?["lost"]?["kind"]?.text == "none") }
  }

  @Test func `rows of a lost leaf come back where the first page is lost, too`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "\(Self.numbers) INSERT INTO t SELECT i, 'row ' || i FROM n",
      ], then: ["DELETE FROM t WHERE id > 260"]
    ) { [.zeroPage(1), .zeroPage(try leaves(of: "t", $0)[2])] }
    #expect(try result.new.count(of: "t") == 260)
  }

  @Test func `a sound index tells which rows of a lost leaf were deleted`() throws {
    var lost = 0
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "CREATE INDEX t_a ON t (a)",
        "\(Self.numbers) INSERT INTO t SELECT i, printf('row %03d', i) FROM n",
      ], then: ["DELETE FROM t WHERE id = 50", "UPDATE t SET a = 'changed' WHERE id = 51"]
    ) { oracle in
      // The leaf that held rows 50 and 51.
      let leaves = try leaves(of: "t", oracle)
      lost = leaves[try #require(leaves.indices.first { $0 > 0 })]
      var least = 0
      for leaf in leaves {
        let cells = try oracle.value(
          "SELECT ncell FROM dbstat WHERE pageno = ?", [.integer(Int64(leaf))])
        least += Int(cells?.integerValue ?? 0)
        if least >= 49 {
          lost = leaf
          break
        }
      }
      return [.zeroPage(lost)]
    }
    #expect(try result.new.value("SELECT count(*) FROM t WHERE id = 50") == .integer(0))
    let present = try result.new.value("SELECT count(*) FROM t WHERE id = 51")
    let aside = try result.quarantine.value(
      #"SELECT c1 || ' ' || reason FROM rows WHERE "rowid" = 51"#)
    if present == .integer(0) {
      #expect(aside == .text("row 051 outdated"))
      let table = try #require(try result.table("t"))
      #expect(table["lost"]?["kind"]?.text == "exactly" && table["lost"]?["rows"]?.number == 1)
      #expect(try result.quarantine.count(of: "partial_rows") == 1)
    } else {
      Issue.record("the leaf with row 51 was to be lost")
    }
  }

  @Test func `rows of a table without rowids come from where they were lost`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (a TEXT, k TEXT PRIMARY KEY) WITHOUT ROWID",
        "\(Self.numbers) INSERT INTO t SELECT 'a' || i, printf('k%03d', i) FROM n",
      ], then: ["DELETE FROM t WHERE k IN ('k002', 'k299')"]
    ) { [.zeroPage(try leaves(of: "t", $0)[3])] }
    #expect(try result.new.count(of: "t") == 298)
    #expect(
      try result.new.value("SELECT count(*) FROM t WHERE 'a' || CAST(substr(k, 2) AS INT) <> a")
        == .integer(0))
    #expect(try #require(try result.table("t"))["restored"]?.number ?? 0 > 3)
  }

  @Test func `with page 1 gone, the schema and its rows come from the backup`() throws {
    let result = try salvage([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "\(Self.numbers) INSERT INTO t SELECT i, 'row ' || i FROM n",
      "CREATE VIEW v AS SELECT a FROM t", "PRAGMA user_version = 7",
    ]) { _ in [.zeroPage(1)] }
    #expect(try result.new.count(of: "t") == 300)
    #expect(try result.new.value("SELECT count(*) FROM v") == .integer(300))
    #expect(try result.new.value("PRAGMA user_version") == .integer(7))
    #expect(
      try result.quarantine.value("SELECT value FROM meta WHERE key = 'schema_source'")
        == .text("the damaged file and old.db"))
  }

  @Test func `of two backups the first that has a row counts`() throws {
    let steps: [DatabaseBuilder.Step] = [
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "\(Self.numbers) INSERT INTO t SELECT i, 'row ' || i FROM n",
    ]
    let (file, newer, older) = (bench["app.db"], bench["newer.db"], bench["older.db"])
    try DatabaseBuilder(pageSize: 512, steps).build(at: file)
    for (path, words) in [(newer, "newer"), (older, "older")] {
      try path.replaceContents(with: file.contents())
      let connection = try Connection(path, mode: .readWrite, schemaBy: .us)
      try connection.execute("UPDATE t SET a = '\(words)'")
      if path == newer { try connection.execute("DELETE FROM t WHERE id % 2 = 0") }
    }
    let leaf = try leaves(of: "t", Oracle(file))[2]
    try file.replaceContents(
      with: Damage.zeroPage(leaf).applied(to: file.contents(), pageSize: 512))
    let ending = try bench.run(
      "salvage", file, "-o", bench["new.db"], "--backup", newer, "--backup", older, "--json")
    let new = try Oracle(bench["new.db"])
    #expect(try new.count(of: "t") == 300)
    #expect(
      try new.value("SELECT count(*) FROM t WHERE a = iif(id % 2, 'older', 'newer')")
        == .integer(0))
    #expect(
      try new.value("SELECT count(DISTINCT a) FROM t WHERE a IN ('newer', 'older')") == .integer(2))
    #expect(
      try ending.json["origins"]?.elements.map { $0["backup"]?.text } == ["newer.db", "older.db"])
  }

  @Test func `a sound file takes nothing from a backup`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)"]).build(at: file)
    try bench["old.db"].replaceContents(with: file.contents())
    try Connection(file, mode: .readWrite, schemaBy: .us).execute("DELETE FROM t WHERE a = 2")
    let ending = try bench.run(
      "salvage", file, "-o", bench["new.db"], "--backup", bench["old.db"])
    #expect(ending.status == 0)
    #expect(try Oracle(bench["new.db"]).count(of: "t") == 1)
  }

  @Test func `a backup that is none is refused before anything is written`() throws {
    let file = try bench.place("zeroed-leaf.db")
    try bench["words.gz"].replaceContents(with: Bytes("no backup".utf8))
    let ending = try bench.run(
      "salvage", file, "-o", bench["new.db"], "--backup", bench["words.gz"])
    #expect(ending.status == 65)
    #expect(try !bench["new.db"].exists)
  }

  @Test(arguments: ["fts5(title, body)", "fts4(title, body)"])
  func `lost texts of a full-text table come from the backup`(_ module: String) throws {
    let result = try salvage([
      .init(stringLiteral: "CREATE VIRTUAL TABLE f USING \(module)"),
      "INSERT INTO f (rowid, title, body) VALUES (1, 'one', 'two'), (2, 'three', 'four')",
    ]) { oracle in
      try oracle.pages.filter { $0.object == "f_content" }.map { .zeroPage($0.number) }
    }
    #expect(try result.new.value("SELECT rowid FROM f WHERE f MATCH 'body:four'") == .integer(2))
    #expect(
      try result.ending.json["origins"]?.elements.first?["table"]?.text == "f",
      "\(result.ending.all)")
  }
}
