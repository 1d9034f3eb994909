// SPDX-License-Identifier: Apache-2.0
// Virtual tables whose shadow tables are damaged: never healthy, and built anew where that can be.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct VirtualTableTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// A module with its arguments, what is done to its tables, and the exit status that follows.
  struct Case: CustomTestStringConvertible {
    let module: String
    let damage: String
    let check: Int32
    let diagnose: Int32
    let salvage: Int32
    var testDescription: String { "\(module): \(damage)" }

    init(_ module: String, _ damage: String, _ check: Int32, _ diagnose: Int32, _ salvage: Int32) {
      (self.module, self.damage) = (module, damage)
      (self.check, self.diagnose, self.salvage) = (check, diagnose, salvage)
    }
  }

  private static let texts = [
    "fts5(a, b)", "fts5(a, b, detail=none)", "fts5(a, b, detail=column)",
    "fts5(a, b, prefix='1 2')", "fts5(a, b, columnsize=0)",
    "fts5(a, b, content=docs, content_rowid=id)",
  ]
  private static let zeroed = "UPDATE f_data SET block = zeroblob(length(block)) WHERE id > 10"

  static let cases: [Case] =
    texts.flatMap { module in
      [
        zeroed, "DELETE FROM f_data WHERE id > 10 AND id % 3 = 0",
        "DELETE FROM f_data WHERE id = 10",
        "UPDATE f_data SET block = zeroblob(length(block)) WHERE id = 10", "DELETE FROM f_idx",
        "DELETE FROM f_config", "DROP TABLE f_data", "ALTER TABLE f_idx RENAME COLUMN pgno TO p",
      ].map { Case(module, $0, 13, 13, 0) }
    }
    + ["fts3(a, b)", "fts4(a, b)", "fts4(a, b, prefix='1,3')", "fts4(content=docs, a, b)"].flatMap {
      module in
      [
        "UPDATE f_segments SET block = zeroblob(length(block))", "DELETE FROM f_segments",
        "UPDATE f_segdir SET root = zeroblob(length(root))", "DROP TABLE f_segdir",
        "ALTER TABLE f_segdir RENAME COLUMN root TO r",
      ].map { Case(module, $0, 13, 13, 0) }
    } + [
      Case("fts5(a, b)", "DELETE FROM f_docsize WHERE id < 20", 13, 13, 0),
      Case("fts5(a, b)", "UPDATE f_content SET c0 = 'changed' WHERE id = 6", 0, 13, 0),
      Case("fts4(a, b)", "UPDATE f_content SET c0a = 'changed' WHERE docid = 6", 0, 13, 0),
      Case("fts4(a, b)", "DELETE FROM f_segdir", 13, 13, 0),
      Case("fts3(a, b)", "DELETE FROM f_segdir", 13, 13, 0),
      Case("fts4(a, b, matchinfo=fts3)", "DELETE FROM f_segdir", 13, 13, 0),
      Case("fts5(a, b)", "DROP TABLE f_content", 14, 14, 14),
      Case("fts3(a, b)", "DROP TABLE f_content", 14, 14, 14),
      Case("fts5(a, b, content='')", zeroed, 14, 14, 14),
      Case("fts5(a, b, content='')", "DELETE FROM f_idx", 14, 14, 14),
      Case("fts4(content='', a, b)", "DELETE FROM f_segments", 14, 14, 14),
      Case("rtree(id, x0, x1)", "DELETE FROM f_node WHERE nodeno = 3", 14, 14, 14),
      Case(
        "rtree(id, x0, x1)", "UPDATE f_node SET data = zeroblob(length(data)) WHERE nodeno = 2",
        14, 14, 14),
      Case("rtree(id, x0, x1)", "ALTER TABLE f_node RENAME COLUMN data TO d", 13, 13, 13),
    ]

  private func build(
    _ module: String, _ changes: [String] = [], name: String = "f"
  ) throws -> FilePath {
    let file = bench["app.db"]
    let rowID = module.contains("fts5") ? "rowid" : "docid"
    let filling =
      module.hasPrefix("rtree")
      ? "INSERT INTO f SELECT id, id, id + 1\(module.contains("+") ? ", a" : "") FROM docs"
      : "INSERT INTO f (\(rowID), a, b) SELECT id, a, b FROM docs"
    try DatabaseBuilder(
      [
        "CREATE TABLE docs (id INTEGER PRIMARY KEY, a TEXT, b TEXT)",
        """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 800)
        INSERT INTO docs SELECT n * 2, 'word' || n || ' hello common' || (n % 7), 'second' || n
        FROM numbers
        """,
        "CREATE VIRTUAL TABLE \(name) USING \(module)",
        DatabaseBuilder.Step(stringLiteral: filling),
      ]
    ).build(at: file)
    let connection = try Connection.unguarded(file)
    for change in changes { try connection.execute(change) }
    return file
  }

  private func hits(in file: FilePath) throws -> Int64? {
    try Connection(file, mode: .readOnly)
      .value("SELECT count(*) FROM f WHERE f MATCH 'hello'")?.integerValue
  }

  @Test(arguments: cases)
  func `what a virtual table is kept in is checked and built anew`(_ damaged: Case) throws {
    let file = try build(damaged.module, [damaged.damage])
    let (check, diagnosis) = (try bench.run("check", file), try bench.run("diagnose", file))
    #expect(check.status == damaged.check, "\(check.all)")
    #expect(diagnosis.status == damaged.diagnose, "\(diagnosis.all)")
    // What an index without texts had is gone.
    if damaged.diagnose == 14 { #expect(!diagnosis.all.contains("No text is lost")) }
    let backup = try bench.run("backup", file, "--vault", bench["vault"])
    #expect(backup.status == 14, "\(backup.all)")
    let output = bench["new.db"]
    let salvage = try bench.run("salvage", file, "--output", output)
    #expect(salvage.status == damaged.salvage, "\(salvage.all)")
    guard damaged.salvage == 0 else { return }
    #expect(try hits(in: output)! >= 799)
    #expect(try bench.run("diagnose", output).status == 0)
  }

  @Test(
    arguments: texts + [
      "fts3(a, b)", "fts4(a, b)", "fts4(content=docs, a, b)", "fts4(content='', a, b)",
      "fts5(a, b, content='')", "fts5(a, b, content='', detail=none, columnsize=0)",
      "fts4(a, b, languageid=lid)", "rtree(id, x0, x1)", "rtree_i32(id, x0, x1)",
    ])
  func `a sound virtual table is healthy`(_ module: String) throws {
    let file = try build(module)
    for command in ["check", "diagnose"] {
      let ending = try bench.run(command, file)
      #expect(ending.status == 0, "\(ending.all)")
    }
    let backup = try bench.run("backup", file, "--vault", bench["vault"], "--json")
    #expect(backup.status == 0 && backup.output.contains("module_check"), "\(backup.all)")
  }

  @Test(
    arguments: ["'f'", "\"f\"", "[f]", "`f`"], ["fts4(a, b)", "'fts5'('a', \"b\")", "fts5(a, b)"])
  func `a sound virtual table is healthy, however its name is quoted`(
    _ name: String, _ module: String
  ) throws {
    let file = try build(module, name: name)
    for command in ["check", "diagnose"] {
      let ending = try bench.run(command, file)
      #expect(ending.status == 0, "\(ending.all)")
    }
    #expect(try bench.run("salvage", file, "--output", bench["new.db"]).status == 0)
    #expect(try hits(in: bench["new.db"]) == 800)
  }

  @Test func `a table that only automerge makes is one of those behind its virtual table`() throws {
    let file = try build(
      "fts3(a, b)", ["INSERT INTO f (f) VALUES ('automerge=4')", "PRAGMA user_version = 1"])
    #expect(try bench.run("salvage", file, "--output", bench["new.db"]).status == 0)
    #expect(try hits(in: bench["new.db"]) == 800)
    let ending = try bench.tryMigration(of: file, "INSERT INTO f (f) VALUES ('rebuild')", [])
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test func `rebuild-indexes builds a full-text index anew`() throws {
    let file = try build("fts5(a, b)", [Self.zeroed])
    let ending = try bench.run("recover", file, "--choose", "rebuild-indexes", "--yes")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try hits(in: file) == 800)
  }

  private static let external = "fts5(a, b, content=docs, content_rowid=id)"

  @Test(arguments: [
    "INSERT INTO docs VALUES (9001, 'new', 'row')", "INSERT INTO f (f) VALUES ('delete-all')",
    "INSERT INTO f (f, rowid, a, b) SELECT 'delete', id, a, b FROM docs WHERE id % 3 = 0",
  ])
  func `rows of external content that are not in the index are reported and no damage`(
    _ change: String
  ) throws {
    let file = try build(Self.external, [change])
    for verb in ["diagnose", "backup"] {
      let ending = try bench.run(verb, file)
      #expect(ending.status == 0, "\(ending.all)")
      #expect(verb == "backup" || ending.all.contains("DBR-F112"), "\(ending.all)")
    }
  }

  @Test(arguments: [
    "DELETE FROM docs WHERE id = 8", "UPDATE docs SET a = 'other' WHERE id = 8",
    "DELETE FROM docs WHERE id = 8; INSERT INTO docs VALUES (9001, 'new', 'row')",
  ])
  func `an index with words that its external content does not have is built anew`(
    _ change: String
  ) throws {
    let file = try build(Self.external, [change])
    let diagnosis = try bench.run("diagnose", file)
    #expect(diagnosis.status == 13 && diagnosis.all.contains("DBR-F110"), "\(diagnosis.all)")
    #expect(diagnosis.all.contains("1  rebuild-indexes"), "\(diagnosis.all)")
    let ending = try bench.run("recover", file, "--choose", "rebuild-indexes", "--yes")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try bench.run("diagnose", file).status == 0)
    let connection = try Connection(file, mode: .readWrite)
    try connection.execute("INSERT INTO f (f, rank) VALUES ('integrity-check', 1)")
  }

  @Test(arguments: ["fts3(a, b)", "fts4(a, b, matchinfo=fts3)"])
  func `texts without a word need no index`(_ module: String) throws {
    let file = try build("\(module)", ["DELETE FROM f"])
    let connection = try Connection(file, mode: .readWrite)
    try connection.execute("INSERT INTO f (a, b) VALUES (NULL, ''), ('...', '!? -')")
    try connection.execute("INSERT INTO f (f) VALUES ('optimize')")
    #expect(try connection.value("SELECT count(*) FROM f_segdir")?.integerValue == 0)
    for verb in ["check", "diagnose"] {
      let ending = try bench.run(verb, file)
      #expect(ending.status == 0, "\(ending.all)")
    }
  }

  // MARK: R-trees

  static let notes = [
    "DELETE FROM f_rowid WHERE rowid < 20", "DELETE FROM f_parent",
    "UPDATE f_rowid SET nodeno = nodeno + 1 WHERE rowid < 9",
    "UPDATE f_parent SET parentnode = 7 WHERE nodeno = 2; DELETE FROM f_rowid",
  ]

  private func expectWhole(_ file: FilePath, labels: Int64? = nil) throws {
    let connection = try Connection(file, mode: .readOnly)
    #expect(try connection.value("SELECT rtreecheck('f')")?.utf8String == "ok")
    #expect(try connection.value("SELECT count(*) FROM f WHERE x0 > 0")?.integerValue == 800)
    if let labels {
      #expect(try connection.value("SELECT count(label) FROM f")?.integerValue == labels)
    }
  }

  @Test(arguments: notes)
  func `what an R-tree notes beside its nodes is made anew of them`(_ damage: String) throws {
    let file = try build("rtree(id, x0, x1)", [damage])
    let diagnosis = try bench.run("diagnose", file)
    #expect(diagnosis.status == 13, "\(diagnosis.all)")
    #expect(diagnosis.all.contains("1  rebuild-indexes"), "\(diagnosis.all)")
    let salvage = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(salvage.status == 0 && salvage.all.contains("made anew of its nodes"), "\(salvage.all)")
    try expectWhole(bench["new.db"])
    let ending = try bench.run("recover", file, "--choose", "rebuild-indexes", "--yes")
    #expect(ending.status == 0, "\(ending.all)")
    try expectWhole(file)
  }

  @Test(arguments: ["f_parent", "f_rowid"])
  func `a damaged page of what an R-tree notes costs no row`(_ part: String) throws {
    let file = try build("rtree(id, x0, x1)")
    let root = try Connection(file, mode: .readOnly).value(
      "SELECT rootpage FROM sqlite_schema WHERE name = '\(part)'")?.integerValue
    let start = 4096 * (Int(try #require(root)) - 1)
    var bytes = try file.contents()
    bytes.replaceSubrange(start..<(start + 4096), with: Bytes(repeating: 0, count: 4096))
    try file.replaceContents(with: bytes)
    let diagnosis = try bench.run("diagnose", file)
    #expect(diagnosis.status == 13, "\(diagnosis.all)")
    let salvage = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(salvage.status == 0, "\(salvage.all)")
    try expectWhole(bench["new.db"])
  }

  @Test func `what an R-tree notes besides coordinates is kept, and what is gone is said`() throws {
    let file = try build(
      "rtree(id, x0, x1, +label)", ["DELETE FROM f_rowid WHERE rowid <= 20"])
    for verb in ["check", "diagnose"] {
      let ending = try bench.run(verb, file)
      #expect(ending.status == 14, "\(ending.all)")
      #expect(ending.all.contains("10 rows of 'f' have lost what they held"), "\(ending.all)")
    }
    let salvage = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(salvage.status == 14 && salvage.all.contains("exactly 10 rows"), "\(salvage.all)")
    try expectWhole(bench["new.db"], labels: 790)
  }

  @Test(
    arguments: [
      "DELETE FROM f_node WHERE nodeno = 3", "DELETE FROM f_node WHERE nodeno = 1",
      "UPDATE f_node SET data = zeroblob(length(data)) WHERE nodeno = 4", "DELETE FROM f_node",
      // A node is gone, and coordinates of another one end before they begin.
      "DELETE FROM f_node WHERE nodeno = 3; UPDATE f_node SET data = CAST(substr(data, 1, 12) || "
        + "x'7F000000' || substr(data, 17) AS BLOB) WHERE nodeno = 2",
      // Nodes of fewer bytes than the module takes.
      "UPDATE f_node SET data = x'00000001'",
    ], ["SELECT 1", "DELETE FROM f_rowid WHERE rowid < 20", "DELETE FROM f_parent"])
  func `an R-tree whose nodes are not whole is made anew of the rows in them`(
    _ damage: String, _ other: String
  ) throws {
    let module = "rtree(id, x0, x1, +label)"
    let whole = try Connection(try build(module), mode: .readOnly).rows("SELECT * FROM f")
    try SystemStorage().remove(bench["app.db"])
    let file = try build(module, [damage, other])
    let diagnosis = try bench.run("diagnose", file, "--json")
    #expect(diagnosis.status == 14)
    let salvage = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(salvage.status == 14 && !salvage.all.contains("malformed"), "\(salvage.all)")
    let connection = try Connection(bench["new.db"], mode: .readOnly)
    #expect(try connection.value("SELECT rtreecheck('f')")?.utf8String == "ok")
    let found = try connection.rows("SELECT * FROM f")
    #expect(found.allSatisfy { row in whole.contains { $0.dropLast() == row.dropLast() } })
    if damage.contains("WHERE"), !damage.contains("7F"),
      other.contains("1") || other.contains("parent")
    {
      #expect(found.count >= 600 && found.allSatisfy { whole.contains($0) })
    }
    let kept = try diagnosis.json["options"]?.elements.first { $0["name"]?.text == "salvage" }
    let predicted = kept?["tables"]?.elements.first { $0["table"]?.text == "f" }
    #expect(predicted?["kept"]?.number == found.count)
  }

  @Test(arguments: ["fts5(a, b)", "fts4(a, b)"])
  func `texts that are gone while the index still has them are lost`(_ module: String) throws {
    let file = try build(module, ["DELETE FROM f_content WHERE rowid > 700"])
    for verb in ["check", "diagnose"] {
      let ending = try bench.run(verb, file)
      #expect(ending.status == 14, "\(ending.all)")
      #expect(ending.all.contains("rows that the full-text index 'f' has"), "\(ending.all)")
    }
    let salvage = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(salvage.status == 14 && salvage.all.contains("at least"), "\(salvage.all)")
  }

  @Test func `of texts that another table lacks, nothing says that none is lost`() throws {
    let file = try build(
      "fts5(a, b, content=docs, content_rowid=id)", ["DELETE FROM docs WHERE id > 700"])
    let ending = try bench.run("diagnose", file)
    #expect(!ending.all.contains("No text is lost"), "\(ending.all)")
    #expect(ending.all.contains("perhaps"), "\(ending.all)")
  }

  @Test func `words whose texts are gone are counted as lost`() throws {
    let file = try build("fts5(a, b)", ["DROP TABLE f_content"])
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 14 && ending.all.contains("800"), "\(ending.all)")
  }

  @Test(arguments: TextEncoding.allCases)
  func `a sound full-text table is healthy in every encoding`(_ encoding: TextEncoding) throws {
    let file = bench["app.db"]
    try DatabaseBuilder(
      encoding: encoding,
      ["CREATE VIRTUAL TABLE f USING fts5(a, b)", "INSERT INTO f VALUES ('one', 'two')"]
    ).build(at: file)
    for verb in ["check", "diagnose"] {
      let ending = try bench.run(verb, file)
      #expect(ending.status == 0, "\(ending.all)")
    }
  }

  /// The schema of an app as it writes it: without the tables that modules make.
  private func script(_ module: String) throws -> FilePath {
    let script = bench["app.sql"]
    let sql = """
      CREATE TABLE docs (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
      CREATE VIRTUAL TABLE f USING \(module);
      """
    try script.replaceContents(with: Bytes(sql.utf8))
    return script
  }

  @Test(arguments: texts + ["fts3(a, b)", "fts4(a, b)", "rtree(id, x0, x1)"])
  func `a virtual table of the app's own script keeps every row`(_ module: String) throws {
    let file = try build(module)
    let new = bench["new.db"]
    let ending = try bench.run(
      "salvage", file, "--output", new, "--schema", try script(module), "--force")
    #expect(ending.status == 0, "\(ending.all)")
    let query =
      module.hasPrefix("rtree")
      ? "SELECT count(*) FROM f WHERE x0 >= 0" : "SELECT count(*) FROM f WHERE f MATCH 'hello'"
    let (before, after) = (
      try Connection(file, mode: .readOnly).value(query),
      try Connection(new, mode: .readOnly).value(query)
    )
    #expect(before == after && before?.integerValue ?? 0 > 0)
  }

  @Test func `no page of a full-text index becomes rows of a table when the schema is lost`() throws
  {
    let file = try build("fts5(a, b)")
    try file.replaceContents(
      with: Bytes(repeating: 0, count: 4096) + file.contents().dropFirst(4096))
    let new = bench["new.db"]
    let ending = try bench.run(
      "salvage", file, "--output", new, "--schema", try script("fts5(a, b)"))
    let count = try Connection(new, mode: .readOnly).value(
      "SELECT count(*) FROM docs WHERE a IS NULL OR a NOT LIKE 'word%'")
    #expect(count == .integer(0), "\(ending.all)")
  }
}
