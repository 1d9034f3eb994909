// SPDX-License-Identifier: Apache-2.0
// What only functions of the app can compute is salvaged as the app has computed it.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ComputedByAppTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// A table with columns and indexes of functions, whose names are then those of an app.
  private func build() throws -> FilePath {
    let file = bench["app.db"]
    try DatabaseBuilder([
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT CHECK (length(a) > 0), b AS (upper(a)) VIRTUAL,
        c TEXT GENERATED ALWAYS AS (lower(a)) STORED NOT NULL)
      """,
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 90)
      INSERT INTO t (a) SELECT 'Text ' || n FROM numbers
      """,
      "CREATE INDEX lowered ON t (lower(a) DESC)",
      "CREATE INDEX some ON t (id) WHERE upper(a) > 'TEXT 5'",
      "CREATE UNIQUE INDEX two ON t (c, b)",
    ]).build(at: file)
    let connection = try Connection.unguarded(file)
    for name in ["lower", "upper", "length"] {
      try connection.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, '\(name)(', 'app_\(name)(')")
    }
    return file
  }

  /// Gives the functions the names that SQLite knows.
  private func makeJudgeable(_ file: FilePath) throws -> Connection {
    do {
      let connection = try Connection.unguarded(file)
      try connection.execute("UPDATE sqlite_schema SET sql = replace(sql, 'app_', '')")
    }
    return try Connection(file, mode: .readWrite)
  }

  @Test func `a declaration that SQLite would not have stored is not put back`() throws {
    let file = try build()
    do {
      let connection = try Connection.unguarded(file)
      try connection.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, 'TABLE t', 'TABLE main.t') WHERE name = 't'")
    }
    let output = bench["new.db"]
    let ending = try bench.run("salvage", file, "--output", output)
    #expect(ending.status == 14, "\(ending.all)")
    let sound = try Connection(output, mode: .readOnly)
    #expect(try sound.value("PRAGMA integrity_check")?.utf8String == "ok")
  }

  @Test func `columns and indexes that only the app can compute are kept as they are`() throws {
    let file = try build()
    let output = bench["new.db"]
    let ending = try bench.run("salvage", file, "--output", output)
    #expect(ending.status == 0, "\(ending.all)")
    let objects = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
    #expect(
      try Connection(output, mode: .readOnly).rows(objects)
        == Connection(file, mode: .readOnly).rows(objects))
    let judge = try makeJudgeable(output)
    #expect(try judge.value("PRAGMA integrity_check")?.utf8String == "ok")
    let counts = try ["INDEXED BY some", "NOT INDEXED"].map {
      try judge.value("SELECT count(*) FROM t \($0) WHERE upper(a) > 'TEXT 5'")
    }
    #expect(counts[0] == counts[1])
    #expect(try judge.value("SELECT c FROM t WHERE id = 7")?.utf8String == "text 7")
  }

  @Test func `an index that only the app can compute and that is damaged is left out`() throws {
    let file = try build()
    let root = try Connection(file, mode: .readOnly)
      .value("SELECT rootpage FROM sqlite_schema WHERE name = 'some'")?.integerValue
    let start = 4096 * (Int(try #require(root)) - 1)
    var bytes = try file.contents()
    bytes.replaceSubrange(start..<(start + 4096), with: Bytes(repeating: 0, count: 4096))
    try file.replaceContents(with: bytes)
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 13, "\(ending.all)")
    #expect(ending.all.contains("which only the app has"), "\(ending.all)")
  }
}
