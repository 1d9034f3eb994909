// SPDX-License-Identifier: Apache-2.0
// Rows of full-text tables and R-trees: they are rows like any other where a migration, a restore or
// an undo could lose them.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct VirtualRowsTests {
  let bench: Workbench
  let file: FilePath
  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    try DatabaseBuilder([
      "CREATE VIRTUAL TABLE notes USING fts5(title, body)",
      "INSERT INTO notes VALUES ('one', 'first'), ('two', 'second'), ('three', 'third')",
      "CREATE VIRTUAL TABLE old USING fts4(title, body)",
      "INSERT INTO old VALUES ('four', 'fourth'), ('five', 'fifth'), ('six', 'sixth')",
      "CREATE VIRTUAL TABLE geo USING rtree(id, x0, x1, +label TEXT)",
      """
      INSERT INTO geo VALUES (1, 1.5, 2, 'home'), (2, 3, 4.25, 'work'), (3, 0.1, 0.2, 'road'),
        (4, -1, 5, 'town')
      """,
      "CREATE TABLE docs (id INTEGER PRIMARY KEY, title TEXT)",
      "INSERT INTO docs VALUES (1, 'seven'), (2, 'eight')",
      "CREATE VIRTUAL TABLE words USING fts5(title, content=docs, content_rowid=id)",
      "INSERT INTO words (words) VALUES ('rebuild')",
      "CREATE VIRTUAL TABLE bare USING fts5(title, content='')",
      "INSERT INTO bare (rowid, title) VALUES (1, 'nine')",
      "PRAGMA user_version = 1",
    ]).build(at: file)
  }

  /// Tries a migration on a private copy.
  private func migrate(_ sql: String, _ words: String...) throws -> Ending {
    try bench.tryMigration(of: file, sql, words)
  }

  private func change(_ sql: String) throws {
    try Connection(file, mode: .readWrite, schemaBy: .us).execute(sql)
  }

  static let losses = [
    "DELETE FROM notes WHERE rowid = 2": "'notes' had 3 rows and has 2",
    "DELETE FROM notes": "'notes' had 3 rows and has 0",
    "DROP TABLE notes": "table 'notes' with 3 rows is gone",
    "UPDATE notes SET body = NULL": "column 'notes.body' had 3 values and has 0",
    "UPDATE notes SET body = 'x'": "column 'notes.body' had different values and has one and the",
    "DELETE FROM notes WHERE rowid = 2; INSERT INTO notes (rowid, title, body) VALUES (9, 'a', 'b')":
      "1 row of 'notes' is gone, and another one is in its place",
    "ALTER TABLE notes RENAME TO texts; DELETE FROM texts": "table 'notes' with 3 rows is gone",
    "DELETE FROM old WHERE docid = 1": "'old' had 3 rows and has 2",
    "DROP TABLE old": "table 'old' with 3 rows is gone",
    "UPDATE old SET title = NULL": "column 'old.title' had 3 values and has 0",
    """
    CREATE TABLE copy AS SELECT * FROM old; DROP TABLE old;
    CREATE VIRTUAL TABLE old USING fts5(title); INSERT INTO old SELECT title FROM copy;
    DROP TABLE copy
    """: "column 'old.body' with 3 values is gone",
    "DELETE FROM geo WHERE id = 1": "'geo' had 4 rows and has 3",
    "DROP TABLE geo": "table 'geo' with 4 rows is gone",
    "UPDATE geo SET label = NULL": "column 'geo.label' had 4 values and has 0",
    "UPDATE geo SET x0 = 0, x1 = 9":
      "column 'geo.x0' had different values and has one and the same",
    "DROP TABLE bare": "table 'bare' with 1 row is gone",
    "INSERT INTO bare (bare) VALUES ('delete-all')": "'bare' had 1 rows and has 0",
  ]

  @Test(arguments: losses)
  func `a migration that loses rows of a virtual table is refused`(
    _ sql: String, _ problem: String
  ) throws {
    let ending = try migrate(sql, "--json")
    #expect(ending.status == 18, "\(ending.all)")
    #expect(try ending.json["losesData"] == true)
    let reasons = try #require(try ending.json["reasons"]?.elements).compactMap(\.text)
    #expect(reasons.contains { $0.hasPrefix(problem) }, "\(reasons)")
  }

  static let changes = [
    "INSERT INTO notes (notes) VALUES ('rebuild'); INSERT INTO old (old) VALUES ('optimize')",
    "INSERT INTO notes VALUES ('ten', 'tenth'); INSERT INTO geo VALUES (9, 1, 2, 'new')",
    "ALTER TABLE notes RENAME TO texts; ALTER TABLE old RENAME TO older",
    "ALTER TABLE geo RENAME TO places",
    """
    CREATE TABLE copy AS SELECT rowid AS id, * FROM notes; DROP TABLE notes;
    CREATE VIRTUAL TABLE notes USING fts5(title, body, tags, prefix='2');
    INSERT INTO notes (title, body) SELECT title, body FROM copy ORDER BY id DESC; DROP TABLE copy
    """,
    """
    CREATE TABLE copy AS SELECT docid AS id, * FROM old; DROP TABLE old;
    CREATE VIRTUAL TABLE old USING fts5(title, body);
    INSERT INTO old (rowid, title, body) SELECT id, title, body FROM copy; DROP TABLE copy
    """,
    """
    CREATE TABLE copy AS SELECT * FROM notes; DROP TABLE notes;
    ALTER TABLE copy RENAME TO notes
    """,
    """
    CREATE TABLE texts (id INTEGER PRIMARY KEY, title, body);
    INSERT INTO texts SELECT rowid, title, body FROM notes; DROP TABLE notes;
    CREATE VIRTUAL TABLE notes USING fts5(title, body, content=texts, content_rowid=id);
    INSERT INTO notes (notes) VALUES ('rebuild')
    """,
    """
    CREATE TABLE copy AS SELECT * FROM geo; DROP TABLE geo;
    CREATE VIRTUAL TABLE geo USING rtree(id, x0, x1, +label TEXT, +note);
    INSERT INTO geo SELECT id, x0, x1, label, NULL FROM copy ORDER BY id DESC; DROP TABLE copy
    """,
    "DROP TABLE words",
  ]

  static let wordsLost = [
    "INSERT INTO words (words) VALUES ('delete-all')",
    """
    DROP TABLE words;
    CREATE VIRTUAL TABLE words USING fts5(title, content=docs, content_rowid=id)
    """,
    "UPDATE docs SET title = 'another'",
  ]

  @Test(arguments: wordsLost)
  func `a migration after which a full-text index does not have its words is refused`(
    _ sql: String
  ) throws {
    let ending = try migrate(sql)
    #expect(ending.status == 18, "\(ending.all)")
    #expect(ending.all.contains("'words' does not have the words of 'docs'"), "\(ending.all)")
    #expect(!ending.all.contains("not checked"), "\(ending.all)")
  }

  @Test func `an index that did not have its words before is no work of the migration`() throws {
    try change("INSERT INTO words (words) VALUES ('delete-all')")
    let ending = try migrate("INSERT INTO geo VALUES (9, 1, 2, 'new')")
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test(arguments: changes)
  func `a migration that keeps the rows of virtual tables is kept`(_ sql: String) throws {
    let ending = try migrate(sql)
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test func `a contract says which virtual table has a new name, and which may lose rows`() throws
  {
    let moved = """
      CREATE TABLE texts (id INTEGER PRIMARY KEY, heading, body);
      INSERT INTO texts SELECT rowid, title, body FROM notes; DROP TABLE notes;
      """
    let next = bench["next.db"]
    try next.replaceContents(with: file.contents())
    try Connection(next, mode: .readWrite, schemaBy: .us)
      .execute(moved + "PRAGMA user_version = 2")
    let contract = bench["c.json"]
    _ = try bench.run("contract", "capture", next, "--output", contract)
    let plain = try migrate(moved, "--contract", "\(contract)")
    #expect(plain.status == 18, "\(plain.all)")
    let text = String(decoding: try contract.contents(), as: UTF8.self)
    for said in [
      #""renamedTables": {"notes": "texts"}, "renamedColumns": {"texts": {"title": "heading"}}"#,
      #""rowCounts": {"notes": "any"}"#,
    ] {
      let start = try #require(text.firstIndex(of: "{"))
      try contract.replaceContents(
        with: Bytes("{\(said), \(text[text.index(after: start)...])".utf8))
      let ending = try migrate(moved, "--contract", "\(contract)")
      #expect(ending.status == 0, "\(ending.all)")
    }
  }

  @Test func `a restore and an undo count the rows of virtual tables`() throws {
    #expect(try bench.run("backup", file).status == 0)
    bench.pass(hours: 1)
    try change("INSERT INTO notes VALUES ('new', 'unsaved'), ('newer', 'unsaved')")
    try change("DELETE FROM old WHERE docid = 2; UPDATE geo SET x1 = 7 WHERE id = 1")
    try change("INSERT INTO geo VALUES (77, 1, 2, 'new')")
    let plan = try bench.run("restore", file, "--dry-run")
    for line in [
      "geo        3        1        0  exactly 1 row",
      "notes      3        0        0  exactly 2 rows", "old        2        0        1  nothing",
    ] {
      #expect(plan.all.contains(line), "\(plan.all)")
    }
    #expect(!plan.all.contains("notes_content") && !plan.all.contains("geo_rowid"))
    let restored = try bench.run("restore", file, "--yes")
    #expect(restored.status == 0, "\(restored.all)")
    let code = try #require(restored.record).code
    bench.pass(hours: 1)
    try change("INSERT INTO notes VALUES ('since', 'restored')")
    let undo = try bench.run("undo", "\(code)", file, "--dry-run")
    #expect(undo.all.contains("notes      3        1        1  nothing"), "\(undo.all)")
  }

  @Test func `a diagnosis and a salvage speak of virtual tables, not of those behind them`() throws
  {
    // The header lies about the pages: every row can be read.
    var bytes = Array(try file.contents())
    bytes.replaceSubrange(28..<32, with: [0, 0, 0, 1])
    try file.replaceContents(with: Bytes(bytes))
    let counts = [("bare", nil), ("docs", 2), ("geo", 4), ("notes", 3), ("old", 3), ("words", nil)]
    let diagnosis = try bench.run("diagnose", file, "--json").json
    let option = try #require(
      diagnosis["options"]?.elements.first { $0["name"]?.text == "salvage" })
    let done = try bench.run("salvage", file, "--output", bench["new.db"], "--json")
    for (table, count) in counts {
      for (tables, key) in [
        (diagnosis["tables"], "readable"), (option["tables"], "kept"),
        (try done.json["tables"], "written"),
      ] {
        let found = tables?.elements.first { $0["table"]?.text == table }
        #expect(found?[key]?.number == count, "\(table) \(key): \(done.all)")
      }
    }
    #expect(option["kept"]?.number == 12)
    #expect(try done.json["rows"]?["written"]?.number == 12)
    #expect(!done.all.contains("notes_data") && !done.all.contains("geo_node"), "\(done.all)")
  }

  @Test func `rows of virtual tables that are gone since the last backup are told of`() throws {
    #expect(try bench.run("backup", file).status == 0)
    bench.pass(hours: 1)
    try change("DELETE FROM notes WHERE rowid < 3; DELETE FROM geo")
    let told = try bench.run("diagnose", file)
    #expect(told.status == 0, "\(told.all)")
    let refused = try bench.run("backup", file, "--max-loss", "10")
    #expect(refused.status != 0, "\(refused.all)")
    for ending in [told, refused] {
      #expect(ending.all.contains("'notes' has 1"), "\(ending.all)")
      #expect(ending.all.contains("'geo' has 0 rows and had 4"), "\(ending.all)")
    }
  }
}
