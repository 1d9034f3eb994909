// SPDX-License-Identifier: Apache-2.0
// No row value leaves the database but into a database: neither output nor log holds one, whatever
// is wrong and whatever is done about it.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct PrivacyTests {
  let bench: Workbench
  let file: FilePath
  init() throws {
    bench = try Workbench()
    file = bench["people.db"]
    try Self.builder.build(at: file)
  }

  /// What stands in every row, as text, as a number and as bytes.
  static let markers = ["Xq7Secret", "918273645546372819", "5871375365637265"]

  /// A database full of markers, in rows, keys, indexes, full text and counters.
  static let builder = DatabaseBuilder(
    pageSize: 1024,
    [
      "PRAGMA user_version = 3",
      """
      CREATE TABLE people (
        id INTEGER PRIMARY KEY, name TEXT UNIQUE, number INTEGER, photo BLOB, city TEXT)
      """,
      "CREATE TABLE keys (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID",
      "CREATE TABLE visits (id INTEGER PRIMARY KEY, person INTEGER REFERENCES people (id), t TEXT)",
      "CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, payload TEXT, status TEXT)",
      "CREATE INDEX people_by_city ON people (city, name)",
      "CREATE VIRTUAL TABLE words USING fts5(body)",
      """
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300)
      INSERT INTO people SELECT n, 'Xq7Secret ' || n, 918273645546372819, x'5871375365637265',
        'Xq7Secret city ' || (n % 7) FROM c
      """,
      "INSERT INTO keys SELECT 'Xq7Secret' || id, 'Xq7Secret' FROM people",
      "INSERT INTO visits SELECT id, id % 280 + 1, 'Xq7Secret' FROM people",
      "INSERT INTO outbox (payload, status) SELECT 'Xq7Secret', 'pending' FROM people",
      "INSERT INTO words SELECT 'Xq7Secret words' FROM people LIMIT 50",
    ])

  /// The schema that the app expects: stricter in every way that a row can break.
  private var strict: FilePath {
    get throws {
      let path = bench["strict.sql"]
      try path.replaceContents(
        with: Bytes(
          """
          CREATE TABLE people (
            id INTEGER PRIMARY KEY, name TEXT UNIQUE, number INTEGER CHECK (number < 10),
            photo BLOB, city TEXT UNIQUE COLLATE NOCASE);
          CREATE TABLE keys (k INTEGER PRIMARY KEY, v TEXT NOT NULL);
          CREATE TABLE visits (id INTEGER PRIMARY KEY, person INTEGER, t INTEGER) STRICT;
          CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, payload TEXT, status TEXT);
          PRAGMA user_version = 3;
          """.utf8))
      return path
    }
  }

  /// A contract with an invariant that every row breaks.
  private var contract: FilePath {
    get throws {
      let path = bench["people.contract.json"]
      try bench.run("contract", "capture", file, "--output", path)
      let text = String(decoding: try path.contents(), as: UTF8.self)
      let invariants = """
        "invariants": [{"name": "nobody", "sql": "SELECT name, number FROM people"}],
        """
      guard let brace = text.firstIndex(of: "{") else { throw UnfitFixture("no contract") }
      let start = text.index(after: brace)
      try path.replaceContents(
        with: Bytes((text[..<start] + invariants + text[start...]).utf8))
      return path
    }
  }

  private func expectNothing(
    in texts: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let log = try String(decoding: bench.log.contents(), as: UTF8.self)
    for text in texts + [log] {
      for marker in Self.markers {
        #expect(
          !text.lowercased().contains(marker.lowercased()), "\(text)",
          sourceLocation: sourceLocation)
      }
    }
  }

  /// Everything that can be done to a database, whether it works out or not.
  private func everything(on file: FilePath) throws -> [String] {
    let (strict, contract) = (try strict, try contract)
    let vault = bench["vault"]
    var number = 0
    func new() -> FilePath {
      number += 1
      return bench[FilePath("new-\(number).db")]
    }
    let lines: [[any Word]] = [
      ["check", file, "--verbose"], ["check", file, "--json"],
      ["check", file, "--contract", contract, "--verbose"],
      ["diagnose", file, "--contract", strict, "--verbose"], ["diagnose", file, "--vault", vault],
      ["contract", "verify", file, "--contract", strict, "--verbose"],
      ["contract", "verify", file, "--contract", contract, "--json"],
      ["contract", "capture", file], ["contract", "diff", file, strict],
      ["backup", file, "--vault", vault, "--contract", contract, "--verbose"],
      ["vault", "verify", vault, "--verbose"], ["vault", "list", vault, "--json"],
      ["salvage", file, "--output", new(), "--verbose"],
      ["salvage", file, "--output", new(), "--schema", strict, "--verbose"],
      ["salvage", file, "--output", new(), "--schema", strict, "--json"],
      ["recover", file, "--contract", strict, "--vault", vault],
      ["recover", file, "--contract", strict, "--choose", "salvage", "--dry-run", "--verbose"],
      ["recover", file, "--contract", contract, "--choose", "salvage", "--yes", "--verbose"],
      ["restore", file, "--vault", vault, "--yes", "--verbose"],
      ["guard", file, "--contract", contract, "--verbose", "--", "/bin/true"],
      ["guard", file, "--on-failure", "restore", "--", "/bin/false"],
      ["playbook", "run", "malformed-database-at-start", file, "--contract", contract],
      ["playbook", "run", "pre-migration-backup", file, "--verbose"],
      ["reset", file, "--schema", strict, "--yes", "--confirm", file.name],
      ["log", "list", "--json"], ["log", "list", "--verbose"],
    ]
    return try lines.map { try bench.run($0).all }
  }

  @Test func `no value of a sound database is told`() throws {
    try expectNothing(in: everything(on: file))
  }

  @Test(arguments: [
    Damage.zeroPage(5), .zeroPage(1), .truncatePercent(55), .wipeHeader, .copyPage(from: 9, to: 14),
    .wipeCellPointers(page: 10), .zeroRange(offset: 9300, count: 40),
  ])
  func `no value of a damaged database is told`(_ damage: Damage) throws {
    let bytes = try file.contents()
    let damaged = bench["damaged.db"]
    try damaged.replaceContents(with: damage.applied(to: bytes, pageSize: 1024))
    try expectNothing(in: everything(on: damaged))
  }

  @Test func `no value of a file that is no database is told`() throws {
    let text = bench["text.db"]
    let rows = (0..<500).map { "\($0),Xq7Secret,918273645546372819\n" }.joined()
    try text.replaceContents(with: Bytes(rows.utf8))
    let contract = bench["contract.sql"]
    try contract.replaceContents(with: Bytes("INSERT INTO x VALUES ('Xq7Secret');".utf8))
    try expectNothing(
      in: [
        bench.run("check", text, "--verbose").all, bench.run("diagnose", text).all,
        bench.run("backup", text, "--verbose").all, bench.run("recover", text).all,
      ])
  }

  @Test func `what is set aside lies in databases, and only there`() throws {
    let output = bench["new.db"]
    let ending = try bench.run("salvage", file, "--output", output, "--schema", strict)
    #expect(ending.status == 14)
    let aside = try Oracle(output.adding(suffix: ".quarantine.db"))
    #expect(try aside.count(of: "conflicts") > 600)
    let kept = try aside.value("SELECT count(*) FROM conflicts WHERE c1 LIKE 'Xq7Secret%'")
    #expect(try #require(kept?.integerValue) > 0)
    // The reasons are of the kind 'UNIQUE constraint failed: people.city': names, no values.
    let reasons = try aside.value("SELECT group_concat(DISTINCT reason) FROM conflicts")
    try expectNothing(in: [try #require(reasons?.utf8String)])
  }
}
