// SPDX-License-Identifier: Apache-2.0
// What is said of drifts, and which statements are offered: tables under other names, full-text
// indexes, and what enforces more than is expected.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ContractDriftCommandTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func build(_ name: FilePath, _ script: String) throws -> FilePath {
    try Connection(bench[name], mode: .app).execute(script)
    return bench[name]
  }

  private func script(_ text: String, as name: FilePath = "new.sql") throws -> FilePath {
    try bench[name].replaceContents(with: Bytes(text.utf8))
    return bench[name]
  }

  private func headlines(_ ending: Ending) throws -> [String] {
    try (ending.json["differences"]?.elements ?? []).map { difference in
      ["kind", "subject", "object"].compactMap { difference[$0]?.text }.joined(separator: " ")
    }
  }

  // MARK: Tables under other names

  @Test func `a table that is there under another name may have been renamed`() throws {
    let file = try build("app.db", "CREATE TABLE u (id INTEGER PRIMARY KEY, mail TEXT)")
    let contract = try script("CREATE TABLE users (id INTEGER PRIMARY KEY, mail TEXT)")
    let ending = try bench.run("contract", "diff", file, contract)
    #expect(ending.all.contains("renamedTables"), "\(ending.all)")
    #expect(ending.all.contains("'u' has the same columns"), "\(ending.all)")
    let other = try script(
      "CREATE TABLE users (id INTEGER PRIMARY KEY, phone TEXT)", as: "other.sql")
    #expect(try !bench.run("contract", "diff", file, other).all.contains("renamedTables"))
  }

  @Test func `a column that has the name of a renamed table keeps it`() throws {
    let file = try build(
      "app.db",
      """
      CREATE TABLE u (id INTEGER PRIMARY KEY, u TEXT); CREATE TABLE l (a);
      CREATE TRIGGER r AFTER UPDATE ON u BEGIN INSERT INTO l VALUES (new.u); END
      """)
    let schema = try build(
      "right.db",
      """
      CREATE TABLE users (id INTEGER PRIMARY KEY, u TEXT); CREATE TABLE l (a);
      CREATE TRIGGER r AFTER UPDATE ON users BEGIN INSERT INTO l VALUES (new.u); END
      """)
    let contract = bench["c.json"]
    #expect(try bench.run("contract", "capture", schema, "--output", contract).status == 0)
    let text = String(decoding: try contract.contents(), as: UTF8.self)
    try contract.replaceContents(
      with: Bytes(
        text.replacing("{\n", with: "{\n\"renamedTables\": {\"u\": \"users\"},", maxReplacements: 1)
          .utf8))
    let ending = try bench.run("contract", "verify", file, "--contract", contract, "--json")
    #expect(try headlines(ending) == ["changed table users"], "\(ending.all)")
  }

  // MARK: Full-text indexes

  @Test func `a full-text index that comes to keep its texts itself has them`() throws {
    let file = try build(
      "app.db",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a);
      CREATE VIRTUAL TABLE f USING fts5 (a, content = 't', content_rowid = 'id');
      INSERT INTO t VALUES (1, 'word1'), (2, 'word2'); INSERT INTO f (f) VALUES ('rebuild')
      """)
    let contract = try script(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE VIRTUAL TABLE f USING fts5 (a)")
    let ending = try bench.run("contract", "diff", file, contract, "--json")
    let sql = try #require(try ending.json["sql"]?.text)
    try Connection(file, mode: .app).execute(sql)
    #expect(
      try Connection(file, mode: .app).value("SELECT count(*) FROM f WHERE f MATCH 'word1'")
        == .integer(1), "\(sql)")
  }
}
