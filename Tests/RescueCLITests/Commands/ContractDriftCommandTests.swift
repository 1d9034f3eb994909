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

  // MARK: What a script leaves behind

  @Test func `a table whose rules name it is made anew, and drifts no more`() throws {
    let file = try build(
      "app.db", "CREATE TABLE t (a INT CHECK (t.a > 0)); INSERT INTO t VALUES (1), (2)")
    let wanted = try build(
      "new.db", "CREATE TABLE t (a INT CHECK (t.a >= 0), b TEXT, CHECK (\"t\".a < 9))")
    let diff = try bench.run("contract", "diff", file, wanted)
    try Connection(file, mode: .app).execute(diff.output)
    #expect(try Oracle(file).value("SELECT count(*) FROM t") == .integer(2))
    #expect(try bench.run("contract", "diff", file, wanted).output.isEmpty)
  }

  @Test(arguments: [
    ("fts5 (a, b)", "fts5 (a)", "the values of 'b' go with it"),
    ("rtree (id, a, b, +n)", "rtree (id, a, b)", "the values of 'n' go with it"),
    ("fts5 (a)", "fts5 (a, content = t, content_rowid = id)", "all that 'f' holds goes with it"),
  ])
  func `what a virtual table holds and its successor does not is told`(
    _ old: String, _ new: String, _ words: String
  ) throws {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE VIRTUAL TABLE f USING "
    let ending = try bench.run(
      "contract", "diff", build("old.db", table + old), build("new.db", table + new))
    #expect(ending.output.contains(words), "\(ending.all)")
    #expect(ending.output.contains("sqlite3 -bail"), "\(ending.all)")
  }

  @Test func `a contract of what calls an app's function holds for its own database`() throws {
    let file = bench["app.db"]
    try DatabaseBuilder(["CREATE TABLE t (b TEXT)"]).build(at: file)
    let contract = bench["c.json"]
    #expect(try bench.run("contract", "capture", file, "--output", contract).status == 0)
    let text = String(decoding: try contract.contents(), as: UTF8.self)
    let ofApp = text.replacing(
      "CREATE TABLE t (b TEXT)", with: "CREATE TABLE t (b TEXT CHECK (sha(b)))"
    )
    .replacing("\"name\" : \"t\",", with: "\"checks\" : [\"sha(b)\"], \"name\" : \"t\",")
    try contract.replaceContents(with: Bytes(ofApp.utf8))
    let ending = try bench.run("contract", "verify", file, "--contract", contract)
    #expect(ending.status == 12, "\(ending.all)")
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

  // MARK: What enforces more

  private static let enforcing: [(String, String, String)] = [
    ("CREATE TABLE t (a)", "CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a)", "index i"),
    (
      "CREATE TABLE t (a)",
      "CREATE TABLE t (a); CREATE TRIGGER r BEFORE DELETE ON t BEGIN SELECT raise(ABORT, 'no'); END",
      "trigger r"
    ),
    ("CREATE TABLE t (a)", "CREATE TABLE t (a CHECK (a > 0))", "check t"),
    ("CREATE TABLE t (a)", "CREATE TABLE t (a UNIQUE)", "unique constraint t"),
    ("CREATE TABLE t (a)", "CREATE TABLE t (a NOT NULL)", "column t.a"),
    ("CREATE TABLE t (a TEXT)", "CREATE TABLE t (a TEXT) STRICT", "table options t"),
    (
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a)",
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a REFERENCES p)", "foreign key t"
    ),
  ]

  @Test(arguments: enforcing)
  func `no statement is offered that drops what enforces something, unless it is asked for`(
    _ expected: String, _ found: String, _ object: String
  ) throws {
    let (file, contract) = (try build("app.db", found), try script(expected))
    let verified = try bench.run("contract", "verify", file, "--contract", contract, "--json")
    let differences = try verified.json["differences"]?.elements ?? []
    #expect(differences.count == 1, "\(verified.all)")
    #expect(differences.allSatisfy { $0["sql"] == nil }, "\(verified.all)")
    #expect(verified.all.contains(object), "\(verified.all)")
    let text = try bench.run("contract", "verify", file, "--contract", contract)
    #expect(text.all.contains("enforces more than the contract"), "\(text.all)")
    let change = try bench.run("contract", "diff", file, contract)
    #expect(change.all.contains("any more"))
    #expect(change.all.contains("DROP"), "\(change.all)")
  }

  @Test func `what is missing beside what enforces more is offered still`() throws {
    let file = try build(
      "app.db", "CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a)")
    let contract = try script("CREATE TABLE t (a, b)")
    let ending = try bench.run("contract", "verify", file, "--contract", contract, "--json")
    let sql = (try ending.json["differences"]?.elements ?? []).map { $0["sql"]?.text }
    #expect(sql == [#"ALTER TABLE "t" ADD COLUMN b;"#, nil])
  }
}
